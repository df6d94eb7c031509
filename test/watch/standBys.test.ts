import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { chainUids } from '../../src/chains/chains.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import {
  acceptOffers,
  acquireLease,
  confirmLease,
  findHeldChains,
  isAnyLeaseWanted,
  offerLeases,
  releaseLease,
  requestLease,
} from '../../src/store/watch/leases.ts';
import { openPresence, type Presence } from '../../src/store/watch/openPresence.ts';
import { claimStandBy, confirmStandBy, renewStandBys } from '../../src/store/watch/standBys.ts';
import { createFreeChains } from '../../src/watch/leases/createFreeChains.ts';
import { keepStandBys } from '../../src/watch/leases/keepStandBys.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { until } from '../../testing/until.ts';

const chains = chainUids.slice(0, 12);
const [chain] = chains as [string];
const longMs = 600_000;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let processes: Presence[] = [];
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await store.close();
  await database.drop();
});
beforeEach(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  processes = [];
  await store.query(sql`delete from chain_cursor`);
  await store.query(sql`delete from chain_standby`);
});

async function present(): Promise<Presence> {
  const presence = openPresence(database.config);
  processes.push(presence);
  await until(presence.isHeld);
  return presence;
}

const follow = (chainUid: string, { holder }: Presence) =>
  acquireLease(store, chainUid, { holder, isPresent: true }, longMs);
const claim = ({ holder }: Presence, readyUids: readonly string[] = []) =>
  claimStandBy(store, { process: holder, chainUids: chains, readyUids });

/** Makes a process the one that is ready for the chain. */
async function standBy(presence: Presence): Promise<void> {
  expect(await claim(presence)).toBe(chain);
  expect(await confirmStandBy(store, chain, presence.holder)).toBe(true);
}

/** All claim in turns until none gets another chain. */
async function settle(claimers: readonly Presence[]): Promise<number> {
  for (let claims = 0; ; ) {
    const got: (string | undefined)[] = [];
    for (const each of claimers) got.push(await claim(each));
    const count = got.filter((uid) => uid !== undefined).length;
    claims += count;
    if (count === 0) return claims;
  }
}

