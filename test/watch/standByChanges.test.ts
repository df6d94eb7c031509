import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { type Simulator, startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch, type TestWatch } from '../../testing/startTestWatch.ts';
import { until } from '../../testing/until.ts';
import { newOwner, token, vault, worldState } from './support/watchedWorld.ts';

const random = createRandom('standByChanges');
const chains = {
  anvil: createSimChain({ chainId: 31337, seed: random.seed }),
  sepolia: createSimChain({ chainId: 11155111, seed: random.seed }),
};
type Uid = keyof typeof chains;
const uids = Object.keys(chains) as Uid[];
/** Contracts that do not change, on each chain. */
const others = 8;
const simulators: Simulator[] = [];
const contractIds = new Map<Uid, number>();
const detectorIds = new Map<Uid, number>();
let vigil: TestWatch;
beforeAll(async () => {
  for (const uid of uids) simulators.push(await startSimulator({ chain: chains[uid], state: worldState }));
  const [anvil, sepolia] = simulators.map(({ wsUrl }) => ({ urls: [wsUrl] }));
  vigil = await startTestWatch({ anvil: anvil!, sepolia: sepolia! });
  for (const chainUid of uids) {
    for (let n = 60; n < 60 + others; n++) await vigil.addContract(`0x${`${n}`.repeat(20)}`, { chainUid });
    const id = await vigil.addContract(token, { name: 'Token', chainUid });
    contractIds.set(chainUid, id);
    detectorIds.set(chainUid, await vigil.addDetector(id, 'ownership_change', {}, { name: 'first' }));
  }
});
afterAll(async () => {
  await vigil.stop();
  for (const simulator of simulators) await simulator.stop();
});

/** Makes a block on the chain and returns the alerts that came of it. */
async function emit(uid: Uid): Promise<string[]> {
  const [block] = chains[uid].extend({ logs: [newOwner(random)] });
  await vigil.reached(uid, block!.number);
  const alerts = await vigil.alerts(`blockNumber:${block!.number} AND chainUid:${uid}`);
  return alerts.map(({ name }) => name as string).sort();
}
/** How many contracts were read each time that a process began to follow the chain, or to stand by for it. */
const readings = (message: string, uid: string) =>
  vigil.watchLog
    .map((line) => JSON.parse(line))
    .filter(({ msg, chain }) => msg === message && chain === uid)
    .map(({ contractsRead }) => contractsRead as number);
const following = (uid: Uid) => readings('Following the chain', uid);
const standingBy = (uid: Uid) => readings('Standing by for the chain', uid);
const holders = async () => {
  const rows = await vigil.store.query<{ uid: Uid; holder: string }>(
    sql`select chain_uid as uid, holder from chain_cursor order by 1`,
  );
  return new Map(rows.map(({ uid, holder }) => [uid, holder]));
};

it('a change while a process stands by, or has handed a chain over, counts when it goes on', async () => {
  const first = vigil.watch();
  for (const uid of uids) expect(await emit(uid)).toEqual(['first']);
  const owner = (await holders()).get('anvil');
  const second = vigil.watch();
  // The second one takes one of the two chains, of which the first one stays ready without reading it again.
  const moved = await until(() => uids.find((uid) => following(uid).length === 2));
  const stayed = uids.find((uid) => uid !== moved)!;
  expect((await holders()).get(stayed)).toBe(owner);
  await until(() => standingBy(moved).length === 1 && standingBy(stayed).length === 1);
  expect([standingBy(moved), standingBy(stayed)]).toEqual([[0], [1 + others]]);

  // A detector that is made, one that is renamed, and a contract that comes, on both chains; a block each, and a last one unseen.
  for (const uid of uids) {
    await vigil.ok('PUT', `detector/${detectorIds.get(uid)}`, { name: 'renamed' });
    await vigil.addDetector(contractIds.get(uid)!, 'ownership_change', {}, { name: 'second' });
    await vigil.addContract(vault, { name: 'Vault', chainUid: uid });
    await vigil.informed();
    expect(await emit(uid)).toEqual(['renamed', 'second']);
    await vigil.addDetector(contractIds.get(uid)!, 'ownership_change', {}, { name: 'third' });
  }
  await vigil.informed();
  await second.stop();
  await until(() => following(moved).length === 3);
  expect(await emit(moved)).toEqual(['renamed', 'second', 'third']);
  // At most what had just changed.
  expect(following(moved)[2]).toBeLessThanOrEqual(2);

  // For a while no one else would stand by in the place of the one that has stopped, because it may come back.
  await vigil.store.query(
    sql`update chain_standby set until = clock_timestamp() where process <> ${(await holders()).get(moved)}`,
  );
  const third = vigil.watch();
  await until(() => uids.every((uid) => standingBy(uid).length === 2));
  const before = uids.map((uid) => following(uid).length);
  await first.stop();
  const last = await until(() => uids.find((uid, n) => following(uid).length > before[n]!));
  for (const uid of uids) expect(await emit(uid)).toEqual(['renamed', 'second', 'third']);
  expect(following(last).at(-1)).toBe(0);
  await third.stop();
  // Each alert once, whoever found it.
  const counts = await vigil.store.query(
    sql`select count(*) as count, count(distinct (chain_uid, block_number, detector_id)) as distinct from alert
      where detector_id is not null`,
  );
  expect(counts).toEqual([{ count: 15, distinct: 15 }]);
});

it('processes that stop together hand chains to none of them', async () => {
  const watches = [vigil.watch(), vigil.watch(), vigil.watch()];
  await until(async () => [...(await holders()).values()].every((holder) => holder !== null));
  await Promise.all(watches.map((each) => each.stop()));
  expect([...(await holders()).values()]).toEqual([null, null]);
});
