import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyWrite, type WriteHooks } from '../../src/alerts/applyWrite.ts';
import { settleDueChanges } from '../../src/alerts/planned/startPlannedChanges.ts';
import { prepareRaise } from '../../src/alerts/raiseAlerts.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Finding } from '../../src/model/alert.ts';
import type { AlertWrite } from '../../src/model/alertWrite.ts';
import { createNotifyOnAlerts, createNotifyOnRetractions } from '../../src/notify/notifyOnAlerts.ts';
import { issueToken } from '../../src/services/accounts/issueToken.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
let hooks: WriteHooks;
const safe = '0x8589427373D6D84E98730D7795D8f6f8731FDA16';
const release = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const stranger = '0x00000000000000000000000000000000DeaDBeef';
const hourMs = 3_600_000;
beforeAll(async () => {
  world = await startNotifyWorld();
  await world.addDestination('/pager', { tags: [], gets: [{ minSeverity: 'LOW' }] });
  const hook = createNotifyOnAlerts({ links: world.services.alertLinks, now: Date.now });
  hooks = {
    alertHooks: [hook],
    minedHooks: [],
    retractionHooks: [createNotifyOnRetractions({ now: Date.now })],
  };
});
afterAll(() => world.stop());
beforeEach(() => world.store.query(sql`update planned_change set state = 'CANCELED'`));

let count = 0;
const plan = (members: Json = {}): Promise<Json> => world.ok('POST', 'plannedchange', planBody(members));
const planBody = (members: Json = {}): Json => ({
  contractId: world.contractId,
  name: `Release ${++count}`,
  actors: [safe],
  from: Date.now() - hourMs,
  to: Date.now() + hourMs,
  expected: [{ kind: 'proxy_upgrade', values: { implementation: release } }],
  ...members,
});

const upgrade = (members: Partial<Finding> = {}): Finding => ({
  tenantId: world.tenantId,
  projectId: 1,
  contractId: world.contractId,
  kind: 'detector',
  group: 'SECURITY',
  severity: 'CRITICAL',
  detectorSchemaName: 'proxy_upgrade',
  timestamp: Date.now(),
  key: `upgrade ${++count}`,
  eid: `e${count}`,
  name: 'Proxy upgrade',
  message: 'The vault was upgraded.',
  meta: { implementation: release.toLowerCase(), sender: stranger },
  initiators: [stranger.toLowerCase(), safe.toLowerCase()],
  tags: [],
  chainUid: 'ethereum',
  txHash: `0x${String(count).padStart(64, '0')}`,
  ...members,
});

async function write(...writes: AlertWrite[]): Promise<void> {
  for (const one of writes) if (one.type === 'raise') await prepareRaise(world.store, one.findings);
  await world.store.transaction(async (tx) => {
    for (const one of writes) await applyWrite(tx, hooks, { chainUid: 'ethereum', at: Date.now() }, one);
  });
}
const raise = async (...findings: Finding[]): Promise<Json[]> => {
  await write({ type: 'raise', of: 'blocks', findings });
  const found = await world.ok('POST', 'alert/search', {
    query: findings.map(({ eid }) => `eid:"${eid}"`).join(' OR '),
  });
  return findings.map(({ eid }) => found.data.find((alert: Json) => alert.eid === eid));
};
const pagesFor = async (uid: string): Promise<number> => {
  const rows = await world.store.query<{ count: number }>(
    sql`select count(*) as count from delivery where alert_uid = ${uid}::uuid`,
  );
  return rows[0]!.count;
};

