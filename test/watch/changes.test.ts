import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { isWritten } from '../../testing/isWritten.ts';
import type { LogSpec } from '../../testing/simulator/buildBlock.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { newOwner, token, transfer, vault, worldState } from './support/watchedWorld.ts';

const random = createRandom('changes');
const chain = createSimChain({ chainId: 31337, seed: random.seed });
const signature = 'Transfer(address indexed from, address indexed to, uint256 value)';
let simulator: Simulator;
let vigil: TestWatch;
let contractId: number;
beforeAll(async () => {
  simulator = await startSimulator({ chain, state: worldState });
  vigil = await startTestWatch({ anvil: { urls: [simulator.wsUrl] } });
  contractId = await vigil.addContract(token, { name: 'Token' });
  vigil.watch();
  vigil.watch();
  await vigil.reached('anvil', 0);
});
afterAll(async () => {
  await vigil.stop();
  await simulator.stop();
});

/** Makes a block, waits for it and returns the alerts that came of it. */
async function emit(...logs: LogSpec[]): Promise<Json[]> {
  const [block] = chain.extend({ logs });
  await vigil.reached('anvil', block!.number);
  return vigil.alerts(`blockNumber:${block!.number}`);
}

const emitOwner = async () => (await emit(newOwner(random))).map(({ name }) => name as string);
const send = (amount: bigint) => transfer(vault, token, amount);
const faults = (id: number) =>
  vigil.store.query(sql`select kind, message, count from watch_fault where id = ${id} and kind = 'detector'`);

