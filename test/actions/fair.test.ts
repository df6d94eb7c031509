import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createSandbox } from '../../src/scripts/sandbox.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { addGuard, type Guard } from './support/addGuard.ts';
import { type SimulatedWorld, startSimulatedWorld } from './support/startSimulatedWorld.ts';

const loop = '(() => { for (; e.meta; ); })()';
const samples = 5;

describe('intents of one tenant', () => {
  let world: SimulatedWorld;
  let honest: Guard;
  let hostile: Guard;
  // As many workers, and as few for each tenant, as the program has.
  const sandbox = createSandbox({ workers: 2, workersPerOwner: 1 });

  beforeAll(async () => {
    world = await startSimulatedWorld();
    const { vigil, chain } = world;
    const tenant = async (name: string) => (await vigil.ok('POST', 'tenant', { name })).id;
    const action = { fireAt: 'head' };
    hostile = await addGuard(vigil, { tenantId: await tenant('Hostile'), action });
    honest = await addGuard(vigil, { tenantId: await tenant('Honest'), action });
    chain.extend(1);
    vigil.act({ runScripts: sandbox.run });
  });
  afterAll(async () => {
    await world?.stop();
    await sandbox.close();
  });

  /** From the alert until the call is signed, in milliseconds. */
  async function signedAfter(): Promise<number> {
    const [number] = await honest.raise(1);
    const find = () =>
      world.vigil.store.query<{ ms: number | null }>(
        sql`with raised as materialized (select t.tenant_id, t.uid from alert t where t.eid = ${String(number)})
          select i.signed_at - i.created_at as ms from action_intent i
          join raised t on t.tenant_id = i.tenant_id and t.uid = i.alert_uid`,
      );
    await until(async () => (await find())[0]?.ms != null);
    return (await find())[0]!.ms!;
  }

  async function median(): Promise<number> {
    const measured: number[] = [];
    for (let n = 0; n < samples; n++) measured.push(await signedAfter());
    return measured.sort((one, other) => one - other)[Math.floor(samples / 2)]!;
  }

  it('intents of one tenant whose filters never end delay no other tenant, and end with a reason', async () => {
    const { vigil } = world;
    await signedAfter();
    const quiet = await median();
    // Each in an action of its own, so that none is stopped for what another did.
    const actions: Json[] = [];
    for (let n = 0; n < 15; n++)
      actions.push(
        await vigil.ok('POST', 'action', {
          contractId: hostile.contractId,
          walletId: hostile.walletId,
          name: `Loop ${n}`,
          funcSignature: 'pause()',
          fireAt: 'head',
          detectors: [{ detectorId: hostile.detectorId, scriptFilter: loop }],
        }),
      );
    await vigil.ok('PUT', `action/${hostile.actionId}`, { detectors: [] });
    await hostile.raise(7);
    const busy = await median();
    const [left] = await vigil.store.query<{ count: number }>(
      sql`select count(*)::int as count from action_intent where state = 'WAITING' and action_id <> ${honest.actionId}`,
    );
    console.log(
      `alert to signed call: quiet ${quiet} ms, beside 105 looping filters ${busy} ms, ${left!.count} of these left`,
    );
    // A floor, because on a busy machine a few milliseconds are noise.
    expect(busy).toBeLessThanOrEqual(Math.max(2 * quiet, 300));
    const ended = async () =>
      vigil.store.query<{ state: string; reason: string; count: number }>(
        sql`select state, left(reason, 16) as reason, count(*)::int as count from action_intent
          where action_id = any(${actions.map(({ id }) => Number(id))}) group by 1, 2 order by 2`,
      );
    await until(async () => (await ended()).every(({ state }) => state === 'FAILED'));
    expect(await ended()).toEqual([
      { state: 'FAILED', reason: 'The filter fails', count: 45 },
      { state: 'FAILED', reason: 'The scripts ran ', count: 60 },
    ]);
  });
});
