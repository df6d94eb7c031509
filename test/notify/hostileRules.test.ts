import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { retractBlocks } from '../../src/alerts/retractBlocks.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import { createDecideLater, type DecideLater } from '../../src/notify/createDecideLater.ts';
import { createNotifyOnAlerts, createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { startDeciding } from '../../src/notify/startDeciding.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let aheadMs = 0;
const clock = () => Date.now() + aheadMs;
/** The tenant with the dearest rules, and one with an ordinary silence. */
let hostile: { tenantId: number; contractId: number };
let other: { tenantId: number; contractId: number };
let silenceId = 0;
const budgetMs = 20;

beforeAll(async () => {
  world = await startNotifyWorld();
  hostile = world;
  await world.addDestination('/hostile', { tags: ['DEFAULT'] });
  const tenant = await world.ok('POST', 'tenant', { name: 'Neighbours' });
  const project = await world.ok('POST', 'project', { tenantId: tenant.id, name: 'Vault' });
  const contract = { name: 'Pool', chainUid: 'ethereum', address: `0x${'ab'.repeat(20)}` };
  const { id: contractId } = await world.ok('POST', 'contract', { ...contract, projectId: project.id });
  other = { tenantId: tenant.id, contractId };
  const hook = { tenantId: tenant.id, type: 'HTTP', uri: `${world.sink.url}/other`, tags: ['DEFAULT'] };
  await world.ok('POST', 'destination', hook);
  const to = Date.now() + 3_600_000;
  const silence = { to, reason: 'Maintenance' };
  await world.ok('POST', 'silence', { ...silence, tenantId: tenant.id, query: 'tags:noisy' });
  silenceId = (
    await world.ok('POST', 'silence', { ...silence, tenantId: hostile.tenantId, query: 'tags:noisy' })
  ).id;
  // As many as the limit of the cost allows, none of which finds anything.
  for (let n = 0; ; n++) {
    const query = `*${n}zz*y*x* OR message:/(a|b|c)*[d-w]{1,9}${n}/`;
    const answer = await world.call('POST', 'silence', { ...silence, tenantId: hostile.tenantId, query });
    if (answer.status === 422) break;
    expect(answer.status).toBe(201);
  }
});
afterAll(() => world.stop());
beforeEach(async () => {
  aheadMs = 0;
  await world.store.query(sql`truncate delivery, delivery_queue, undecided_alert`);
});

let count = 0;
const words = 'the owner of a vault moved coins to another account without a word '.repeat(20);
const finding = (of: typeof hostile, members: Partial<Finding> = {}): Finding => ({
  tenantId: of.tenantId,
  projectId: 1,
  contractId: of.contractId,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'MEDIUM',
  timestamp: Date.now(),
  key: `hostile ${++count}`,
  eid: `e${count}`,
  name: 'Found',
  message: words,
  meta: { words, more: words },
  tags: [],
  ...members,
});

async function raise(findings: Finding[], budget = budgetMs): Promise<string[]> {
  const hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: clock, budgetMs: budget });
  await prepareRaise(world.store, findings);
  const raised = await world.store.transaction((tx) => raiseAlerts(tx, findings, [hook]));
  return raised.map(({ uid }) => uid);
}
const undecided = async (): Promise<string[]> =>
  (
    await world.store.query<{ uid: string }>(
      sql`select alert_uid::text as uid from undecided_alert order by raised_at, alert_uid`,
    )
  ).map(({ uid }) => uid);
/** Deliveries by alert. */
const sent = async (): Promise<Map<string, number>> =>
  new Map(
    (
      await world.store.query<{ uid: string; count: number }>(
        sql`select alert_uid::text as uid, count(*)::int as count from delivery group by 1`,
      )
    ).map(({ uid, count: times }) => [uid, times]),
  );
const deciding = (over: Partial<{ decide: DecideLater; errors: unknown[] }> = {}) =>
  startDeciding({
    store: world.store,
    decide: over.decide ?? createDecideLater({ links: world.services.alertLinks, now: clock }),
    now: clock,
    onError: (error) => over.errors?.push(error),
  });
