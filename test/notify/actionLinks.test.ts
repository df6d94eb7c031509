import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHtml } from '../../src/destinations/texts/toHtml.ts';
import { toMessengerAText } from '../../src/destinations/texts/toMessengerAText.ts';
import { toMessengerBBlocks } from '../../src/destinations/texts/toMessengerBBlocks.ts';
import { toPlainText } from '../../src/destinations/texts/toPlainText.ts';
import { toStory } from '../../src/destinations/texts/toStory.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Message, Target } from '../../src/model/notification.ts';
import { createActionLinks } from '../../src/services/alerts/createActionLinks.ts';
import { purgeLinkUses } from '../../src/store/alerts/linkUses.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let destinationId: number;
beforeAll(async () => {
  world = await startNotifyWorld({ hasActionLinks: true });
  destinationId = (await world.addDestination('/linked', { name: 'Night shift' })).id;
  await world.bind(destinationId);
  world.work();
});
afterAll(() => world?.stop());

const dayMs = 86_400_000;

type Links = { uid: string; incident: string; acknowledge: string; resolve: string };

/** The links that the receiver gets with a new alert. */
async function send(path = '/linked'): Promise<Links> {
  const [uid] = await world.push({ severity: 'HIGH', name: 'Owner <script>changed</script>' });
  const { body } = await until(() =>
    world.sink.received.find((one) => one.path === path && one.body.data.uid === uid),
  );
  const { links, incidentUid } = body.data;
  return {
    uid: uid!,
    incident: incidentUid,
    acknowledge: codeOf(links.acknowledge),
    resolve: codeOf(links.resolve),
  };
}

const codeOf = (url: string) => url.split('/act/')[1]!;
const alertOf = (uid: string): Promise<Json> => world.ok('GET', `alert/${uid}`);
const look = (code: string) => world.call('GET', `link/${code}`, undefined, { token: null });
const use = (code: string) => world.call('POST', `link/${code}`, undefined, { token: null });
const untouched = { acknowledged: false, status: 'UNRESOLVED' };
const refused = { status: 404, body: { code: 'not-found', detail: /has expired or was used already/ } };

async function expectRefused(code: string): Promise<void> {
  for (const ask of [look, use]) {
    const { status, body } = await ask(code);
    expect([status, body.code]).toEqual([404, 'not-found']);
    expect(body.detail).toMatch(refused.body.detail);
  }
}

