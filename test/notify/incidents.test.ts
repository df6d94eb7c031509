import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { repeatGapMs } from '../../src/alerts/assignIncidents.ts';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { digestStory } from '../../src/destinations/texts/digestStory.ts';
import { Secret } from '../../src/lib/secret.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { type Bot, createBot } from '../../src/notify/createBot.ts';
import { createMessengerASender } from '../../src/notify/createMessengerASender.ts';
import { createNotifyOnAlerts, createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { purgeIncidentKeys } from '../../src/store/alerts/purgeBesideAlerts.ts';
import { type BotApi, startBotApi } from '../../testing/startBotApi.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let messenger: BotApi;
let bot: Bot;
const mails: string[] = [];
beforeAll(async () => {
  messenger = await startBotApi();
  bot = createBot({ url: messenger.url, token: new Secret(messenger.token) });
  world = await startNotifyWorld({
    senders: {
      MESSENGER_A: createMessengerASender(bot),
      EMAIL: {
        send: async (_target, messages, _signal, earlier) => {
          const { title } = digestStory(messages);
          mails.push(earlier ? `${title} after ${earlier.ref}` : title);
          return { ok: true, ref: `mail ${mails.length}` };
        },
        render: () => ({ type: 'EMAIL', to: '', subject: '', text: '', html: '' }),
        close: async () => {},
      },
    },
  });
});
afterAll(async () => {
  await world.stop();
  await bot.close();
  await messenger.stop();
});

let count = 0;
const base = Date.UTC(2026, 5, 1);
let now = base;
beforeEach(() => {
  // Far from the incidents of other tests.
  now += 24 * 3_600_000;
});

const finding = (members: Partial<Finding>): Finding => ({
  tenantId: world.tenantId,
  projectId: 1,
  contractId: world.contractId,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'MEDIUM',
  timestamp: now,
  key: `finding ${++count}`,
  eid: 'e',
  name: `Found ${count}`,
  message: 'Found.',
  meta: {},
  tags: [],
  chainUid: 'ethereum',
  txHash: '0x00',
  ...members,
});

async function raise(...findings: Finding[]) {
  await prepareRaise(world.store, findings);
  const hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: world.now });
  return world.store.transaction((tx) => raiseAlerts(tx, findings, [hook]));
}

const incidentsOf = (raised: { incident?: { uid: string } }[]) =>
  new Set(raised.map(({ incident }) => incident?.uid));
const read = (uid: string | undefined): Promise<Json> => world.ok('GET', `incident/${uid}`);