const decideAll = async () => {
  const worker = deciding();
  await until(async () => (await undecided()).length === 0, 60_000);
  await worker.stop();
};

describe('the dearest rules that a tenant may have', () => {
  it('leave the alerts of others in the transaction as they are, and their own to be decided apart, each once', async () => {
    const findings = Array.from({ length: 120 }, (_, n) => {
      const tags = n % 4 < 2 ? ['noisy'] : [];
      return finding(n % 2 ? hostile : other, { tags });
    });
    const startedAt = performance.now();
    const uids = await raise(findings);
    console.log(
      `120 alerts, 60 of the tenant, were raised in ${Math.round(performance.now() - startedAt)} ms`,
    );
    const left = await undecided();
    // A whole decision by these rules takes some 20 ms.
    expect(left.length).toBeGreaterThan(20);
    const expected = uids.filter((_, n) => n % 4 >= 2);
    const others = uids.filter((_, n) => n % 2 === 0);
    expect(left.filter((uid) => others.includes(uid))).toEqual([]);
    const before = await sent();
    for (const uid of others) expect(before.get(uid) ?? 0).toBe(expected.includes(uid) ? 1 : 0);
    expect((await world.ok('GET', `alert/${left[0]}/outcome`)).silence).toMatchObject({ code: 'undecided' });
    const workers = [deciding(), deciding()];
    await until(async () => (await undecided()).length === 0, 60_000);
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(await sent()).toEqual(new Map(expected.map((uid) => [uid, 1])));
    const silenced = uids.find((uid, n) => n % 4 === 1 && left.includes(uid));
    expect((await world.ok('GET', `alert/${silenced}/outcome`)).silence).toMatchObject({
      code: 'silenced',
      silences: [{ id: silenceId }],
    });
  });

  it('lose and repeat no alert when its decision dies in the middle', async () => {
    const uids = await raise(
      Array.from({ length: 30 }, () => finding(hostile)),
      0,
    );
    const decide = createDecideLater({ links: world.services.alertLinks, now: clock });
    const errors: unknown[] = [];
    let deaths = 2;
    const dying = deciding({
      errors,
      decide: async (tx, alerts, options) => {
        await decide(tx, alerts, options);
        if (deaths-- > 0) throw new Error('The process dies before the commit.');
      },
    });
    await until(async () => (await undecided()).length === 0, 60_000);
    await dying.stop();
    expect(errors).toHaveLength(2);
    expect(await sent()).toEqual(new Map(uids.map((uid) => [uid, 1])));
  });

  it('tell no one of an alert that was taken back, resolved or answered before it was decided', async () => {
    const inBlock = { chainUid: 'ethereum', blockNumber: 7, blockHash: '0xgone' };
    const findings = [finding(hostile, inBlock), finding(hostile), finding(hostile), finding(hostile)];
    const uids = await raise(findings, 0);
    const [retracted, resolved, answered, told] = uids;
    expect(await undecided()).toHaveLength(4);
    await world.store.transaction((tx) =>
      retractBlocks(tx, { chainUid: 'ethereum', blocks: [{ number: 7, hash: '0xgone' }], now: clock() }, [
        createNotifyOnRetractions({ now: clock }),
      ]),
    );
    expect(await undecided()).not.toContain(retracted);
    await world.ok('PUT', `alert/${resolved}`, { status: 'RESOLVED' });
    await world.ok('POST', `alert/${answered}/acknowledge`, {});
    await decideAll();
    expect(await sent()).toEqual(new Map([[told, 1]]));
  });

  it('hold no alert for longer than a minute: then it notifies without them', async () => {
    const uids = await raise([finding(hostile, { tags: ['noisy'] }), finding(hostile)], 0);
    aheadMs = 61_000;
    await decideAll();
    expect(await sent()).toEqual(new Map(uids.map((uid) => [uid, 1])));
  });
});
