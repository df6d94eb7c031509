import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import type { Finding } from '../../src/model/alert.ts';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let alice: { id: number; token: string };
beforeAll(async () => {
  world = await startNotifyWorld();
  const user = await world.ok('POST', 'user', {
    tenantId: world.tenantId,
    email: 'alice@example.com',
    name: 'Alice',
    roles: ['tenant-user'],
    password: 'correct horse battery',
  });
  const session = await world.ok('POST', 'auth/login', {
    email: 'alice@example.com',
    password: 'correct horse battery',
  });
  alice = { id: user.id, token: session.token };
});
afterAll(() => world?.stop());

let count = 0;
const finding = (members: Partial<Finding> = {}): Finding => ({
  tenantId: world.tenantId,
  projectId: 1,
  contractId: world.contractId,
  detectorId: world.detectorId,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'MEDIUM',
  timestamp: world.now() - 60_000,
  key: `acknowledged ${++count}`,
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

const as = () => ({ token: alice.token });
const alertOf = (uid: string): Promise<Json> => world.ok('GET', `alert/${uid}`);
const incidentOf = (uid: string): Promise<Json> => world.ok('GET', `incident/${uid}`);
const found = async (query: string): Promise<string[]> =>
  (await world.ok('POST', 'alert/search', { query, size: 100 })).data.map(({ uid }: Json) => uid);

describe('An alert', () => {
  it('is acknowledged by a user, found so, reported to webhooks, and unacknowledged again', async () => {
    const receiver = await world.addDestination('/acknowledged');
    await world.bind(receiver.id);
    const worker = world.work();
    const [uid] = await world.push({ severity: 'HIGH' });
    const messages = () =>
      world.sink.received.filter(({ path }) => path === '/acknowledged').map(({ body }) => body);
    await until(() => messages().length === 1);
    const alert = await world.ok('POST', `alert/${uid}/acknowledge`, { note: 'I look into it.' }, as());
    const members = {
      acknowledged: true,
      acknowledgedAt: expect.any(Number),
      acknowledgedBy: 'Alice',
      acknowledgedById: alice.id,
      acknowledgedUntil: null,
    };
    expect(alert).toMatchObject({ uid, status: 'UNRESOLVED', ...members });
    expect(await alertOf(uid!)).toMatchObject(members);
    expect(await found(`uid:"${uid}" AND acknowledged:true`)).toEqual([uid]);
    expect(await found(`uid:"${uid}" AND acknowledged:false`)).toEqual([]);
    expect(await found(`uid:"${uid}" AND acknowledgedBy:Alice`)).toEqual([uid]);
    expect((await world.ok('GET', `alert/${uid}/comment`)).data).toMatchObject([
      { author: 'Alice', text: 'I look into it.' },
    ]);
    await until(() => messages().length === 2);
    expect(messages()[1]).toMatchObject({ type: 'alert.updated', data: { uid, ...members } });
    const { data: entries } = await world.ok('GET', `audit?tenantId=${world.tenantId}&size=20`);
    expect(entries.find(({ action }: Json) => action === 'alert.acknowledge')).toMatchObject({
      actor: { userId: alice.id },
      changes: { uid, acknowledged: { before: false, after: true }, note: 'I look into it.' },
    });

    expect(await world.ok('DELETE', `alert/${uid}/acknowledge`, undefined, as())).toMatchObject({
      acknowledged: false,
      acknowledgedAt: null,
      acknowledgedBy: null,
    });
    expect(await found(`uid:"${uid}" AND acknowledged:true`)).toEqual([]);
    await until(() => messages().length === 3);
    expect(messages()[2]).toMatchObject({ type: 'alert.updated', data: { uid, acknowledged: false } });
    await worker.stop();
  });

  it('unacknowledges a snoozed alert when the time has passed, by the clock alone', async () => {
    const [uid] = await world.push({});
    const end = Date.now() + 400;
    await world.ok('POST', `alert/${uid}/acknowledge`, { until: end }, as());
    await until(async () => !(await alertOf(uid!)).acknowledged);
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect(await found(`uid:"${uid}" AND acknowledged:true`)).toEqual([]);
    expect(await alertOf(uid!)).toMatchObject({ acknowledgedBy: 'Alice', acknowledgedUntil: end });
  });

  it('refuses alerts of other tenants like missing ones, and times that are wrong, and changes nothing', async () => {
    const [uid] = await world.push({});
    const { id: tenantId } = await world.ok('POST', 'tenant', { name: 'Stranger' });
    const token = await world.token(tenantId, 'tenant-manager');
    const foreign = await world.call('POST', `alert/${uid}/acknowledge`, {}, { token });
    const missing = await world.call('POST', `alert/${uid!.replace(/.$/, '')}0/acknowledge`, {}, { token });
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(foreign.body.detail).toBe(missing.body.detail);
    const viewer = await world.token(world.tenantId, 'tenant-viewer');
    expect((await world.call('POST', `alert/${uid}/acknowledge`, {}, { token: viewer })).status).toBe(403);
    for (const wrong of [Date.now() - 1000, Date.now() + 400 * 86_400_000]) {
      const { status, body } = await world.call('POST', `alert/${uid}/acknowledge`, { until: wrong }, as());
      expect([status, body.errors[0].pointer]).toEqual([422, '/until']);
    }
    expect(await alertOf(uid!)).toMatchObject({ acknowledged: false });
  });
});

describe('An incident', () => {
  it('covers its alerts and those that come later, until one is worse than all before', async () => {
    const txHash = `0xaa${++count}`;
    const [first] = await raise(finding({ txHash, severity: 'HIGH' }));
    const uid = first!.incident!.uid;
    const acknowledged = await world.ok('POST', `incident/${uid}/acknowledge`, { note: 'Known.' }, as());
    expect(acknowledged).toMatchObject({
      acknowledged: true,
      acknowledgedBy: 'Alice',
      acknowledgedById: alice.id,
    });
    expect(await alertOf(first!.uid)).toMatchObject({ acknowledged: true });
    const later = await raise(finding({ txHash, severity: 'HIGH' }), finding({ txHash, severity: 'LOW' }));
    for (const { uid: alertUid } of later)
      expect(await alertOf(alertUid)).toMatchObject({ acknowledged: true, acknowledgedBy: 'Alice' });
    expect(await incidentOf(uid)).toMatchObject({ acknowledged: true, alerts: 3 });

    const [worse] = await raise(finding({ txHash, severity: 'CRITICAL' }));
    expect(await alertOf(worse!.uid)).toMatchObject({ acknowledged: false });
    expect(await incidentOf(uid)).toMatchObject({ acknowledged: false, severity: 'CRITICAL' });
    expect(await alertOf(first!.uid)).toMatchObject({ acknowledged: true });
    const [after] = await raise(finding({ txHash, severity: 'LOW' }));
    expect(await alertOf(after!.uid)).toMatchObject({ acknowledged: false });

    const where = `uid = '${uid}' and acknowledged = false`;
    expect((await world.ok('POST', 'incident/search', { where })).data).toHaveLength(1);
    await world.ok('POST', `incident/${uid}/acknowledge`, {}, as());
    expect(await found(`incidentUid:"${uid}" AND acknowledged:false`)).toEqual([]);
    await world.ok('DELETE', `incident/${uid}/acknowledge`, undefined, as());
    expect(await found(`incidentUid:"${uid}" AND acknowledged:true`)).toEqual([]);
  });

  it('has an owner and a disposition with a reason, and the detector shows what people made of its alerts', async () => {
    const { id: schemaId } = (await world.ok('POST', 'detector/schema/search', { size: 1 })).data[0];
    const { contractId } = world;
    const made = { contractId, schemaId, name: 'Judged', source: 'EXTERNAL' };
    const { id: detectorId } = await world.ok('POST', 'detector', made);
    const quality = () => world.ok('GET', `detector/${detectorId}/quality`, undefined, as());
    expect(await quality()).toMatchObject({ precision: null, total: 0, acknowledged: 0, medianMs: null });
    const at = world.now() - 100_000;
    const raised = [];
    for (const offset of [0, 20_000, 40_000, 60_000, 80_000])
      raised.push(
        ...(await raise(finding({ txHash: `0xbb${++count}`, detectorId, timestamp: at + offset }))),
      );
    const uids = raised.map(({ incident }) => incident!.uid);
    const dispositions = ['TRUE', 'TRUE', 'BENIGN', 'KNOWN', 'TEST'];
    for (const [index, uid] of uids.entries()) {
      const body = { disposition: dispositions[index], dispositionReason: 'Seen.', assigneeId: alice.id };
      expect(await world.ok('PUT', `incident/${uid}`, body, as())).toMatchObject({
        ...body,
        status: 'UNRESOLVED',
      });
    }
    for (const { uid } of raised.slice(0, 3)) await world.ok('POST', `alert/${uid}/acknowledge`, {}, as());
    const judged = { TRUE: 2, BENIGN: 1, KNOWN: 1, TEST: 1 };
    const shown = await quality();
    expect(shown).toMatchObject({ precision: 0.5, total: 5, judged, acknowledged: 3 });
    expect(shown.medianMs).toBeGreaterThanOrEqual(80_000);
    expect(shown.medianMs).toBeLessThan(100_000);
    // Only the first time counts, and a changed mind counts once.
    await world.ok('POST', `alert/${raised[0]!.uid}/acknowledge`, {}, as());
    await world.ok('PUT', `incident/${uids[2]}`, { disposition: 'TRUE' }, as());
    expect(await quality()).toMatchObject({ precision: 0.75, total: 5, acknowledged: 3 });
    expect(await incidentOf(uids[2]!)).toMatchObject({ disposition: 'TRUE', dispositionReason: null });
    await world.ok('PUT', `incident/${uids[2]}`, { disposition: null, assigneeId: null }, as());
    expect(await quality()).toMatchObject({ total: 4 });
    expect(await incidentOf(uids[2]!)).toMatchObject({ disposition: null, assigneeId: null });
    world.advance(91 * 86_400_000);
    expect(await world.ok('GET', `detector/${detectorId}/quality`)).toMatchObject({
      total: 0,
      acknowledged: 0,
    });
    world.advance(-91 * 86_400_000);
  });

  it.each([
    [{ disposition: 'MAYBE' }, 400, '/disposition'],
    [{ dispositionReason: 'Because.' }, 422, '/dispositionReason'],
    [{ assigneeId: 999_999 }, 422, '/assigneeId'],
  ])('refuses %j and stays as it is', async (body, status, pointer) => {
    const [raised] = await raise(finding({ txHash: `0xcc${++count}` }));
    const uid = raised!.incident!.uid;
    const answer = await world.call('PUT', `incident/${uid}`, body, as());
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([status, pointer]);
    expect(await incidentOf(uid)).toMatchObject({ disposition: null, assigneeId: null });
  });
});
