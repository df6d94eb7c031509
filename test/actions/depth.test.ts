import { setTimeout as sleep } from 'node:timers/promises';
import { AbiEvent, AbiFunction } from 'ox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { blockHashSql } from '../../src/store/search/documents/packedHashes.ts';
import { createRandom } from '../../testing/createRandom.ts';
import type { BlockSpec, SimBlock } from '../../testing/simulator/buildBlock.ts';
import { createMempool, type Mempool } from '../../testing/simulator/createMempool.ts';
import { createSimChain, type SimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { numberIn, privateKey, sender, target } from './support/addGuard.ts';
import { ended, skipWaits } from './support/intents.ts';

const steps = Number(process.env.PROVE_ROUNDS ?? 1) * 60;
const confirmations = 4;
const signature = 'Attack(uint256 id)';
const topic = AbiEvent.getSelector(`event ${signature}`);

describe('the depth at which actions fire', { timeout: 600_000 }, () => {
  const random = createRandom('depth');
  let chain: SimChain;
  let mempool: Mempool;
  let simulator: Simulator;
  let vigil: TestWatch;
  let last = 0;
  /** The attacks in each block, whatever became of it. */
  const attacks = new Map<string, number[]>();
  /** How deep each attack lay from the nth arrival of a transaction on. */
  const history: { arrivals: number; depths: Map<number, number> }[] = [];
  const left: SimBlock[] = [];

  beforeAll(async () => {
    chain = createSimChain({ chainId: 31337 });
    mempool = createMempool(chain, { balances: { [sender]: 10n ** 24n } });
    simulator = await startSimulator({ chain, mempool });
    vigil = await startTestWatch({ anvil: { urls: [simulator.wsUrl], confirmations, startBlock: 1 } });
    const contractId = await vigil.addContract(target);
    const wallet = {
      tenantId: vigil.tenantId,
      chainUid: 'anvil',
      name: 'Guardian',
      privateKey,
      allowedCalls: null,
    };
    const { id: walletId } = await vigil.ok('POST', 'wallet', wallet);
    for (const fireAt of ['head', undefined]) {
      const trigger = await vigil.ok('POST', 'trigger', {
        contractId,
        name: 'Attacks',
        triggerType: 'EVENT_EMITTED',
        params: { signature },
        alerts: [{ severity: 'HIGH', name: 'Attack' }],
      });
      await vigil.ok('POST', 'action', {
        contractId,
        walletId,
        name: 'Defend',
        funcSignature: `${fireAt === 'head' ? 'atOnce' : 'later'}(uint256 id)`,
        maxAlertAge: null,
        ...(fireAt ? { fireAt } : {}),
        triggerAlerts: [{ triggerAlertId: trigger.alerts[0].id, scriptParams: { id: 'e.meta.args.id' } }],
      });
    }
    change(() => chain.extend(1));
    vigil.watch();
    vigil.act();
    await arrived();
  });
  afterAll(async () => {
    await vigil?.stop();
    await simulator?.stop();
  });

  /** Everything that happens to the chain goes through here, and nothing is sent meanwhile. */
  function change<T>(work: () => T): T {
    const result = work();
    const depths = new Map<number, number>();
    for (const { hash, number } of chain.blocks)
      for (const id of attacks.get(hash) ?? []) depths.set(id, chain.head.number - number);
    history.push({ arrivals: mempool.arrivals.length, depths });
    return result;
  }

  function append(blocks: readonly (readonly number[])[], fork?: number): void {
    const specs = blocks.map((ids): BlockSpec => ({ logs: ids.map(toLog) }));
    change(() => {
      if (fork !== undefined) left.push(chain.head);
      const made = fork === undefined ? chain.extend(specs) : chain.fork(fork, specs);
      for (const [place, { hash }] of made.entries()) attacks.set(hash, [...blocks[place]!]);
    });
  }

  const toLog = (id: number) => ({
    address: target,
    topics: [topic],
    data: `0x${id.toString(16).padStart(64, '0')}`,
  });
  const empty = (count: number) => Array.from({ length: count }, (): number[] => []);

  async function arrived(): Promise<void> {
    await until(async () => {
      const [cursor] = await vigil.store.query<{ hash: string | null }>(sql`select hash from chain_cursor`);
      return cursor?.hash === chain.head.hash;
    });
  }

  /** Each arrival for an action, by the depth of its attack at that moment; undefined when that was on no block. */
  function fired(name: 'atOnce' | 'later', id?: number): (number | undefined)[] {
    const selectors = { atOnce: selectorOf('atOnce'), later: selectorOf('later') };
    return mempool.arrivals.flatMap(({ tx }, place) => {
      if (!tx.data.startsWith(selectors[name]) || (id !== undefined && numberIn(tx.data) !== id)) return [];
      return [history.findLast(({ arrivals }) => arrivals <= place)!.depths.get(numberIn(tx.data))];
    });
  }

  async function settle(): Promise<void> {
    append(empty(confirmations + 1));
    await arrived();
    await ended(vigil, async () => {
      append(empty(1));
      await skipWaits(vigil);
      await sleep(30);
    });
  }

  /** The intents of the action that waits for depth, by attack. */
  async function intents(): Promise<{ id: number; state: string; reason: string | null; hash: string }[]> {
    return vigil.store.query(
      sql`with alerts as materialized (
          select t.tenant_id, t.uid, (t.meta -> 'args' ->> 'id')::int as id, ${blockHashSql} as hash from alert t)
        select t.id, i.state, i.reason, t.hash
        from action_intent i join alerts t on t.tenant_id = i.tenant_id and t.uid = i.alert_uid
        where i.fire_at = 'confirmed' order by i.id`,
    );
  }

  it('head fires at once; confirmed not before the last block that it needs', async () => {
    const id = ++last;
    append([[id]]);
    await until(() => fired('atOnce', id).length === 1);
    expect(fired('atOnce', id)).toEqual([0]);
    append(empty(confirmations - 1));
    await arrived();
    await skipWaits(vigil);
    await sleep(700);
    expect(fired('later', id)).toEqual([]);
    expect(await intents()).toMatchObject([{ id, state: 'WAITING' }]);
    append(empty(1));
    await until(() => fired('later', id).length === 1);
    expect(fired('later', id)).toEqual([confirmations]);
    await settle();
  });

  it('an alert whose block vanishes before that fires nothing, and its intent is cancelled', async () => {
    const id = ++last;
    append([[id], ...empty(confirmations - 1)]);
    await arrived();
    append(empty(confirmations + 1), chain.head.number - confirmations);
    await settle();
    expect((await intents()).filter((intent) => intent.id === id)).toMatchObject([
      { state: 'CANCELED', reason: 'The alert was retracted before the action was fired.' },
    ]);
    expect(fired('later', id)).toEqual([]);
  });

  it('a block that comes back fires once', async () => {
    const id = ++last;
    append([[id]]);
    await arrived();
    const tip = chain.head;
    append(empty(2), tip.number - 1);
    await arrived();
    expect((await intents()).at(-1)).toMatchObject({ id, state: 'CANCELED' });
    change(() => chain.adopt(tip));
    await settle();
    expect((await intents()).filter((intent) => intent.id === id)).toMatchObject([{ state: 'CONFIRMED' }]);
    expect(fired('later', id)).toHaveLength(1);
  });

  it(`holds through ${steps} random forks and returns`, async () => {
    for (let step = 0; step < steps; step++) {
      const fresh = (): number[] => (random.chance(0.4) ? [++last] : []);
      const depth = 1 + random.below(confirmations);
      const back = left.filter((tip) => canReturn(tip));
      if (random.chance(0.5)) append(Array.from({ length: 1 + random.below(2) }, fresh));
      else if (back.length > 0 && random.chance(0.4)) {
        const { head } = chain;
        change(() => chain.adopt(random.pick(back)));
        left.push(head);
        append(empty(Math.max(0, head.number - chain.head.number) + 1));
      } else {
        const dropped = chain.blocks.slice(-depth).flatMap(({ hash }) => attacks.get(hash) ?? []);
        const moved = dropped.filter(() => random.chance(0.5));
        append([moved, ...Array.from({ length: depth }, fresh)], chain.head.number - depth);
      }
      await sleep(random.below(120));
      if (random.chance(0.3)) await arrived();
    }
    await settle();
    const depths = fired('later');
    expect(depths.filter((depth) => depth === undefined || depth < confirmations)).toEqual([]);
    const canonical = new Set(chain.blocks.flatMap(({ hash }) => attacks.get(hash) ?? []));
    const mined = mempool.mined(sender).filter(({ tx }) => tx.data.startsWith(selectorOf('later')));
    expect(mined.map(({ tx }) => numberIn(tx.data)).sort(ascending)).toEqual([...canonical].sort(ascending));
    expect(mempool.nonceFaults()).toEqual([]);
    const found = await intents();
    const hashes = new Set(chain.blocks.map(({ hash }) => hash));
    expect(
      found.filter(({ state, hash }) => state !== (hashes.has(hash) ? 'CONFIRMED' : 'CANCELED')),
    ).toEqual([]);
    const canceled = found.filter(({ state }) => state === 'CANCELED').length;
    expect(canceled).toBeGreaterThan(2);
    expect(Math.min(...fired('atOnce').flatMap((depth) => depth ?? []))).toBe(0);
    console.log(
      `SEED=${random.seed}: ${last} attacks, ${canonical.size} stayed, ${canceled} intents cancelled, ` +
        `${depths.length} fired at depth ${Math.min(...depths.map(Number))} to ${Math.max(...depths.map(Number))}`,
    );
  });

  /** Whether the branch goes off where nothing is confirmed yet. */
  function canReturn(tip: SimBlock): boolean {
    let block: SimBlock | undefined = tip;
    while (block && !chain.isCanonical(block)) block = chain.byHash(block.parentHash);
    return block !== undefined && block !== tip && block.number >= chain.head.number - confirmations;
  }
});

const ascending = (one: number, other: number) => one - other;
const selectorOf = (name: string) => AbiFunction.getSelector(`function ${name}(uint256 id)`);