describe('changes of what is watched', () => {
  it('count at once for a detector that is made, changed, disabled, enabled and deleted', async () => {
    expect(await emitOwner()).toEqual([]);
    const id = await vigil.addDetector(contractId, 'ownership_change');
    await vigil.informed();
    expect(await emitOwner()).toEqual(['ownership_change']);
    await vigil.ok('PUT', `detector/${id}`, { name: 'Renamed', config: { severity: 'LOW' } });
    await vigil.informed();
    expect(await emit(newOwner(random))).toMatchObject([{ name: 'Renamed', severity: 'LOW' }]);
    await vigil.ok('PUT', `detector/${id}`, { status: 'DISABLED' });
    await vigil.informed();
    expect(await emitOwner()).toEqual([]);
    await vigil.ok('PUT', `detector/${id}`, { status: 'ACTIVE' });
    await vigil.informed();
    expect(await emitOwner()).toEqual(['Renamed']);
    await vigil.ok('DELETE', `detector/${id}`);
    await vigil.informed();
    expect(await emitOwner()).toEqual([]);
  });

  it('count at once for triggers, contracts, projects and tenants', async () => {
    const made = await vigil.ok('POST', 'trigger', {
      contractId,
      name: 'Moved',
      triggerType: 'ERC20_TRANSFER',
      alerts: [{ severity: 'HIGH', name: 'Tokens moved' }],
    });
    const other = await vigil.addContract(vault, { name: 'Vault' });
    await vigil.addDetector(other, 'large_transfer', { threshold: '1', token });
    await vigil.informed();
    const names = async () => (await emit(send(2n * 10n ** 18n))).map(({ name }) => name as string).sort();
    expect(await names()).toEqual(['Tokens moved', 'large_transfer']);
    const setStatus = (table: 'project' | 'tenant', status: string) =>
      vigil.store.query(
        table === 'project'
          ? sql`update project set status = ${status} where id = ${vigil.projectId}`
          : sql`update tenant set status = ${status} where id = ${vigil.tenantId}`,
      );
    // Something else keeps the chain from being left.
    const elsewhere = await vigil.ok('POST', 'tenant', { name: 'Other' });
    const project = await vigil.ok('POST', 'project', { tenantId: elsewhere.id, name: 'Other' });
    const spare = await vigil.addContract(vault, { projectId: project.id, name: 'Spare' });
    await setStatus('project', 'DISABLED');
    await vigil.informed();
    expect(await names()).toEqual([]);
    await setStatus('project', 'ACTIVE');
    await vigil.informed();
    expect(await names()).toEqual(['Tokens moved', 'large_transfer']);
    await setStatus('tenant', 'DISABLED');
    await vigil.informed();
    expect(await names()).toEqual([]);
    await setStatus('tenant', 'ACTIVE');
    await vigil.ok('DELETE', `contract/${other}`);
    await vigil.informed();
    expect(await names()).toEqual(['Tokens moved']);
    await vigil.ok('DELETE', `trigger/${made.id}`);
    await vigil.ok('DELETE', `contract/${spare}`);
    await vigil.informed();
    expect(await names()).toEqual([]);
  });

  it('a chain on which nothing is watched is left, and taken up at its head when something is again', async () => {
    const lone = await startSimulator({ chain });
    const quiet = await startTestWatch({ anvil: { urls: [lone.url], startBlock: 1 } });
    try {
      const first = await quiet.addContract(token);
      await quiet.addDetector(first, 'ownership_change');
      quiet.watch();
      await quiet.reached('anvil', chain.head.number);
      const before = (await quiet.alerts()).length;
      expect(before).toBeGreaterThan(0);
      await quiet.ok('DELETE', `contract/${first}`);
      const processed = async () => {
        chain.extend(1);
        return (await quiet.ok('GET', 'chain')).data.find(({ chainUid }: Json) => chainUid === 'anvil')
          .processed;
      };
      await until(async () => (await processed()) === null);
      chain.extend([{ logs: [newOwner(random)] }, {}]);
      await quiet.addDetector(await quiet.addContract(token), 'ownership_change');
      await until(async () => (await processed()) !== null);
      const { number } = chain.extend({ logs: [newOwner(random)] })[0]!;
      await quiet.reached('anvil', number);
      expect((await quiet.alerts()).slice(before)).toMatchObject([{ blockNumber: number }]);
    } finally {
      await quiet.stop();
      await lone.stop();
    }
  });

  it('a contract on a chain without an endpoint is reported when it is made, and listed', async () => {
    const made = await vigil.call('POST', 'contract', {
      projectId: vigil.projectId,
      name: 'Far away',
      chainUid: 'ethereum',
      address: token,
    });
    expect(made.status).toBeLessThan(300);
    expect(made.headers.get('warning')).toMatch(/ethereum/i);
    const { data } = await vigil.ok('GET', 'chain');
    const entry = data.find(({ chainUid }: Json) => chainUid === 'ethereum');
    expect(entry).toMatchObject({ configured: false, unwatched: [{ id: made.body.id, name: 'Far away' }] });
  });
});

describe('detectors that fail', () => {
  it('are recorded, reported after three faults in a row, cleared when they work again, and hurt no one else', async () => {
    const good = await vigil.addDetector(contractId, 'custom_event', { signature }, { name: 'Good' });
    const bad: number[] = [];
    for (const expression of [
      "e['no' + 'thing'].at.all > 1",
      '(() => { while (true) {} })()',
      '(() => { const all = []; for (;;) all.push(new Array(100000).fill(1)); })()',
      'e.args.value',
    ])
      bad.push(
        await vigil.addDetector(contractId, 'custom_event', { signature, expression }, { name: 'Bad' }),
      );
    await vigil.informed();
    for (let n = 1; n <= 4; n++) {
      const [block] = chain.extend({ logs: [send(1n)] });
      await vigil.reached('anvil', block!.number);
      expect(await vigil.alerts(`blockNumber:${block!.number}`)).toMatchObject([{ name: 'Good' }]);
      for (const id of bad) expect(await faults(id)).toMatchObject([{ kind: 'detector', count: n }]);
      const told = await vigil.alerts('tags:fault');
      expect(told).toHaveLength(n < 3 ? 0 : bad.length);
    }
    const told = await vigil.alerts('tags:fault');
    expect(new Set(told.map(({ detectorId }) => detectorId))).toEqual(new Set(bad));
    expect(told[0]).toMatchObject({ name: 'Detector fault', contractId });
    for (const id of bad)
      await vigil.ok('PUT', `detector/${id}`, { config: { signature, expression: 'e.args.value === 1n' } });
    await vigil.informed();
    expect(await emit(send(1n))).toHaveLength(1 + bad.length);
    for (const id of bad) expect(await faults(id)).toEqual([]);
    for (const id of [good, ...bad]) await vigil.ok('DELETE', `detector/${id}`);
  });

  it('are reported at once when they cannot even be prepared, and the others go on', async () => {
    const id = await vigil.addDetector(contractId, 'custom_event', { signature }, { name: 'Unfit' });
    const good = await vigil.addDetector(contractId, 'ownership_change');
    await vigil.store.query(
      sql`update detector set config = '{"signature": "not ( an event"}' where id = ${id}`,
    );
    await until(async () => (await faults(id)).length > 0 && isWritten(vigil.store, 'anvil'));
    expect(await vigil.alerts('tags:fault AND name:"Detector fault" AND message:"cannot run"')).toMatchObject(
      [{ detectorId: id }],
    );
    expect(await emitOwner()).toEqual(['ownership_change']);
    await vigil.ok('PUT', `detector/${id}`, { config: { signature } });
    await vigil.informed();
    await emit(send(1n));
    expect(await faults(id)).toEqual([]);
    for (const each of [id, good]) await vigil.ok('DELETE', `detector/${each}`);
  });
});

