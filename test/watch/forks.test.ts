import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ChainUid, chains } from '../../src/chains/chains.ts';
import { sql } from '../../src/lib/sql.ts';
import { blockHashSql } from '../../src/store/search/documents/packedHashes.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom, type Random } from '../../testing/createRandom.ts';
import { isWritten } from '../../testing/isWritten.ts';
import { sized } from '../../testing/proveSize.ts';
import type { SimBlock } from '../../testing/simulator/buildBlock.ts';
import { createSimChain, type SimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import type { TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import {
  dumpWatch,
  findIncidentFaults,
  randomBlock,
  startWatchedWorld,
  worldState,
} from './support/watchedWorld.ts';

const forks = Number(process.env.PROVE_ROUNDS ?? sized(5, 80));
const forksPerWorld = sized(5, 40);
const deepest = 64;

describe('reorganisations', { timeout: 300_000 }, () => {
  const random = createRandom('forks');
  // Of its own, so that the forks do not depend on how often scripts are run.
  const delays = createRandom('evaluations put off');
  const worlds = Math.ceil(forks / forksPerWorld);
  for (let world = 1; world <= worlds; world++) {
    it(`world ${world} of ${worlds}: after ${forksPerWorld} forks the store equals a fresh replay of the winning chain`, async () => {
      // By turns, also from run to run, a node that announces its blocks, and one that is asked for them.
      const uid = (random.seed + world) % 2 === 1 ? 'anvil' : 'arbitrum';
      const chain = createSimChain({ chainId: chains[uid].chainId!, seed: random.below(2 ** 31) });
      const simulator = await startSimulator({ chain, state: worldState });
      const urls = [uid === 'anvil' ? simulator.wsUrl : simulator.url];
      // Now and then scripts are put off, which must make no difference in the end.
      let putOff = 0;
      const vigil = await startWatchedWorld(uid, urls, () => {
        const isPutOff = delays.chance(0.2);
        if (isPutOff) putOff++;
        return isPutOff;
      });
      try {
        vigil.watch();
        const seen = await runForks(uid, chain, vigil, random);
        const told = vigil.watchLog.filter((line) => line.includes('The chain was reorganised')).length;
        expect(seen.replaced).toBeGreaterThan(0);
        expect(told).toBeGreaterThanOrEqual(seen.replaced);
        expect(vigil.watchLog.filter((line) => line.includes('"level":50'))).toEqual([]);
        expect(await verifyRollups(vigil.store)).toEqual([]);
        expect(await findIncidentFaults(vigil)).toEqual([]);
        const dump = await dumpWatch(vigil);
        const retracted = await vigil.store.query<{ hash: string }>(
          sql`select ${blockHashSql} as hash from alert t where retracted_at is not null`,
        );
        const winning = new Set(chain.blocks.map(({ hash }) => hash));
        expect(retracted.filter(({ hash }) => winning.has(hash))).toEqual([]);
        expect(retracted.length).toBeGreaterThan(0);
        const fresh = await replay(uid, urls, chain);
        expect(dump).toEqual(fresh);
        expect(dump.faults).toEqual([]);
        expect(putOff).toBeGreaterThan(0);
        expect(new Set(dump.alerts.map(({ name }) => name)).size).toBeGreaterThan(5);
        console.log(
          `world ${world}: SEED=${random.seed}, ${chain.head.number} blocks, ${seen.text}, ${told} reorganisations noticed, ` +
            `${dump.alerts.length} alerts, ${putOff} evaluations put off, ${retracted.length} retracted, ${dump.states.length} states`,
        );
      } finally {
        await vigil.stop();
        await simulator.stop();
      }
    });
  }
});

async function runForks(uid: ChainUid, chain: SimChain, vigil: TestWatch, random: Random) {
  const left: SimBlock[] = [];
  const counts = { fork: 0, return: 0, shortened: 0, 'catching up': 0 };
  /** How often the block that Vigil had reached was replaced, which it must notice. */
  let replaced = 0;
  let highest = 0;
  const blocks = (count: number) => Array.from({ length: count }, () => randomBlock(random));
  const grow = () => {
    // Only a chain that is longer than any before it is sure to win.
    chain.extend(blocks(Math.max(0, highest - chain.head.number) + 1 + random.below(3)));
    highest = chain.head.number;
  };
  // Long enough for each kind of alert, however few the forks are.
  chain.extend(blocks(100));
  grow();
  let reached = await arrived(vigil, uid, chain);
  for (let n = 0; n < forksPerWorld; n++) {
    const isCatchingUp = random.chance(0.2);
    if (isCatchingUp) {
      chain.extend(blocks(20 + random.below(60)));
      if (random.chance(0.5)) await sleep(random.below(60));
      counts['catching up']++;
    }
    highest = Math.max(highest, chain.head.number);
    const depth =
      1 + random.below(Math.min(deepest, chain.head.number - chain.finalized, chain.head.number - 1));
    const back = left.filter((tip) => canReturn(chain, tip));
    const tip = chain.head;
    if (back.length > 0 && random.chance(0.3)) {
      chain.adopt(random.pick(back));
      counts.return++;
    } else {
      const isShorter = random.chance(0.3);
      chain.fork(tip.number - depth, blocks(isShorter ? random.below(depth) : depth + random.below(3)));
      if (isShorter) {
        counts.shortened++;
        if (random.chance(0.5)) await sleep(random.below(300));
      }
      counts.fork++;
    }
    left.push(tip);
    // Two forks in a row: the first of them may never be seen.
    if (random.chance(0.3)) continue;
    grow();
    if (!chain.isCanonical(reached)) replaced++;
    reached = await arrived(vigil, uid, chain);
    if (random.chance(0.1) && chain.head.number > 150) chain.finalize(chain.head.number - 70);
  }
  grow();
  await arrived(vigil, uid, chain);
  return { replaced, text: JSON.stringify(counts) };
}

/** Whether the branch goes off the chain above what is final, and not deeper than forks are here. */
function canReturn(chain: SimChain, tip: SimBlock): boolean {
  let block: SimBlock | undefined = tip;
  while (block && !chain.isCanonical(block)) block = chain.byHash(block.parentHash);
  return (
    block !== undefined &&
    block.number >= Math.max(chain.finalized, chain.head.number - deepest) &&
    block !== tip
  );
}

async function arrived({ store, watchLog }: TestWatch, uid: ChainUid, chain: SimChain): Promise<SimBlock> {
  await until(async () => {
    const [cursor] = await store.query<{ hash: string | null }>(sql`select hash from chain_cursor`);
    const deferred = await store.query(sql`select 1 from deferred_evaluation limit 1`);
    return cursor?.hash === chain.head.hash && deferred.length === 0 && (await isWritten(store, uid));
  }).catch((cause: unknown) => {
    throw new Error(`The head ${chain.head.number} was not reached: ${watchLog.slice(-20).join('')}`, {
      cause,
    });
  });
  return chain.head;
}

async function replay(uid: ChainUid, urls: readonly string[], chain: SimChain) {
  const vigil = await startWatchedWorld(uid, urls);
  try {
    vigil.watch();
    await arrived(vigil, uid, chain);
    return await dumpWatch(vigil);
  } finally {
    await vigil.stop();
  }
}