describe('A link of a notification', () => {
  it('says what it does and to whom it was sent, acts once, and the audit log names it', async () => {
    const { uid, incident, acknowledge, resolve } = await send();
    expect((await look(acknowledge)).body).toMatchObject({
      action: 'acknowledge',
      subject: 'incident',
      uid: incident,
      sentTo: 'Night shift',
      tenant: 'Receivers',
      severity: 'HIGH',
      status: 'UNRESOLVED',
      alerts: 1,
    });
    expect(await alertOf(uid)).toMatchObject(untouched);
    expect((await use(acknowledge)).status).toBe(200);
    expect(await alertOf(uid)).toMatchObject({
      acknowledged: true,
      acknowledgedBy: 'Night shift (link)',
      acknowledgedById: null,
    });
    await expectRefused(acknowledge);
    await world.ok('DELETE', `incident/${incident}/acknowledge`);
    await expectRefused(acknowledge);
    expect(await alertOf(uid)).toMatchObject(untouched);

    expect((await use(resolve)).body).toMatchObject({ action: 'resolve', status: 'RESOLVED' });
    expect(await alertOf(uid)).toMatchObject({ status: 'RESOLVED' });
    const { data } = await world.ok('GET', `audit?tenantId=${world.tenantId}&size=20`);
    expect(data.filter(({ changes }: Json) => changes?.link)).toMatchObject([
      {
        action: 'incident.resolve',
        changes: { uid: incident, link: { destinationId, sentTo: 'Night shift' } },
      },
      { action: 'incident.acknowledge', changes: { uid: incident, link: { destinationId } } },
    ]);
  });

  it('acts once although it is used many times at once', async () => {
    const { acknowledge } = await send();
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(acknowledge)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(7);
  });

  it('leads to a page that does nothing by itself, whatever opens it, under a strict policy', async () => {
    const { uid, acknowledge } = await send();
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      for (const path of [`act/${acknowledge}`, `api/v1/link/${acknowledge}`]) {
        const answer = await fetch(`${world.url}/${path}`, { method });
        const text = await answer.text();
        expect(answer.status < 300 || answer.status === 405).toBe(true);
        if (path.startsWith('act') && method === 'GET') {
          expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
          expect(text).toContain('no-referrer');
          expect(text).not.toContain(acknowledge);
        }
      }
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await fetch(`${world.url}/api/v1/link/${acknowledge}`, { method });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      await answer.body?.cancel();
    }
    expect(await alertOf(uid)).toMatchObject(untouched);
    expect((await look(acknowledge)).status).toBe(200);
  });

  it('does nothing with any part changed: the tenant, alert, action, destination, time or signature', async () => {
    const own = await send();
    const other = await send();
    const parts = own.acknowledge.split('.');
    const mac = parts.at(-1)!;
    const changed = parts.map((_, index) => {
      const next = [...parts];
      next[index] =
        [
          '2',
          String(world.tenantId + 1),
          String(destinationId + 1),
          'resolve',
          'alert',
          own.uid === own.incident ? other.uid : own.uid,
          String(Number(parts[6]) + 1),
        ][index] ?? `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
      return next.join('.');
    });
    const respelt = [
      `0${own.acknowledge}`,
      own.acknowledge.toUpperCase(),
      `${own.acknowledge}=`,
      `${own.acknowledge}.`,
      own.acknowledge.replace(parts[5]!, parts[5]!.toUpperCase()),
      own.acknowledge.slice(0, -1),
      [...other.acknowledge.split('.').slice(0, -1), mac].join('.'),
      [...own.resolve.split('.').slice(0, -1), mac].join('.'),
      'nothing',
      '.',
    ];
    for (const code of [...changed, ...respelt]) await expectRefused(code);
    expect(await alertOf(own.uid)).toMatchObject(untouched);
    expect(await alertOf(other.uid)).toMatchObject(untouched);
    expect((await use(own.acknowledge)).status).toBe(200);
  });

  it('expires after seven days, and its use is forgotten only then', async () => {
    const { uid, acknowledge } = await send();
    const used = await send();
    expect((await use(used.acknowledge)).status).toBe(200);
    await purgeLinkUses(world.store, world.services.now());
    await expectRefused(used.acknowledge);
    world.advance(7 * dayMs - 60_000);
    expect((await look(acknowledge)).status).toBe(200);
    world.advance(120_000);
    await expectRefused(acknowledge);
    await purgeLinkUses(world.store, world.services.now());
    await expectRefused(used.acknowledge);
    world.advance(-(7 * dayMs + 60_000));
    expect(await alertOf(uid)).toMatchObject(untouched);
  });

  it('works no more when its destination was deleted or disabled, or the user whose address it is', async () => {
    const { id } = await world.addDestination('/leaving');
    await world.bind(destinationId, id);
    const { uid, acknowledge, resolve } = await send('/leaving');
    await world.ok('DELETE', `destination/${id}`);
    await expectRefused(acknowledge);
    await expectRefused(resolve);
    await world.bind(destinationId);

    const email = 'bob@example.com';
    const { id: userId } = await world.ok('POST', 'user', {
      tenantId: world.tenantId,
      email,
      roles: ['tenant-user'],
    });
    const [mail] = await world.store.query<{ id: number }>(
      sql`insert into destination (tenant_id, uid, type, value, tags, confirmed_at, created_at, updated_at)
        values (${world.tenantId}, 'bob', 'EMAIL', ${email}, '{}', 1, 1, 1) returning id`,
    );
    const message = messageOf(uid, { incident: { uid: (await alertOf(uid)).incidentUid, number: 1 } });
    const links = createActionLinks(world.services.keyring.audit, () => world.url);
    const { data } = links({ id: mail!.id, tenantId: world.tenantId, type: 'EMAIL' }, message);
    const code = codeOf((data.links as Record<string, string>).acknowledge!);
    expect((await look(code)).body.sentTo).toBe(email);
    await world.ok('DELETE', `user/${userId}`);
    await expectRefused(code);
    expect(await alertOf(uid)).toMatchObject(untouched);
  });

  it('works no more when the user who was called by it is disabled or gone, and lets a viewer only answer', async () => {
    const email = 'dave@example.com';
    const user = { tenantId: world.tenantId, email, name: 'Dave', roles: ['tenant-user'] };
    const { id: userId } = await world.ok('POST', 'user', user);
    const { id } = await world.addDestination('/dave');
    await world.ok('PUT', `user/${userId}/contact`, { destinationIds: [id] });
    await world.bind(id);
    const { uid, acknowledge, resolve } = await send('/dave');
    expect((await look(acknowledge)).body.sentTo).toBe('Dave');
    const { body: page } = world.sink.received.find(
      (one) => one.path === '/dave' && one.body.data.uid === uid,
    )!;
    const { silence, halt } = page.data.links;
    const codes = [acknowledge, resolve, codeOf(silence), codeOf(halt)];
    await world.ok('PUT', `user/${userId}`, { status: 'DISABLED' });
    for (const code of codes) await expectRefused(code);
    await world.ok('PUT', `user/${userId}`, { status: 'ACTIVE', roles: ['tenant-viewer'] });
    for (const link of [silence, halt].map(codeOf))
      for (const ask of [look, use])
        expect(await ask(link)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await look(acknowledge)).status).toBe(200);
    await world.ok('DELETE', `user/${userId}`);
    for (const code of codes) await expectRefused(code);
    expect(await alertOf(uid)).toMatchObject(untouched);
    expect((await world.ok('GET', `action/halt?tenantId=${world.tenantId}`)).halted).toBe(false);
    expect((await world.ok('GET', `destination/${id}`)).id).toBe(id);
    await world.bind(destinationId);
  });

  it('stands in mails and in both messengers, the same at every attempt', () => {
    const links = createActionLinks(world.services.keyring.audit, () => world.url);
    const target = { id: 7, tenantId: world.tenantId, type: 'EMAIL' } as const;
    const message = messageOf('01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', {});
    const linked = links(target, message);
    expect(links(target, message)).toEqual(linked);
    const { acknowledge, resolve } = linked.data.links as Record<string, string>;
    const story = toStory(linked);
    for (const text of [
      toPlainText(story),
      toHtml(story),
      toMessengerAText(story),
      JSON.stringify(toMessengerBBlocks(story)),
    ])
      for (const url of [acknowledge!, resolve!]) expect(text).toContain(url);
    const resolved = { ...message, type: 'alert.resolved' } as const;
    expect(links(target, resolved)).toBe(resolved);
  });

  it('stands in no message to a log, which anyone who reads the log could use', () => {
    const links = createActionLinks(world.services.keyring.audit, () => world.url);
    const message = messageOf('01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', {});
    const of = (type: Target['type']) => links({ id: 7, tenantId: world.tenantId, type }, message);
    expect(of('SYSLOG')).toBe(message);
    expect(of('HTTP').data.links).toHaveProperty('acknowledge');
  });
});

function messageOf(uid: string, members: Json): Message {
  const data = {
    uid,
    severity: 'HIGH',
    name: 'Owner changed',
    message: 'Found.',
    links: { explorer: null, alert: `${world.url}/alert/${uid}` },
    ...members,
  };
  return { uid: 'm', sequence: 1, type: 'alert.detector.raised', timestamp: world.services.now(), data };
}