describe('limits', () => {
  it('a cooldown holds findings back and the next alert says how many', async () => {
    const id = await vigil.addDetector(contractId, 'custom_event', { signature, cooldown: '1 min' });
    await vigil.informed();
    const counts: unknown[] = [];
    // Blocks are twelve seconds apart.
    for (let n = 0; n < 6; n++) counts.push((await emit(send(1n))).map(({ meta }) => meta.heldBack ?? 0));
    expect(counts).toEqual([[0], [], [], [], [], [4]]);
    await vigil.ok('DELETE', `detector/${id}`);
  });

  it('a tag of the detector or its configuration is on its alerts, shadow among them', async () => {
    const id = await vigil.addDetector(
      contractId,
      'custom_event',
      { signature, tags: ['b'] },
      { tags: ['shadow'] },
    );
    await vigil.informed();
    expect(await emit(send(1n))).toMatchObject([{ tags: ['shadow', 'b'] }]);
    await vigil.ok('DELETE', `detector/${id}`);
  });

  it('an alert beyond the plan is stored as suppressed, with one notice', async () => {
    const id = await vigil.addDetector(contractId, 'custom_event', { signature });
    await vigil.informed();
    await vigil.store.query(sql`delete from alert_rate`);
    await vigil.store.query(sql`update plan set detector_rate_limit = 3`);
    await emit(send(1n), send(1n));
    await emit(send(1n), send(1n), send(1n));
    await emit(send(1n));
    const alerts = await vigil.alerts(`detectorId:${id}`);
    // Those of one block are in no particular order.
    expect(alerts.filter(({ suppressed }) => suppressed)).toHaveLength(3);
    expect(alerts).toHaveLength(6);
    expect(alerts.slice(0, 2).map(({ suppressed }) => suppressed)).toEqual([false, false]);
    expect(await vigil.alerts('name:"Alert rate limit reached"')).toHaveLength(1);
    const critical = await vigil.addDetector(contractId, 'custom_event', { signature, severity: 'CRITICAL' });
    await vigil.informed();
    await emit(send(1n), send(1n), send(1n));
    await emit(send(1n), send(1n));
    const worst = await vigil.alerts(`detectorId:${critical}`);
    // A flood of lower ones leaves them the whole limit of the plan.
    expect(worst).toHaveLength(5);
    expect(worst.filter(({ suppressed }) => suppressed)).toHaveLength(2);
    const notices = await vigil.alerts('name:"Alert rate limit reached"');
    expect(notices.map(({ severity, meta }) => [severity, meta.severity])).toEqual([
      ['HIGH', 'MEDIUM'],
      ['CRITICAL', 'CRITICAL'],
    ]);
  });
});
