import { afterEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { blockHashSql } from '../../src/store/search/documents/packedHashes.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { until } from '../../testing/until.ts';
import { chainUid, createSteps, findingIn, type Step, startAt, tenants } from './support/groupSteps.ts';
import { createGroupWorlds, dump, groupOf, run, waiting, written } from './support/groupWorld.ts';
import { createMortalStore, Killed, moments } from './support/mortalStore.ts';

describe('alerts that are written by shard group', () => {
  const random = createRandom('shard groups');
  const { openWorld, createProcess, stop } = createGroupWorlds();
  afterEach(stop);

  it('nothing of the alerts of shard groups is lost, repeated, out of order or notified twice by crashes at every moment', async () => {
    const steps = createSteps(random, 24);
    const plain = await openWorld();
    await run(createProcess(plain), plain, steps);
    const grouped = await openWorld();
    const deaths: string[] = [];
    for (let life = 0; ; life++) {
      const fatal = moments[life % moments.length]!;
      // Each lives longer than the one before, because what those that died early left must be written at once.
      let left =
        fatal === 'within a transaction' ? random.integer(1, 40 + 10 * life) : Math.ceil(1.15 ** life);
      const store = createMortalStore(grouped, (moment) => moment === fatal && --left === 0);
      const writer = createProcess(store, { isGrouped: true });
      const error = await run(writer, store, steps)
        .then(() => written(writer, store))
        .catch((cause: unknown) => cause);
      await writer.stop();
      if (error === undefined) break;
      if (!(error instanceof Killed)) throw error;
      deaths.push(error.message);
    }
    expect(deaths.length).toBeGreaterThan(12);
    expect(new Set(deaths)).toEqual(new Set(moments));
    expect(await verifyRollups(grouped)).toEqual([]);
    const expected = await dump(plain);
    expect(expected.alerts.length).toBeGreaterThan(20);
    expect(await dump(grouped)).toEqual(expected);
  });

  it('findings of a group that cannot be written wait in their order, while others go on', async () => {
    const steps = createSteps(random, 40);
    const plain = await openWorld();
    const grouped = await openWorld();
    let isDown = true;
    const down = 1;
    const plainWriter = createProcess(plain);
    const writer = createProcess(grouped, { isGrouped: true, isDown: (group) => isDown && group === down });
    const up = tenants.filter((id) => groupOf(id) !== down);
    await run(plainWriter, plain, steps.slice(0, 30));
    await run(writer, grouped, steps.slice(0, 30));
    // A step does not wait for long.
    await until(async () => (await waiting(grouped, down)) === (await waiting(grouped)));
    expect(await dump(grouped, up)).toEqual(await dump(plain, up));
    expect((await dump(grouped)).alerts.filter((row) => !up.includes(Number(row.tenant_id)))).toEqual([]);
    expect(await waiting(grouped)).toBeGreaterThan(0);
    isDown = false;
    // It is tried again without another step of the chain.
    await written(writer, grouped);
    expect(await dump(grouped)).toEqual(await dump(plain));
    await run(plainWriter, plain, steps);
    await run(writer, grouped, steps);
    await written(writer, grouped);
    expect(await dump(grouped)).toEqual(await dump(plain));
    expect(await verifyRollups(grouped)).toEqual([]);
  });

  it('an alert that is known to be taken back is never raised without being taken back', async () => {
    const store = await openWorld();
    let isDown = true;
    const block = { number: 1, hash: '0x1b' };
    const steps: Step[] = Array.from({ length: 70 }, (_, n) => ({
      at: startAt + n,
      apply: async () =>
        n < 69
          ? [{ type: 'raise', of: 'blocks', findings: [findingIn(block, n)] } as const]
          : [{ type: 'retractBlocks', blocks: [block] }],
    }));
    const standing: number[] = [];
    const writer = createProcess(
      {
        ...store,
        async transaction(work) {
          const result = await store.transaction(work);
          const rows = await store.query(
            sql`select 1 from alert t where retracted_at is null and ${blockHashSql} is not null`,
          );
          standing.push(rows.length);
          return result;
        },
      },
      { isGrouped: true, isDown: () => isDown },
    );
    await run(writer, store, steps);
    isDown = false;
    await written(writer, store);
    expect(Math.max(...standing)).toBe(0);
    expect((await dump(store)).alerts.filter((row) => row.block_hash !== null).length).toBe(69);
  });

  it('alerts of a block for several groups are written for those that neither fail nor hang', async () => {
    const store = await openWorld();
    const steps: Step[] = Array.from({ length: 5 }, (_, n) => {
      const found = findingIn({ number: n + 1, hash: `0x${n}b` }, n);
      const other = { ...found, tenantId: 2, projectId: 2, contractId: 2 };
      return {
        at: startAt + n,
        apply: async () => [{ type: 'raise', of: 'blocks', findings: [found, other] }],
      };
    });
    const failures: number[] = [];
    let isDown = false;
    const writer = createProcess(store, {
      isGrouped: true,
      isDown: (group) => isDown && group === groupOf(1),
      onGroupFailure: ({ group }) => failures.push(group),
      beforeHooks: (tx, alerts) =>
        tx.query(
          sql`select pg_advisory_xact_lock(tenant_id) from unnest(${alerts.map(({ tenantId }) => tenantId)}::bigint[]) tenant_id
            where tenant_id = 1`,
        ),
    });
    const alertsOf = async (tenantId: number) => (await dump(store, [tenantId])).notified.length;
    const alerts = async () => [await alertsOf(1), await alertsOf(2)];
    await run(writer, store, steps.slice(0, 2));
    expect(await alerts()).toEqual([2, 2]);
    isDown = true;
    await run(writer, store, steps.slice(0, 3));
    await until(async () => (await alertsOf(2)) === 3 && failures.length > 0);
    expect([await alerts(), await waiting(store), failures]).toEqual([[2, 3], 1, [groupOf(1)]]);
    isDown = false;
    await written(writer, store);
    expect(await alerts()).toEqual([3, 3]);
    await store.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(1)`);
      await run(writer, store, steps.slice(0, 4));
      // The chain waits for none longer than a second.
      await until(async () => (await alertsOf(2)) === 4);
      expect([await alerts(), await waiting(store)]).toEqual([[3, 4], 1]);
    });
    await written(writer, store);
    await run(writer, store, steps);
    await written(writer, store);
    expect(await alerts()).toEqual([5, 5]);
    expect(await verifyRollups(store)).toEqual([]);
  });

  it('adds words to the dictionary where the alerts of their tenant are written', async () => {
    const store = await openWorld();
    const writer = createProcess(store, { isGrouped: true, isDown: (group) => group === groupOf(1) });
    const found = findingIn({ number: 1, hash: '0x1b' }, 1);
    const findings = [found, { ...found, tenantId: 2, projectId: 2, contractId: 2 }];
    await writer.prepare(findings);
    await writer.commit(chainUid, async () => ({
      result: undefined,
      writes: [{ type: 'raise', of: 'blocks', findings }],
    }));
    const { alerts, words } = await dump(store);
    const tenantsIn = (rows: readonly { tenant_id?: unknown }[]) =>
      new Set(rows.map(({ tenant_id: id }) => Number(id)));
    expect([tenantsIn(alerts), tenantsIn(words)]).toEqual([new Set([2]), new Set([2])]);
  });
});