describe('an incident', () => {
  it('holds the alerts of one transaction of one tenant, has their highest severity, and is found in every way', async () => {
    const other = await world.ok('POST', 'tenant', { name: 'Other' });
    const txHash = `0xaa${count}`;
    const raised = await raise(
      finding({ txHash, severity: 'HIGH', position: { transaction: 1, log: 0 } }),
      finding({ txHash, severity: 'CRITICAL', name: 'Worst', position: { transaction: 1, log: 4 } }),
      finding({ txHash, tenantId: other.id }),
      finding({ txHash: `0xbb${count}` }),
      finding({ txHash, tags: ['shadow'] }),
    );
    const [first, second, foreign, separate, shadow] = raised.map(({ incident }) => incident?.uid);
    expect(second).toBe(first);
    expect(new Set([first, foreign, separate]).size).toBe(3);
    expect(shadow).toBeUndefined();
    const late = await raise(
      finding({ txHash: txHash.toUpperCase().replace('0X', '0x'), timestamp: now + 9_000_000 }),
    );
    const incident = await read(first);
    expect(late[0]!.incident).toEqual({ uid: first, number: 3 });
    expect(incident).toMatchObject({
      severity: 'CRITICAL',
      name: 'Worst',
      alerts: 3,
      openAlerts: 3,
      status: 'UNRESOLVED',
    });
    expect(incident.alertList.map(({ uid }: Json) => uid)).toEqual([
      raised[0]!.uid,
      raised[1]!.uid,
      late[0]!.uid,
    ]);
    expect(incident.alertList[0].incidentUid).toBe(first);
    const listed = await world.ok('GET', 'incident?severity=CRITICAL&status=UNRESOLVED');
    expect(listed.data.map(({ uid }: Json) => uid)).toEqual([first]);
    const searched = await world.ok('POST', 'incident/search', { where: `name = 'Worst'`, trackTotal: true });
    expect(searched).toMatchObject({ total: 1, data: [{ uid: first }] });
    const alerts = await world.ok('POST', 'alert/search', { query: `incidentUid:"${first}"` });
    expect(alerts.total).toBe(3);
    const [alone] = await world.push({});
    expect((await world.ok('GET', `alert/${alone}`)).incidentUid).toBe(alone);
    for (const query of [`incidentUid:"${alone}"`, `"${alone}"`, `incidentUid:("${alone}" OR none)`])
      expect(await world.ok('POST', 'alert/search', { query })).toMatchObject({ data: [{ uid: alone }] });
    const { data } = await world.ok('POST', 'incident/search', { where: `tenantId = ${other.id}` });
    expect(data).toMatchObject([{ uid: foreign, alerts: 1 }]);
    expect((await world.call('GET', 'incident/x')).status).toBe(404);
  });

  it('grows with each repetition of its cause, until a pause or another cause', async () => {
    const repeat = (seconds: number, members: Partial<Finding> = {}) =>
      finding({ cause: 'detector 1 a', txHash: `0xcc${count}`, timestamp: now + seconds * 1000, ...members });
    const six = [
      ...(await raise(repeat(0), repeat(1))),
      ...(await raise(...[2, 3, 4, 5].map((n) => repeat(n)))),
    ];
    expect(incidentsOf(six).size).toBe(1);
    const uid = six[0]!.incident?.uid;
    expect(await read(uid)).toMatchObject({ alerts: 6, txHashes: expect.objectContaining({ length: 6 }) });
    const txHash = `0xdd${count}`;
    const worse = await raise(repeat(6, { txHash }), repeat(6, { txHash, cause: 'detector 2 b' }));
    expect([...incidentsOf(worse)]).toEqual([expect.not.stringMatching(uid!)]);
    const later = await raise(repeat(7 + repeatGapMs / 1000));
    expect([uid, worse[0]!.incident?.uid]).not.toContain(later[0]!.incident?.uid);
    await world.ok('PUT', `incident/${later[0]!.incident?.uid}`, { status: 'RESOLVED' });
    const [again] = await raise(repeat(8 + repeatGapMs / 1000));
    expect(again!.incident?.uid).not.toBe(later[0]!.incident?.uid);
  });

  it('is one and counts right, however many raise its alerts side by side and repeat them', async () => {
    const txHash = `0xee${count}`;
    const findings = Array.from({ length: 12 }, (_, n) =>
      finding({ cause: `detector ${n % 3} c`, txHash: n < 6 ? txHash : `0xff${count}` }),
    );
    await prepareRaise(world.store, findings);
    const batches = [findings.slice(0, 4), findings.slice(2, 8), findings.slice(6), findings];
    await Promise.all(batches.map((batch) => world.store.transaction((tx) => raiseAlerts(tx, batch))));
    const { data } = await world.ok('POST', 'incident/search', { where: `firstAt = ${now}` });
    expect(data.reduce((sum: number, { alerts }: Json) => sum + alerts, 0)).toBe(12);
    expect(data.filter(({ txHashes }: Json) => txHashes.includes(txHash))).toHaveLength(1);
  });

  it('an incident of one alert has no row of its own until it grows or changes, and reads like any other', async () => {
    const { id: tenantId } = await world.ok('POST', 'tenant', { name: 'Lone' });
    const raised = await raise(
      ...[0, 1, 2, 3].map((n) => finding({ tenantId, txHash: `0x33${n}`, timestamp: now + n })),
    );
    const uids = raised.map(({ incident }) => incident!.uid);
    const [oldest, second, third, newest] = uids as [string, string, string, string];
    const rows = () =>
      world.store.query<{ uid: string }>(
        sql`select uid::text from incident where uid = any(${uids}::uuid[])`,
      );
    expect(raised.map(({ uid, incident }) => incident?.uid === uid && incident.number)).toEqual([1, 1, 1, 1]);
    expect(await rows()).toEqual([]);
    // The digest to which the upgrade turned earlier keys.
    const keys = (txHash: string, owner = tenantId) =>
      world.store.query(
        sql`select incident_uid::text as uid from incident_key where key = encode(substring(
          sha256(convert_to(${`${owner} transaction ethereum ${txHash}`}, 'UTF8')) from 1 for 16), 'hex')::uuid`,
      );
    const { id: other } = await world.ok('POST', 'tenant', { name: 'Purged' });
    const [old] = await raise(finding({ tenantId: other, txHash: '0x33a', timestamp: now - 8 * 86_400_000 }));
    expect(await keys('0x33a', other)).toEqual([{ uid: old!.uid }]);
    await purgeIncidentKeys(world.store, now - 7 * 86_400_000);
    expect(await keys('0x33a', other)).toEqual([]);
    expect(await keys('0x330')).toEqual([{ uid: oldest }]);
    const [grown] = await raise(finding({ tenantId, txHash: '0x330', timestamp: now + 9, severity: 'HIGH' }));
    expect(grown!.incident).toEqual({ uid: oldest, number: 2 });
    const { createdAt, updatedAt, id, alertList, ...lone } = await read(third);
    expect(lone).toEqual({
      uid: third,
      tenantId,
      severity: 'MEDIUM',
      numericSeverity: 50,
      status: 'UNRESOLVED',
      name: raised[2]!.finding.name,
      message: 'Found.',
      alerts: 1,
      openAlerts: 1,
      chainUid: 'ethereum',
      contractIds: [world.contractId],
      txHashes: ['0x332'],
      firstAt: now + 2,
      lastAt: now + 2,
      acknowledged: false,
      acknowledgedAt: null,
      acknowledgedBy: null,
      acknowledgedById: null,
      acknowledgedUntil: null,
      assigneeId: null,
      disposition: null,
      dispositionReason: null,
    });
    expect(createdAt).toBe(updatedAt);
    expect(alertList.map(({ uid }: Json) => uid)).toEqual([third]);
    await world.ok('PUT', `incident/${second}`, { status: 'RESOLVED' });
    expect((await rows()).map(({ uid }) => uid).toSorted()).toEqual([oldest, second].toSorted());
    await world.ok('PUT', `alert/${third}`, { status: 'RESOLVED' });
    expect(await read(third)).toMatchObject({ id, createdAt, openAlerts: 0, status: 'RESOLVED' });

    const where = `tenantId = ${tenantId}`;
    const order = [oldest, newest, third, second];
    const page = async (search: object) =>
      (await world.ok('POST', 'incident/search', { where, ...search })).data.map(({ uid }: Json) => uid);
    expect([...(await page({ size: 3 })), ...(await page({ from: 3, size: 3 }))]).toEqual(order);
    expect(await page({ sort: [{ field: 'firstAt' }] })).toEqual(uids);
    expect(await page({ where: `${where} and alerts = 1 and status = 'UNRESOLVED'` })).toEqual([newest]);
    expect(await world.ok('POST', 'incident/search', { where, size: 0, trackTotal: true })).toMatchObject({
      total: 4,
    });
    const viewer = { token: await world.token(tenantId, 'tenant-viewer') };
    const listed = await world.ok('GET', 'incident?from=1&size=9', undefined, viewer);
    expect(listed.data.map(({ uid }: Json) => uid)).toEqual(order.slice(1));
    const lines = { ...viewer, headers: { accept: 'application/x-ndjson' } };
    const { text } = await world.call('POST', 'incident/search?columns=uid', {}, lines);
    expect(text.trim().split('\n')).toEqual(order.map((uid) => JSON.stringify({ uid })));
    const stranger = { token: await world.token(world.tenantId, 'tenant-manager') };
    expect((await world.call('GET', `incident/${newest}`, undefined, stranger)).status).toBe(404);
    expect((await world.call('PUT', `incident/${newest}`, { status: 'RESOLVED' }, stranger)).status).toBe(
      404,
    );
  });

  it('counts right when it grows while its only alert is resolved or retracted', async () => {
    const lone = (n: number) =>
      finding({ txHash: `0x44${n}`, blockNumber: n, blockHash: `0x44${n}`, timestamp: now + n });
    const first = await raise(...[0, 1, 2, 3, 4, 5].map(lone));
    await Promise.all(
      first.flatMap(({ incident }, n) => [
        raise(finding({ txHash: `0x44${n}`, timestamp: now + 10 })),
        n % 2 === 0
          ? world.ok('PUT', `alert/${incident?.uid}`, { status: 'RESOLVED' })
          : world.store.transaction((tx) =>
              retractBlocks(tx, {
                chainUid: 'ethereum',
                blocks: [{ number: n, hash: `0x44${n}` }],
                now: world.now(),
              }),
            ),
      ]),
    );
    for (const [n, { incident }] of first.entries())
      expect(await read(incident?.uid)).toMatchObject(
        n % 2 === 0 ? { alerts: 2, openAlerts: 1 } : { alerts: 1, openAlerts: 1, name: expect.any(String) },
      );
    // The same block again: what came back is counted once more.
    const [again] = await raise(first[1]!.finding);
    expect(again!.incident).toEqual({ uid: first[1]!.uid, number: 2 });
    expect(await read(again!.incident?.uid)).toMatchObject({ alerts: 2, openAlerts: 2 });
  });

  it('an incident of one alert in a block that is dropped and comes back is the same one again', async () => {
    const only = finding({ txHash: null, blockNumber: 7, blockHash: '0x557' });
    const [first] = await raise(only);
    await world.store.transaction((tx) =>
      retractBlocks(tx, { chainUid: 'ethereum', blocks: [{ number: 7, hash: '0x557' }], now: world.now() }),
    );
    expect(await read(first!.uid)).toMatchObject({ alerts: 0, openAlerts: 0, status: 'RETRACTED' });
    const [again] = await raise(only);
    expect(again!.incident).toEqual({ uid: first!.uid, number: 1 });
    expect(await read(first!.uid)).toMatchObject({ alerts: 1, openAlerts: 1, status: 'UNRESOLVED' });
  });

  it('is retracted with its last block, and comes back when its transaction is in another one', async () => {
    const txHash = `0x11${count}`;
    const inBlock = (number: number, members: Partial<Finding> = {}) =>
      finding({ txHash, blockNumber: number, blockHash: `0x${number}`, timestamp: now + number, ...members });
    const [first] = await raise(inBlock(1, { severity: 'CRITICAL' }), inBlock(2, { severity: 'LOW' }));
    const uid = first!.incident?.uid;
    const retract = (number: number) =>
      world.store.transaction((tx) =>
        retractBlocks(
          tx,
          { chainUid: 'ethereum', blocks: [{ number, hash: `0x${number}` }], now: world.now() },
          [createNotifyOnRetractions({ now: world.now })],
        ),
      );
    await retract(1);
    expect(await read(uid)).toMatchObject({ alerts: 1, severity: 'LOW', status: 'UNRESOLVED' });
    await retract(2);
    expect(await read(uid)).toMatchObject({ alerts: 0, openAlerts: 0, status: 'RETRACTED' });
    expect((await world.call('PUT', `incident/${uid}`, { status: 'RESOLVED' })).status).toBe(409);
    const [again] = await raise(inBlock(3, { severity: 'HIGH' }));
    expect(again!.incident?.uid).toBe(uid);
    expect(await read(uid)).toMatchObject({ alerts: 1, severity: 'HIGH', status: 'UNRESOLVED' });
  });
});

