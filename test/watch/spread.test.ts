import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chainUids } from '../../src/chains/chains.ts';
import { createMutex } from '../../src/lib/createMutex.ts';
import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { assertHolder, LeaseLost } from '../../src/store/watch/cursor.ts';
import { openPresence } from '../../src/store/watch/openPresence.ts';
import { createFreeChains } from '../../src/watch/leases/createFreeChains.ts';
import { holdLease } from '../../src/watch/leases/holdLease.ts';
import { leaveChains } from '../../src/watch/leases/leaveChains.ts';
import { spreadLeases } from '../../src/watch/leases/spreadLeases.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { until } from '../../testing/until.ts';

const chains = chainUids.slice(0, 12);
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

it('four processes share the chains evenly, those of one that is stopped go on elsewhere, and none has two followers', async () => {
  const following = new Map<string, string>();
  const faults: unknown[] = [];
  let longestGapMs = 0;
  const leftAt = new Map<string, number>();

  const unprepared: string[] = [];

  /** A process that follows by checking that it may write, and leaves when it is told to. */
  function start() {
    const presence = openPresence(database.config);
    const leaving = new AbortController();
    const stopping = new AbortController();
    const { signal } = stopping;
    const ready = new Map<string, () => void>();
    const starting = createMutex();
    const isFree = createFreeChains(store, presence.holder);
    const onError = (error: unknown) => {
      if (!(error instanceof LeaseLost)) faults.push(error);
    };
    const run = (chainUid: string) => async (ended: AbortSignal, onStarted: () => void) => {
      await store.transaction((tx) => assertHolder(tx, chainUid, presence.holder));
      const former = following.get(chainUid);
      // On a busy machine a lease may run out before its holder notices, which can then write nothing.
      if (former && (await mayWrite(chainUid, former))) faults.push(`${chainUid} has two followers`);
      following.set(chainUid, presence.holder);
      onStarted();
      if (leftAt.has(chainUid) && !ready.has(chainUid)) unprepared.push(chainUid);
      ready.get(chainUid)?.();
      const since = leftAt.get(chainUid);
      if (since !== undefined) longestGapMs = Math.max(longestGapMs, performance.now() - since);
      if (!ended.aborted) await once(ended, 'abort');
      if (following.get(chainUid) === presence.holder) following.delete(chainUid);
      leftAt.set(chainUid, performance.now());
    };
    const loops = Promise.all([
      spreadLeases({
        othersFollow: () => true,
        db: store,
        presence,
        chainUids: () => chains,
        prepare: async (chainUid) => {
          // As long as it takes to read what is watched; its holder follows it meanwhile.
          await sleep(200);
          const taken = new Promise<void>((resolve) => ready.set(chainUid, resolve));
          return { taken, drop: () => ready.delete(chainUid) };
        },
        onError,
        signal: leaving.signal,
      }),
      ...chains.map((chainUid) =>
        holdLease({
          db: store,
          chainUid,
          presence,
          isFree: () => isFree(chainUid),
          isNeeded: async () => true,
          isPrepared: () => ready.has(chainUid),
          starting,
          run: run(chainUid),
          onError,
          leaving: leaving.signal,
          signal,
        }),
      ),
    ]);
    return async () => {
      leaving.abort();
      await leaveChains(store, presence, loops);
      stopping.abort();
      await loops;
      await presence.stop();
    };
  }

  const mayWrite = (chainUid: string, holder: string) =>
    store
      .transaction((tx) => assertHolder(tx, chainUid, holder))
      .then(
        () => true,
        () => false,
      );
  const spread = () => {
    const counts = new Map<string, number>();
    for (const holder of following.values()) counts.set(holder, (counts.get(holder) ?? 0) + 1);
    return [...counts.values()].sort((a, b) => a - b).join(' ');
  };
  const stops = [start()];
  await until(() => spread() === '12');
  stops.push(start(), start(), start());
  await until(() => spread() === '3 3 3 3');
  await stops.shift()!();
  await until(() => following.size === chains.length && spread() === '4 4 4');
  console.log(`the longest gap in following was ${Math.round(longestGapMs)} ms`);
  expect(faults).toEqual([]);
  // No chain waits until what is watched on it is read, or for anything else.
  expect(unprepared).toEqual([]);
  expect(longestGapMs).toBeLessThan(2000);
  await Promise.all(stops.map((stop) => stop()));
  expect(await store.query(sql`select 1 from chain_cursor where holder is not null`)).toEqual([]);
});