describe('an alert that was planned', () => {
  it('becomes INFO where it matches to the byte, names the change, keeps its own severity in the evidence, and pages no one', async () => {
    const { id, name, state, actors } = await plan();
    expect([state, actors]).toEqual(['OPEN', [safe.toLowerCase()]]);
    const [alert] = await raise(upgrade());
    expect(alert).toMatchObject({
      severity: 'INFO',
      meta: { plannedChange: { id, name, isMatch: true, severity: 'CRITICAL' } },
    });
    expect(alert!.message).toBe(`As planned (${name}): The vault was upgraded.`);
    expect(await pagesFor(alert!.uid)).toBe(0);
    expect((await world.ok('GET', `plannedchange/${id}/alert`)).data).toMatchObject([
      { uid: alert!.uid, expectation: 0, isMatch: true },
    ]);
    const { data } = await world.ok('POST', 'alert/search', { query: `meta.plannedChange.id:${id}` });
    expect(data).toHaveLength(1);
  });

  it('becomes CRITICAL where a value or the actor differs, says how, and pages', async () => {
    await plan();
    const other = upgrade({ severity: 'LOW', meta: { implementation: stranger } });
    const byOther = upgrade({ severity: 'LOW', initiators: [stranger, stranger] });
    const unknown = upgrade({ severity: 'LOW', initiators: [], meta: {} });
    const alerts = await raise(other, byOther, unknown);
    expect(alerts.map(({ severity }) => severity)).toEqual(['CRITICAL', 'CRITICAL', 'CRITICAL']);
    expect(alerts.map(({ meta }) => meta.plannedChange.differences)).toEqual([
      [`implementation is ${stranger} instead of ${release}`],
      [`${stranger} did it instead of ${safe.toLowerCase()}`],
      [
        `no one knows who did it instead of ${safe.toLowerCase()}`,
        `implementation is missing instead of ${release}`,
      ],
    ]);
    expect(alerts[0]!.message).toContain(`implementation is ${stranger} instead of ${release}`);
    expect(await Promise.all(alerts.map(({ uid }) => pagesFor(uid)))).toEqual([1, 1, 1]);
  });

  it('stays as it is outside the window, of another kind, contract or tenant, and from before the change was made', async () => {
    const { createdAt } = await plan();
    const early = upgrade({ severity: 'HIGH', timestamp: createdAt - 1 });
    const late = upgrade({ severity: 'HIGH', timestamp: Date.now() + 2 * hourMs });
    const kind = upgrade({ severity: 'HIGH', detectorSchemaName: 'pause_state' });
    const contract = upgrade({ severity: 'HIGH', contractId: world.contractId + 1 });
    const shadow = upgrade({ severity: 'HIGH', tags: ['shadow'] });
    const alerts = await raise(early, late, kind, contract, shadow);
    for (const { severity, meta } of alerts)
      expect([severity, meta.plannedChange]).toEqual(['HIGH', undefined]);
    const other = await world.ok('POST', 'tenant', { name: `Other ${count}` });
    const [foreign] = await raise(upgrade({ tenantId: other.id, severity: 'HIGH' }));
    expect(foreign).toMatchObject({ severity: 'HIGH' });
  });

  it('takes of an amount until that is spent, over all alerts together, and gives back what is retracted', async () => {
    await plan({ expected: [{ kind: 'large_transfer', amountUpTo: '1000.5' }] });
    const block = { blockNumber: 9, blockHash: `0x${'09'.repeat(32)}` };
    const transfer = (amount: string, members: Partial<Finding> = {}) =>
      upgrade({ detectorSchemaName: 'large_transfer', severity: 'MEDIUM', meta: { amount }, ...members });
    const [first, second] = await raise(transfer('600', block), transfer('400.6'));
    expect([first!.severity, second!.severity]).toEqual(['INFO', 'CRITICAL']);
    expect(second!.meta.plannedChange.differences).toEqual([
      'amount 400.6 together with what came before it is more than 1000.5',
    ]);
    const [exact] = await raise(transfer('400.5'));
    expect(exact!.severity).toBe('INFO');
    await write({ type: 'retractBlocks', blocks: [{ number: 9, hash: block.blockHash }] });
    const [again, odd] = await raise(transfer('600'), transfer('-5'));
    expect([again!.severity, odd!.severity]).toEqual(['INFO', 'CRITICAL']);
  });

  it('is judged again when its block does something else than its pending transaction promised', async () => {
    await plan();
    const txHash = `0x${'ab'.repeat(32)}`;
    const shared = { txHash, place: 'log 0', detectorId: world.detectorId };
    const pending = upgrade({ ...shared, isPending: true });
    await write({ type: 'raise', of: 'pending', findings: [pending] });
    const mined = upgrade({
      ...shared,
      meta: { implementation: stranger },
      blockNumber: 4,
      blockHash: '0x04',
    });
    const [alert] = await raise(mined);
    expect(alert).toMatchObject({ severity: 'CRITICAL', meta: { plannedChange: { isMatch: false } } });
    expect(await pagesFor(alert!.uid)).toBe(1);
  });

  it('is judged as well where another engine pushes it', async () => {
    await plan({ actors: [], expected: [{ kind: 'engine', values: { hash: 'abc' } }] });
    const [same, other] = await world.push(
      { severity: 'HIGH', meta: { hash: 'abc' } },
      { severity: 'HIGH', meta: { hash: 'ABC' } },
    );
    expect((await world.ok('GET', `alert/${same}`)).severity).toBe('INFO');
    expect((await world.ok('GET', `alert/${other}`)).severity).toBe('CRITICAL');
  });
});

