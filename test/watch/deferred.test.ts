import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createSimChain, type SimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { Json } from '../../testing/startTestApi.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';

const guarded = `0x${'11'.repeat(20)}`;
const hostile = `0x${'22'.repeat(20)}`;
const sender = `0x${'33'.repeat(20)}`;
const block = { txs: [guarded, hostile].map((to) => ({ from: sender, to })) };

/** Each is tried in five blocks until it is off, which takes its time on a busy machine. */
const count = Number(process.env.PROVE_LOOPS ?? 4);

const started: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of started.splice(0).reverse()) await item.stop();
});

async function start(isPutOff?: () => boolean): Promise<{ chain: SimChain; vigil: TestWatch }> {
  const chain = createSimChain({ chainId: 31337 });
  const simulator = await startSimulator({ chain });
  started.push(simulator);
  const vigil = await startTestWatch({ anvil: { urls: [simulator.wsUrl], startBlock: 1 } }, undefined, {
    isPutOff,
  });
  started.push(vigil);
  await vigil.store.query(sql`update plan set detector_rate_limit = 1000000000, max_detectors = 1000000`);
  return { chain, vigil };
}

/** A contract of another tenant. */
async function addStranger(vigil: TestWatch, address: string): Promise<number> {
  const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: 'Others' });
  const { id: projectId } = await vigil.ok('POST', 'project', { tenantId, name: 'Others' });
  return vigil.addContract(address, { projectId });
}

/** How long an alert of each of some blocks took, from the block to the stored alert. */
async function latencies(vigil: TestWatch, chain: SimChain, detectorId: number, count: number) {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    const [made] = chain.extend(block);
    await until(async () => {
      const rows = await vigil.store.query(
        sql`select 1 from alert where detector_id = ${detectorId} and block_number = ${made!.number}`,
      );
      return rows.length > 0;
    });
    times.push(performance.now() - startedAt);
    await sleep(150);
  }
  return times.sort((one, other) => one - other);
}

const deferredRows = async ({ store }: TestWatch) =>
  store.query<{ id: number; number: number }>(
    sql`select id, number from deferred_evaluation order by id, number`,
  );

const blocksOf = async ({ store }: TestWatch, detectorId: number) =>
  (
    await store.query<{ number: number }>(
      sql`select block_number as number from alert where detector_id = ${detectorId} and retracted_at is null
        and not 'vigil' = any(tags) order by block_number`,
    )
  ).map(({ number }) => number);

describe('scripts that do not end', () => {
  it('delay no alert of another tenant, are reported, slowed and switched off', async () => {
    const { chain, vigil } = await start();
    const victim = await vigil.addDetector(await vigil.addContract(guarded), 'custom_tx', {
      expression: 'e.value >= 0n',
    });
    vigil.watch();
    chain.extend(block);
    await vigil.reached('anvil', 1);
    const quiet = await latencies(vigil, chain, victim, 8);
    const contractId = await addStranger(vigil, hostile);
    const loops: number[] = [];
    for (let n = 0; n < count; n++) {
      // Some of them cannot even be interrupted.
      const expression = n % 10 === 0 ? `[${n}].indexOf.call({ length: 2 ** 53 - 1 }, 1)` : `for (;;) ${n};`;
      loops.push(await vigil.addDetector(contractId, 'custom_tx', { expression }));
    }
    const beside = await latencies(vigil, chain, victim, 12);
    const [quietMs, besideMs] = [quiet[4]!, beside[6]!];
    console.log(
      `block to alert: quiet ${Math.round(quietMs)} ms (most ${Math.round(quiet.at(-1)!)}), ` +
        `beside ${count} loops ${Math.round(besideMs)} ms (most ${Math.round(beside.at(-1)!)})`,
    );
    expect(besideMs).toBeLessThan(2 * quietMs + 300);
    expect((await deferredRows(vigil)).length).toBeGreaterThan(0);

    const active = async () =>
      (
        await vigil.store.query<{ id: number }>(
          sql`select id from detector where id = any(${loops}) and status = 'ACTIVE'`,
        )
      ).length;
    const begun = performance.now();
    while ((await active()) > 0) {
      if (performance.now() - begun > 120_000) throw new Error(`${await active()} loops are still active.`);
      chain.extend(block);
      await sleep(500);
    }
    console.log(`all loops were off after ${Math.round((performance.now() - begun) / 1000)} s`);
    await vigil.reached('anvil', chain.head.number);
    const [first] = loops;
    const fault = await vigil.ok('GET', `detector/${first}/fault`);
    expect(fault).toMatchObject({ works: false });
    expect(fault.message).toMatch(/^Switched off, because its script did not end .* in 5 blocks in a row\./);
    expect(fault.message).toMatch(/It failed in blocks \d+ to \d+\./);
    const notices = (await vigil.alerts()).filter(({ detectorId }: Json) => loops.includes(detectorId));
    const named = (name: string) =>
      new Set(notices.filter((one) => one.name === name).map((one) => one.detectorId));
    expect(named('Detector fault').size).toBe(count);
    expect(named('Detector switched off').size).toBe(count);
    const audited = await vigil.store.query(
      sql`select 1 from audit_entry where action = 'detector.disable' and record_id = any(${loops})`,
    );
    expect(audited).toHaveLength(count);
    // Nothing of the other tenant was lost, and what was switched off can be switched on again.
    const all = Array.from({ length: chain.head.number }, (_, n) => n + 1);
    expect(await blocksOf(vigil, victim)).toEqual(all);
    await vigil.ok('PUT', `detector/${first}`, { status: 'ACTIVE', config: { expression: 'true' } });
    // The change takes effect within a second, for a later block than the next one on a busy machine.
    await until(async () => {
      chain.extend(block);
      await sleep(200);
      return (await blocksOf(vigil, first!)).length > 0;
    });
    expect(await vigil.ok('GET', `detector/${first}/fault`)).toMatchObject({ works: true });
  });
});