const standBys = async () => {
  const rows = await store.query<{ uid: string; process: string; holder: string }>(
    sql`select chain_uid as uid, s.process, k.holder from chain_standby s join chain_cursor k using (chain_uid)
      where s.until > clock_timestamp() and s.process <> k.holder`,
  );
  return rows;
};
const spread = async () => {
  const counts = new Map(processes.map(({ holder }) => [holder, 0]));
  for (const { process } of await standBys()) counts.set(process, (counts.get(process) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => a - b).join(' ');
};

it('one process stands by for nothing', async () => {
  const only = await present();
  for (const uid of chains) await follow(uid, only);
  expect(await claim(only)).toBe(undefined);
  expect(await findHeldChains(store, only.holder)).toEqual(new Map());
});

it('every chain has one stand-by that is not its follower, evenly, and those of one that is gone go to the others', async () => {
  for (let n = 0; n < 4; n++) await present();
  for (const [n, uid] of chains.entries()) await follow(uid, processes[n % 4]!);
  await settle(processes);
  expect(await spread()).toBe('3 3 3 3');
  const own = (await standBys())
    .filter(({ process }) => process === processes[0]!.holder)
    .map(({ uid }) => uid);
  // Nothing changes while all are there, and each keeps what it has.
  expect(await settle(processes)).toBe(0);
  expect(await renewStandBys(store, chains, processes[0]!.holder)).toEqual(new Set(own));
  const gone = processes.shift()!;
  await gone.stop();
  const taken = chains.filter((_, n) => n % 4 === 0);
  for (const [n, uid] of taken.entries()) await until(() => follow(uid, processes[n]!));
  // It may come back: others wait for its time to end before they read anything.
  for (const each of processes) expect(await claim(each)).toBe(undefined);
  await store.query(
    sql`update chain_standby s set until = clock_timestamp() - interval '1 ms' from chain_cursor k
      where k.chain_uid = s.chain_uid and s.process in (k.holder, ${gone.holder})`,
  );
  await settle(processes);
  expect(await standBys()).toHaveLength(12);
  expect(await spread()).toBe('4 4 4');
  // One that is new takes over its share.
  processes.unshift(await present().then(() => processes.pop()!));
  await settle(processes);
  expect(await spread()).toBe('3 3 3 3');
});

it('a chain that the stand-by of a process that stops has taken up is not made up for until its time is over', async () => {
  for (let n = 0; n < 3; n++) await present();
  for (const [n, uid] of chains.slice(0, 9).entries()) await follow(uid, processes[n % 3]!);
  await settle(processes);
  expect(await spread()).toBe('3 3 3');
  const [gone, ...others] = processes as [Presence, Presence, Presence];
  await gone.leave();
  const offered = (await standBys()).filter(({ holder }) => holder === gone.holder);
  await offerLeases(store, gone.holder);
  await acceptOffers(store, chains, others[0].holder);
  await acceptOffers(store, chains, others[1].holder);
  for (const { uid } of offered) await releaseLease(store, uid, gone.holder);
  for (const { uid, process } of offered)
    expect(await follow(uid, others.find(({ holder }) => holder === process)!)).toBeDefined();
  for (const each of others) expect(await claim(each)).toBe(undefined);
});

it('no one reads a chain to stand by for it while chains are handed over, but who has read it may', async () => {
  const [first, second] = [await present(), await present()];
  await follow(chain, first);
  await follow(chains[1]!, first);
  await store.query(
    sql`update chain_cursor set wanted_by = 'new', wanted_until = clock_timestamp() + interval '1 min'
      where chain_uid = ${chains[1]!}`,
  );
  expect(await claim(second)).toBe(undefined);
  expect(await claim(second, [chain])).toBe(chain);
  const ready = await store.query(sql`select is_ready as "isReady" from chain_standby`);
  expect(ready).toEqual([{ isReady: true }]);
});

it('one of two processes that claim the same chain gets it', async () => {
  const [first, second, third] = [await present(), await present(), await present()];
  await follow(chain, first);
  const claims = await Promise.all([claim(second), claim(third)]);
  expect(claims.filter((uid) => uid === chain)).toHaveLength(1);
});

it('the others leave the chain to the stand-by for a moment when the follower is gone, unless the stand-by is gone or stops too', async () => {
  const [first, second, third, last] = [await present(), await present(), await present(), await present()];
  await follow(chain, first);
  await standBy(second);
  let now = 0;
  const isFree = createFreeChains(store, third.holder, () => now);
  const isFreeAt = (at: number) => {
    now = at;
    return isFree(chain);
  };
  expect(await isFreeAt(0)).toBe(false);
  await first.stop();
  await until(async () => (await findHeldChains(store, third.holder)).get(chain) === 'reserved');
  expect(await findHeldChains(store, second.holder)).toEqual(new Map());
  expect([await isFreeAt(1000), await isFreeAt(2500), await isFreeAt(3000)]).toEqual([false, false, true]);
  // It was paused: whoever comes takes the chain, by the lease alone.
  expect(await follow(chain, third)).toBeDefined();
  expect(await follow(chain, second)).toBe(undefined);
  await third.stop();
  await until(async () => (await findHeldChains(store, last.holder)).get(chain) === 'reserved');
  await second.leave();
  expect(await findHeldChains(store, last.holder)).toEqual(new Map());
  await second.stop();
  await until(async () => (await findHeldChains(store, last.holder)).size === 0);
});

it('a process that stops gives the chain to the stand-by, and to none that stops itself', async () => {
  const [first, second, third] = [await present(), await present(), await present()];
  const holder = async () => {
    const [row] = await store.query<{ holder: string | null }>(sql`select holder from chain_cursor`);
    return row?.holder ?? null;
  };
  await follow(chain, first);
  await standBy(second);
  await first.leave();
  expect(await offerLeases(store, first.holder)).toBe(true);
  // It is followed until the stand-by has answered, and kept for it: no one else may ask meanwhile.
  expect(await follow(chain, first)).toEqual({ isWanted: false });
  expect(await requestLease(store, chains, third.holder)).toBe(undefined);
  await acceptOffers(store, chains, third.holder);
  expect(await follow(chain, first)).toEqual({ isWanted: false });
  await acceptOffers(store, [], second.holder);
  expect(await follow(chain, first)).toEqual({ isWanted: false });
  await acceptOffers(store, chains, second.holder);
  expect(await follow(chain, first)).toEqual({ isWanted: true });
  expect(await isAnyLeaseWanted(store, first.holder)).toBe(true);
  await releaseLease(store, chain, first.holder);
  expect(await holder()).toBe(second.holder);
  expect(await follow(chain, second)).toEqual({ isWanted: false });
  // Without an offer as well, when following failed.
  expect(await claim(third, [chain])).toBe(chain);
  await releaseLease(store, chain, second.holder);
  expect(await holder()).toBe(third.holder);
  expect(await follow(chain, third)).toEqual({ isWanted: false });
  // The second one stands by again, but stops before the third one has released the chain.
  expect(await claim(second, [chain])).toBe(chain);
  await third.leave();
  expect(await offerLeases(store, third.holder)).toBe(true);
  await second.leave();
  // No one is left to take it.
  expect(await isAnyLeaseWanted(store, third.holder)).toBe(undefined);
  expect(await offerLeases(store, third.holder)).toBe(false);
  await releaseLease(store, chain, third.holder);
  expect(await holder()).toBe(null);
});

it('a chain whose stand-by does not answer is offered to the others, while its holder follows it', async () => {
  const [first, second, third] = [await present(), await present(), await present()];
  await follow(chain, first);
  await standBy(second);
  await first.leave();
  expect(await offerLeases(store, first.holder)).toBe(true);
  const offered = { chainUid: chain, isOffered: true };
  expect(await until(() => requestLease(store, chains, third.holder))).toEqual(offered);
  // Too late: it belongs to the one that reads it now.
  await acceptOffers(store, chains, second.holder);
  expect(await follow(chain, first)).toEqual({ isWanted: false });
  expect(await confirmLease(store, chain, third.holder)).toBe(true);
  expect(await follow(chain, first)).toEqual({ isWanted: true });
  await releaseLease(store, chain, first.holder);
  expect(await follow(chain, third)).toEqual({ isWanted: false });
  expect(await follow(chain, second)).toBe(undefined);
});

it('a chain is read when others have settled; meanwhile what was read before is kept, and offers are answered', async () => {
  const [first, second] = [await present(), await present()];
  const [slow, former, offered] = chains as [string, string, string];
  await follow(slow, first);
  const adds: string[] = [];
  const drops: string[] = [];
  let formerUids: string[] = [];
  let readAt = 0;
  const settledAt = performance.now() + 300;
  const stopping = new AbortController();
  const keeping = keepStandBys({
    othersFollow: () => true,
    db: store,
    presence: second,
    chainUids: () => [slow],
    sets: {
      uids: () => adds,
      readyUids: () => [offered],
      formerUids: () => formerUids,
      dropFormer: () => drops.push(...formerUids),
      add: async (uid) => {
        adds.push(uid);
        if (uid === slow) readAt = performance.now();
        formerUids = formerUids.filter((each) => each !== uid);
        if (uid === slow && !stopping.signal.aborted) await once(stopping.signal, 'abort');
        return { taken: Promise.resolve(), drop: () => {}, contractsRead: 0 };
      },
      drop: () => {},
      settlingMs: () => settledAt - performance.now(),
      refresh: async () => {},
    },
    idle: async () => {},
    onReady: () => {},
    onError: (error) => {
      throw error;
    },
    signal: stopping.signal,
  });
  await until(() => adds.includes(slow));
  expect(readAt).toBeGreaterThanOrEqual(settledAt);
  await follow(former, first);
  formerUids = [former];
  await until(() => adds.includes(former));
  await follow(offered, first);
  await store.query(
    sql`insert into chain_standby values (${offered}, ${second.holder}, true, clock_timestamp() + interval '1 min')`,
  );
  await first.leave();
  await offerLeases(store, first.holder);
  await until(async () => (await follow(offered, first))?.isWanted);
  const ready = await store.query<{ uid: string; isReady: boolean }>(
    sql`select chain_uid as uid, is_ready as "isReady" from chain_standby`,
  );
  expect(new Map(ready.map(({ uid, isReady }) => [uid, isReady]))).toEqual(
    new Map([
      [slow, false],
      [former, true],
      [offered, true],
    ]),
  );
  expect(drops).toEqual([]);
  stopping.abort();
  await keeping;
});