describe('a planned change', () => {
  const settle = (now: number) =>
    settleDueChanges({ store: world.store, alertHooks: hooks.alertHooks, now: () => now }, 0);
  const missed = async (id: number): Promise<Json[]> =>
    (
      await world.ok('POST', 'alert/search', {
        query: `meta.plannedChange.id:${id} AND meta.plannedChange.isMissed:true`,
      })
    ).data;

  it('is reported when its window ends without it, once, however many look', async () => {
    const { id, to } = await plan({
      expected: [
        { kind: 'proxy_upgrade', values: { implementation: release } },
        { kind: 'ownership_change', values: { newOwner: safe } },
      ],
    });
    await raise(upgrade());
    await settle(to - 1);
    expect(await missed(id)).toEqual([]);
    await Promise.all([settle(to), settle(to), settle(to)]);
    await settle(to + hourMs);
    const alerts = await missed(id);
    expect(alerts).toMatchObject([
      {
        severity: 'MEDIUM',
        timestamp: to,
        meta: { missing: ['ownership_change'] },
        contractId: world.contractId,
      },
    ]);
    expect(await pagesFor(alerts[0]!.uid)).toBe(1);
    expect((await world.ok('GET', `plannedchange/${id}`)).state).toBe('MISSED');
  });

  it('is settled without an alert once all that it expects has happened', async () => {
    const { id, to } = await plan();
    await raise(upgrade());
    await settle(to);
    expect(await missed(id)).toEqual([]);
    expect((await world.ok('GET', `plannedchange/${id}`)).state).toBe('HAPPENED');
  });

  it('applies only once a second person has confirmed it, where it asks for one', async () => {
    const [anna, bert] = await Promise.all([person('tenant-manager'), person('tenant-manager')]);
    const asked = await world.call('POST', 'plannedchange', planBody({ needsConfirmation: true }), anna);
    expect(asked.body).toMatchObject({ state: 'PENDING', effectiveAt: null, authorId: anna.userId });
    const { id } = asked.body;
    // The administrator's token belongs to no user of the tenant.
    expectProblem(await world.call('POST', 'plannedchange', planBody({ needsConfirmation: true })), 403);
    const [before] = await raise(upgrade({ severity: 'HIGH' }));
    expect(before!.severity).toBe('HIGH');
    const path = `plannedchange/${id}/confirm`;
    expectProblem(await world.call('POST', path, undefined, anna), 403);
    const other = await world.ok('POST', 'tenant', { name: `Others ${count}` });
    const foreign = await world.token(other.id, 'tenant-manager');
    expectProblem(await world.call('POST', path, undefined, { token: foreign }), 404);
    expectProblem(
      await world.call('POST', 'plannedchange/987654321/confirm', undefined, { token: foreign }),
      404,
    );
    const confirmed = await world.ok('POST', path, undefined, bert);
    expect(confirmed).toMatchObject({ state: 'OPEN', confirmedBy: bert.userId });
    expectProblem(await world.call('POST', path, undefined, bert), 409);
    const old = upgrade({ severity: 'HIGH', timestamp: confirmed.effectiveAt - 1 });
    const [early, after] = await raise(old, upgrade({ severity: 'HIGH' }));
    expect([early!.severity, after!.severity]).toEqual(['HIGH', 'INFO']);
    const { data } = await world.ok('GET', `audit?kind=plannedchange&recordId=${id}`);
    expect(data.map(({ action }: Json) => action).sort()).toEqual([
      'plannedchange.confirm',
      'plannedchange.create',
    ]);
  });

  it('applies no more after someone cancels it', async () => {
    const { id } = await plan();
    expect((await world.ok('POST', `plannedchange/${id}/cancel`)).state).toBe('CANCELED');
    const [alert] = await raise(upgrade({ severity: 'HIGH' }));
    expect(alert!.severity).toBe('HIGH');
    expectProblem(await world.call('POST', `plannedchange/${id}/cancel`), 409);
  });

  it.each([
    ['a window that has ended', { to: 5 }, 400, '/to', 'future'],
    ['a window that ends before it begins', { from: Date.now() + 9 * hourMs }, 400, '/to', 'after'],
    ['a window of more than 30 days', { to: Date.now() + 800 * hourMs }, 400, '/to', '30 days'],
    ['an actor that is no address', { actors: ['0x12'] }, 422, '/actors/0', ''],
    ['a contract that is not there', { contractId: 987_654 }, 422, '/contractId', ''],
    ['nothing expected', { expected: [] }, 400, '/expected', ''],
    [
      'an unknown kind',
      { expected: [{ kind: 'proxy_upgrad', values: { a: 'b' } }] },
      400,
      '/expected/0/kind',
      'proxy_upgrade',
    ],
    [
      'a member that its evidence lacks',
      { expected: [{ kind: 'proxy_upgrade', values: { implementatoin: 'b' } }] },
      400,
      '/expected/0/values/implementatoin',
      'did you mean implementation?',
    ],
    [
      'no value and no amount',
      { expected: [{ kind: 'proxy_upgrade' }] },
      400,
      '/expected/0/values',
      'every alert',
    ],
  ])('is refused with the reason where it has %s', async (_, members, status, pointer, words) => {
    const problem = expectProblem(await world.call('POST', 'plannedchange', planBody(members)), status);
    expect(problem.errors[0].pointer).toBe(pointer);
    expect(problem.errors[0].message).toContain(words);
  });
});

/** A user with a key, which counts as the user. */
async function person(role: 'tenant-manager') {
  const { id: userId } = await world.ok('POST', 'user', {
    tenantId: world.tenantId,
    email: `person${++count}@example.com`,
    roles: [role],
  });
  const key = {
    kind: 'API_KEY',
    tenantId: world.tenantId,
    userId,
    label: null,
    roles: [role],
    expiredAt: null,
  } as const;
  return { userId, token: (await issueToken(world.store, key, Date.now())).token };
}