/** As if it had been late for a long time: what is deferred is not due. */
async function holdDeferred({ store }: TestWatch): Promise<void> {
  await store.query(
    sql`create function hold_deferred() returns trigger language plpgsql as $$
      begin new.next_attempt_at = new.next_attempt_at + 3600000; return new; end $$`,
  );
  await store.query(
    sql`create trigger hold_deferred before insert or update on deferred_evaluation for each row execute function hold_deferred()`,
  );
}

const isProcessed = ({ store }: TestWatch, chain: SimChain, number: number) =>
  until(async () => {
    const [row] = await store.query<{ processed: number; hash: string }>(
      sql`select processed, hash from chain_cursor`,
    );
    return row && row.processed >= number && row.hash === chain.at(row.processed)?.hash;
  });

describe('deferred evaluations', () => {
  it('deferred evaluations that are an hour or a thousand blocks late switch their detector off, and its fault names the missed blocks', async () => {
    const { chain, vigil } = await start(() => true);
    const contractId = await vigil.addContract(guarded);
    const config = { expression: 'e.value >= 0n' };
    const late = await vigil.addDetector(contractId, 'custom_tx', config);
    const long = await vigil.addDetector(contractId, 'custom_tx', config);
    await holdDeferred(vigil);
    const watching = vigil.watch();
    chain.extend([block, block, block]);
    await isProcessed(vigil, chain, 3);
    await watching.stop();
    await vigil.store.query(sql`drop trigger hold_deferred on deferred_evaluation`);
    await vigil.store.query(
      sql`update deferred_evaluation set next_attempt_at = 0, created_at = created_at - ${3_600_000}
        where id = ${late}`,
    );
    // The rest of a long backlog, which is never looked at.
    await vigil.store.query(
      sql`insert into deferred_evaluation (chain_uid, kind, id, number, hash, tenant_id, reason, next_attempt_at, created_at)
        select chain_uid, kind, id, n, '0x', tenant_id, reason, 0, created_at
        from deferred_evaluation d, generate_series(4, 1000) n where d.id = ${long} and d.number = 1`,
    );
    await vigil.store.query(sql`update deferred_evaluation set next_attempt_at = 0`);
    vigil.watch();
    const faultOf = (id: number) => vigil.ok('GET', `detector/${id}/fault`);
    for (const [id, missed] of [
      [late, 'It was not shown blocks 1 to 3, where 3 waited for it.'],
      [long, 'It was not shown blocks 1 to 1000, where 1000 waited for it.'],
    ] as const) {
      await until(async () => (await vigil.ok('GET', `detector/${id}`)).status !== 'ACTIVE');
      const { message } = await faultOf(id);
      expect(message).toMatch(/^Switched off, because /);
      expect(message).toContain(missed);
    }
    expect(await deferredRows(vigil)).toEqual([]);
    const names = (await vigil.alerts()).map(({ detectorId, name }: Json) => [detectorId, name]);
    expect(names).toEqual(expect.arrayContaining([late, long].map((id) => [id, 'Detector switched off'])));
  });

  it('deferred evaluations of scripts that are only slow raise every alert, each once, also after a restart', async () => {
    const { chain, vigil } = await start();
    const contractId = await addStranger(vigil, hostile);
    const slow = 'let x = 0; for (let i = 0; i < 30_000; i++) x += i; return x > 0 && e.value >= 0n';
    const ids: number[] = [];
    for (let n = 0; n < 20; n++)
      ids.push(await vigil.addDetector(contractId, 'custom_tx', { expression: `${slow} // ${n}` }));
    const first = vigil.watch();
    chain.extend([block, block, block, block]);
    await until(async () => (await deferredRows(vigil)).length > 0);
    await first.stop();
    const open = (await deferredRows(vigil)).length;
    expect(open).toBeGreaterThan(0);
    vigil.watch();
    chain.extend([block, block]);
    await vigil.reached('anvil', 6);
    // First, because a script that was stopped for its time raises nothing in that block.
    expect(await vigil.store.query(sql`select message from watch_fault`)).toEqual([]);
    const found = await Promise.all(ids.map((id) => blocksOf(vigil, id)));
    expect(found, `${open} deferred; ${vigil.watchLog.join('')}`).toEqual(ids.map(() => [1, 2, 3, 4, 5, 6]));
    console.log(`${open} evaluations were deferred over the restart`);
  });

  it('keep their order with the blocks that come later, and go with the blocks of a reorganisation', async () => {
    let isPutOff = true;
    const { chain, vigil } = await start(() => isPutOff);
    const contractId = await vigil.addContract(guarded);
    const id = await vigil.addDetector(contractId, 'custom_tx', {
      expression: 'e.value >= 0n',
      cooldown: '1 min',
    });
    const watching = vigil.watch();
    chain.extend([block]);
    await until(async () => (await blocksOf(vigil, id)).length === 1);
    await watching.stop();
    await holdDeferred(vigil);
    const processed = (number: number) => isProcessed(vigil, chain, number);
    // Nothing of these is worked on by this process, which knows of them only as not due.
    chain.extend(Array.from({ length: 7 }, () => block));
    const second = vigil.watch();
    await processed(8);
    await second.stop();
    const third = vigil.watch();
    isPutOff = false;
    chain.extend(Array.from({ length: 3 }, () => block));
    await processed(11);
    const rows = (await deferredRows(vigil)).map(({ number }) => number);
    // Later blocks wait behind the first, although their scripts could have been run.
    expect(rows.at(-1)).toBe(11);
    const [lowest] = rows;
    expect(rows).toEqual(Array.from({ length: 12 - lowest! }, (_, n) => lowest! + n));
    chain.fork(
      6,
      Array.from({ length: 8 }, () => block),
    );
    await processed(14);
    const left = await vigil.store.query<{ number: number; hash: string }>(
      sql`select number, hash from deferred_evaluation order by number`,
    );
    expect(left.map(({ hash }) => hash)).toEqual(left.map(({ number }) => chain.at(number)!.hash));
    expect(left.at(-1)!.number).toBe(14);
    await third.stop();
    await vigil.store.query(sql`drop trigger hold_deferred on deferred_evaluation`);
    await vigil.store.query(sql`update deferred_evaluation set next_attempt_at = 0`);
    vigil.watch();
    await vigil.reached('anvil', 14);
    // A block every 12 s and a minute of rest: every fifth is told, and says how many were held back.
    const alerts = (await vigil.alerts()).filter(({ detectorId }: Json) => detectorId === id);
    expect(alerts.map(({ meta }) => [meta.blockNumber, meta.heldBack ?? 0])).toEqual([
      [1, 0],
      [6, 4],
      [11, 4],
    ]);
  });
});
