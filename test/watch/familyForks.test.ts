import { expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { isWritten } from '../../testing/isWritten.ts';
import { sized } from '../../testing/proveSize.ts';
import { createBranches } from '../../testing/simulator/families/createBranches.ts';
import { familyNodes } from '../../testing/simulator/families/familyNodes.ts';
import { startFamilyNode } from '../../testing/simulator/families/startFamilyNode.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { dumpWatch } from './support/watchedWorld.ts';

const forks = Number(process.env.PROVE_ROUNDS ?? sized(2, 60));
const uids = ['bitcoin', 'solana', 'tron', 'vechain'] as const;
type Worlds = Awaited<ReturnType<typeof startWorlds>>;

it(`the store equals a fresh replay of the winning chains after ${forks} forks or more of each family`, async () => {
  const random = createRandom('forks of other families');
  const worlds = await startWorlds(random);
  const vigil = await startVigil(worlds);
  try {
    // Long enough that every kind of alert is raised.
    for (const { chain } of worlds) chain.extend(40);
    vigil.watch();
    await arrived(vigil, worlds);
    const retracted = () =>
      vigil.store.query<{ chain: string; retracted: number }>(
        sql`select chain_uid as chain, count(*) as retracted from alert where retracted_at is not null group by 1 order by 1`,
      );
    // Few forks may take no alert of one of them.
    for (let n = 0; n < forks || (n < 10 * forks && (await retracted()).length < uids.length); n++) {
      for (const { chain } of worlds) {
        if (random.chance(0.2)) chain.extend(random.below(20));
        chain.fork();
        // Two in a row: the first may never be seen.
        if (random.chance(0.3)) chain.fork();
      }
      await arrived(vigil, worlds);
    }
    expect(vigil.watchLog.filter((line) => line.includes('"level":50'))).toEqual([]);
    expect(await verifyRollups(vigil.store)).toEqual([]);
    const counts = await retracted();
    expect(counts.map(({ chain }) => chain)).toEqual([...uids]);
    const dump = await dumpWatch(vigil);
    expect(dump.faults).toEqual([]);
    expect(dump.states.length).toBeGreaterThan(0);
    expect(dump).toEqual(await replay(worlds));
    console.log(`SEED=${random.seed}: ${dump.alerts.length} alerts, retracted ${JSON.stringify(counts)}`);
  } finally {
    await vigil.stop();
    for (const { node } of worlds) node.stop();
  }
});

async function startWorlds(random: ReturnType<typeof createRandom>) {
  return Promise.all(
    uids.map(async (uid) => {
      const family = familyNodes[uid];
      const chain = createBranches(random, family.toHash, family.skips);
      return { uid, family, chain, node: await startFamilyNode(chain, family) };
    }),
  );
}

/** Each call makes the same records with the same ids. */
async function startVigil(worlds: Worlds): Promise<TestWatch> {
  const vigil = await startTestWatch(
    Object.fromEntries(
      worlds.map(({ uid, node, chain }) => {
        const isNamed = uid === 'tron' || uid === 'vechain';
        const network = isNamed ? { network: chain.blocks()[0]!.hash } : {};
        return [uid, { urls: [node.url], startBlock: 1, confirmations: 2, ...network }];
      }),
    ),
  );
  await vigil.store.query(sql`update plan set detector_rate_limit = 1000000000`);
  for (const { uid, family } of worlds) {
    const members = { chainUid: uid, addressType: 'WALLET', name: 'Treasury' };
    const wallet = await vigil.addContract(family.address(0), members);
    await vigil.addDetector(wallet, 'large_transfer', { threshold: '1', cooldown: '1 min' });
    const triggers = ['NATIVE_TRANSFER'];
    if (uid === 'bitcoin') await vigil.addDetector(wallet, 'utxo_spend');
    else {
      await vigil.addDetector(wallet, 'failed_tx_spike', { atLeast: 2, within: '5 min' });
      triggers.push('SUCCESSFUL_TX');
    }
    if (uid !== 'solana') await vigil.addDetector(wallet, 'gas_anomaly', { z: 2, minSamples: 5 });
    for (const triggerType of triggers)
      await vigil.ok('POST', 'trigger', { contractId: wallet, name: triggerType, triggerType, params: {} });
  }
  return vigil;
}

async function arrived({ store, watchLog }: TestWatch, worlds: Worlds): Promise<void> {
  const heads = worlds.map(({ chain }) => chain.head().hash).sort();
  await until(async () => {
    const cursors = await store.query<{ hash: string | null }>(sql`select hash from chain_cursor`);
    if (JSON.stringify(cursors.map(({ hash }) => String(hash)).sort()) !== JSON.stringify(heads))
      return false;
    return (await Promise.all(uids.map((uid) => isWritten(store, uid)))).every(Boolean);
  }).catch((cause: unknown) => {
    throw new Error(`The heads were not reached: ${watchLog.slice(-20).join('')}`, { cause });
  });
}

async function replay(worlds: Worlds) {
  const vigil = await startVigil(worlds);
  try {
    vigil.watch();
    await arrived(vigil, worlds);
    return await dumpWatch(vigil);
  } finally {
    await vigil.stop();
  }
}