async function makeDue(): Promise<void> {
  await world.store.query(
    sql`with due as (update delivery_queue set next_attempt_at = 0 returning tenant_id, id)
      update delivery d set next_attempt_at = 0 from due where d.tenant_id = due.tenant_id and d.id = due.id`,
  );
}

describe('people', () => {
  it('get one message about an incident, later ones together, worse ones at once, and one when it is resolved', async () => {
    const hook = (await world.addDestination('/every')).id;
    const { id: mail } = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'EMAIL',
      value: 'people@example.com',
    });
    await world.confirmAll();
    await world.bind(hook, mail);
    const worker = world.work();
    const { detectorId } = world;
    const repeat = (seconds: number, severity: Finding['severity']) =>
      finding({
        detectorId,
        cause: 'detector 9 m',
        txHash: `0x22${count}`,
        timestamp: now + seconds,
        severity,
        name: severity,
      });
    const [first] = await raise(repeat(0, 'LOW'), repeat(1, 'MEDIUM'), repeat(2, 'LOW'));
    await until(() => mails.length === 1);
    expect(mails).toEqual(['[MEDIUM] MEDIUM · Treasury on ethereum (3 alerts)']);
    await raise(repeat(3, 'MEDIUM'));
    await raise(repeat(4, 'LOW'));
    await raise(repeat(5, 'HIGH'));
    await until(() => mails.length === 2);
    expect(mails[1]).toBe('[HIGH] HIGH · Treasury on ethereum after mail 1');
    const pending = async () => (await world.deliveries(mail, 'size=100&state=PENDING')).data;
    // What was sent is settled a moment later.
    await until(async () => (await pending()).length === 2);
    const held = await pending();
    expect(new Set(held.map(({ nextAttemptAt }: Json) => nextAttemptAt)).size).toBe(1);
    expect(held[0].nextAttemptAt - world.now()).toBeGreaterThan(4 * 60_000);
    await until(async () => (await world.deliveries(hook, 'size=100&state=DELIVERED')).data.length === 6);
    await makeDue();
    worker.wake();
    await until(() => mails.length === 3);
    expect(mails[2]).toBe('[MEDIUM] MEDIUM · Treasury on ethereum (2 alerts) after mail 2');
    await world.ok('PUT', `incident/${first!.incident?.uid}`, { status: 'RESOLVED' });
    await until(() => mails.length === 4);
    expect(mails[3]).toMatch(/^Resolved: .* \(6 alerts\) after mail 3$/);
    expect(await read(first!.incident?.uid)).toMatchObject({ openAlerts: 0, status: 'RESOLVED' });
    expect(world.errors).toEqual([]);
  });

  it('are alarmed once by a robbery: what names no transaction, what traces show later, and what the same thief takes elsewhere', async () => {
    mails.length = 0;
    const { id: mail } = await world.ok('POST', 'destination', {
      tenantId: world.tenantId,
      type: 'EMAIL',
      value: 'robbed@example.com',
    });
    await world.confirmAll();
    await world.bind(mail);
    const worker = world.work();
    const { detectorId } = world;
    const thief = `0x${'7a'.repeat(20)}`;
    const gang = `0x${'7b'.repeat(20)}`;
    const blockHash = `0x66${count}`;
    const loss = (name: string, seconds: number, members: Partial<Finding> = {}) =>
      finding({
        detectorId,
        name,
        severity: 'HIGH',
        timestamp: now + seconds * 1000,
        cause: name,
        ...members,
      });
    const [drop] = await raise(
      loss('Drop', 0, { txHash: null, blockHash, severity: 'CRITICAL' }),
      loss('Balance', 0, { txHash: null, blockHash }),
      // What else happened in the block is no part of it.
      loss('Transfer', 0, { txHash: '0x6610', blockHash, severity: 'LOW' }),
    );
    await until(() => mails.length > 0);
    // Traces come, then the thief goes on with another account of a gang that shares his contract, and another one pays into it.
    const [drain] = await raise(
      loss('Drain', 0, { txHash: '0x6611', blockHash, severity: 'CRITICAL', actors: [thief, gang] }),
      loss('Reentrancy', 0, { txHash: '0x6611', blockHash, actors: [thief, gang] }),
    );
    const [second] = await raise(
      loss('Drain', 90, { txHash: '0x6612', blockHash: '0x67', actors: ['0x1', gang] }),
    );
    const [stolen] = await raise(
      loss('Theft', 150, { txHash: '0x6613', blockHash: '0x68', actors: ['0x2', '0x1'] }),
    );
    expect(incidentsOf([drop!, drain!, second!, stolen!]).size).toBe(1);
    const incident = await read(drop!.incident?.uid);
    expect(incident).toMatchObject({
      alerts: 6,
      severity: 'CRITICAL',
      txHashes: ['0x6611', '0x6612', '0x6613'],
    });
    expect(mails).toHaveLength(1);
    // Another thief minutes later, and the same one an hour later, are news.
    const [other] = await raise(
      loss('Other', 160, { txHash: '0x6614', blockHash: '0x69', actors: [`0x${'7c'.repeat(20)}`] }),
    );
    const [late] = await raise(loss('Late', 4_000, { txHash: '0x6615', blockHash: '0x70', actors: [thief] }));
    expect(incidentsOf([drop!, other!, late!]).size).toBe(3);
    await until(async () => (await world.deliveries(mail, 'state=DELIVERED')).data.length === 5);
    const news = mails.length;
    await makeDue();
    worker.wake();
    await until(() => mails.length > news);
    expect(mails.slice(news)).toEqual([
      expect.stringMatching(/^\[CRITICAL\] Drain .*\(4 alerts\) after mail 1$/),
    ]);
    expect(world.errors).toEqual([]);
  });

  it('are alarmed once by a loss that a pending transaction announced', async () => {
    const own = { severity: 'HIGH' as const, contractId: world.contractId, cause: 'a' };
    const [pending] = await raise(finding({ ...own, txHash: '0x6620', isPending: true }));
    const [drop] = await raise(
      finding({ ...own, txHash: null, blockHash: '0x6620', cause: 'b', timestamp: now + 12_000 }),
    );
    const [traced] = await raise(
      finding({ ...own, txHash: '0x6620', blockHash: '0x6620', cause: 'c', timestamp: now + 12_000 }),
    );
    expect(incidentsOf([pending!, drop!, traced!]).size).toBe(1);
  });

  it('have a chat message that grows with its incident, and get another one for what is worse or when it cannot be edited', async () => {
    const { id } = await world.ok('POST', 'destination', { tenantId: world.tenantId, type: 'MESSENGER_A' });
    messenger.say({ id: -7, type: 'group', title: 'Security' }, 'hello');
    await world.store.query(
      sql`update destination set messenger_a_chat_id = '-7', group_window_ms = 0 where id = ${id}`,
    );
    await world.bind(id);
    const worker = world.work();
    const { detectorId } = world;
    const repeat = (severity: Finding['severity'], members: Partial<Finding> = {}) =>
      raise(finding({ detectorId, cause: 'detector 9 grows', txHash: `0x33${count}`, severity, ...members }));
    /** Makes due what is held, and waits until everything is settled. */
    const settle = async () => {
      await makeDue();
      worker.wake();
      await until(async () => (await world.deliveries(id, 'state=PENDING')).data.length === 0);
    };
    const titles = () => messenger.sent.map(({ text }) => text.split('\n', 1)[0]!.replace(/^\S+ /, ''));
    await repeat('MEDIUM');
    await settle();
    await repeat('LOW', { name: 'Low' });
    // It may have been sent already.
    const [held] = (await world.deliveries(id)).data;
    expect((held.nextAttemptAt ?? 0) - world.now()).toBeLessThan(20_000);
    await settle();
    const grown = expect.stringMatching(/^\[MEDIUM\] .* \(2 alerts\)$/);
    expect(titles()).toEqual([grown]);
    expect(messenger.sent[0]!.text).toContain('[LOW] Low');
    // The result of an edit is lost: it is made again, and found made.
    await world.store.query(
      sql`with again as (
          update delivery d set state = 'PENDING' from delivery_message m
          where d.destination_id = ${id} and m.id = d.message_id and m.data->>'name' = 'Low' returning d.*)
        insert into delivery_queue (tenant_id, id, destination_id, message_id, next_attempt_at)
        select tenant_id, id, destination_id, message_id, 0 from again`,
    );
    await settle();
    expect(messenger.edited).toHaveLength(1);
    await repeat('HIGH', { name: 'Worse' });
    await settle();
    const worse = expect.stringMatching(/^\[HIGH\] Worse/);
    expect(titles()).toEqual([grown, worse]);
    await repeat('HIGH');
    await settle();
    expect(titles()).toEqual([grown, expect.stringMatching(/^\[HIGH\] .* \(4 alerts\)$/)]);
    // Another incident does not go into it, and what can no longer be edited is followed by another message.
    await raise(finding({ detectorId, txHash: `0x44${count}`, name: 'Other' }));
    await settle();
    messenger.age();
    await repeat('LOW');
    await settle();
    expect(titles()).toEqual([
      grown,
      expect.anything(),
      expect.stringContaining('Other'),
      expect.stringContaining('[LOW]'),
    ]);
    expect(messenger.edited).toHaveLength(2);
    expect(world.errors).toEqual([]);
  });
});
