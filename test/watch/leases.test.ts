import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import {
  advanceCursor,
  assertHolder,
  finalizeChain,
  LeaseLost,
  parkChain,
  rewindCursor,
} from '../../src/store/watch/cursor.ts';
import { acquireLease, releaseLease } from '../../src/store/watch/leases.ts';
import { openPresence } from '../../src/store/watch/openPresence.ts';
import { presenceLock } from '../../src/store/watch/presenceLocks.ts';
import { publishState } from '../../src/store/watch/publishState.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { isWritten } from '../../testing/isWritten.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { until } from '../../testing/until.ts';
import { detectorMaker } from './support/detectorMaker.ts';
import { newOwner, token } from './support/watchedWorld.ts';

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

const absent = (holder: string) => ({ holder, isPresent: false });

describe('the lease of a chain', () => {
  it('is held by one process at a time, and a process that lost it can write nothing of the chain', async () => {
    const chainUid = 'sepolia';
    const header = (number: number) => ({
      number,
      hash: `0x${number}`,
      parentHash: `0x${number - 1}`,
      timestamp: 1,
    });
    const step = (holder: string, from: number | undefined) => ({
      chainUid,
      holder,
      from: from === undefined ? undefined : header(from),
      head: 9,
      confirmations: 1,
      now: 1,
    });
    expect(await acquireLease(store, chainUid, absent('first'), 600_000)).toEqual({ isWanted: false });
    expect(await acquireLease(store, chainUid, absent('second'), 600_000)).toBe(undefined);
    await store.transaction((tx) => advanceCursor(tx, step('first', undefined), [header(1), header(2)]));
    await store.query(sql`update chain_cursor set lease_until = clock_timestamp() - interval '1 ms'`);
    const writes = [
      () => store.transaction((tx) => advanceCursor(tx, step('first', 2), [header(3)])),
      () => store.transaction((tx) => rewindCursor(tx, step('first', 2), header(1), 1)),
      () => store.transaction((tx) => finalizeChain(tx, chainUid, 'first', 2)),
      () => store.transaction((tx) => parkChain(tx, chainUid, 'first')),
      () => store.transaction((tx) => assertHolder(tx, chainUid, 'first')),
    ];
    // Its time is over although nobody has taken over yet.
    for (const write of writes) await expect(write()).rejects.toThrow(LeaseLost);
    expect(await acquireLease(store, chainUid, absent('second'), 60_000)).toBeDefined();
    for (const write of writes) await expect(write()).rejects.toThrow(LeaseLost);
    const stale = { chainUid, holder: 'first', of: 'endpoints' } as const;
    expect(await publishState(store, stale, [{ endpoint: 'stale' }])).toBe(false);
    await releaseLease(store, chainUid, 'first');
    const [row] = await store.query(
      sql`select holder, processed, final, endpoints,
          (select count(*) from chain_block where chain_uid = ${chainUid}) as blocks from chain_cursor`,
    );
    expect(row).toEqual({ holder: 'second', processed: 2, final: -1, endpoints: null, blocks: 2 });
    await expect(
      store.transaction((tx) => advanceCursor(tx, step('second', 1), [header(2)])),
    ).rejects.toThrow(LeaseLost);
    await store.transaction((tx) => advanceCursor(tx, step('second', 2), [header(3)]));
    await store.query(sql`delete from chain_cursor`);
  });

  it('is taken at once from a process whose session has ended, and not from one that lives or shows no presence', async () => {
    const chainUid = 'sepolia';
    const presence = openPresence(database.config);
    await until(presence.isHeld);
    const first = { holder: presence.holder, isPresent: true };
    const take = async (holder: string) =>
      (await acquireLease(store, chainUid, absent(holder), 600_000)) !== undefined;
    expect(await acquireLease(store, chainUid, first, 600_000)).toBeDefined();
    expect(await take('second')).toBe(false);
    // It lives, but the database cannot know: another may take over, and what it writes then is refused.
    const locks = sql`pg_locks where locktype = 'advisory' and classid = ${presenceLock}
      and database = (select oid from pg_database where datname = current_database())`;
    await store.query(sql`select pg_terminate_backend(pid) from ${locks}`);
    await until(() => take('second'));
    await expect(store.transaction((tx) => assertHolder(tx, chainUid, first.holder))).rejects.toThrow(
      LeaseLost,
    );
    expect(await acquireLease(store, chainUid, first, 600_000)).toBe(undefined);
    // It was never present, so nobody knows whether it lives.
    expect(await take('third')).toBe(false);
    await releaseLease(store, chainUid, 'second');
    // It learns of the end of its session a moment after that.
    await until(async () => presence.isHeld() && (await store.query(sql`select from ${locks}`)).length > 0);
    expect(await acquireLease(store, chainUid, first, 600_000)).toBeDefined();
    expect(await take('second')).toBe(false);
    await presence.stop();
    await until(() => take('second'));
    await store.query(sql`delete from chain_cursor`);
  });
});

describe('three processes that watch one chain', () => {
  const random = createRandom('leases');
  const chain = createSimChain({ chainId: 31337, seed: random.seed });
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let mining: NodeJS.Timeout;
  const running = new Set<Vigil>();
  beforeAll(async () => {
    workspace = await createWorkspace();
    simulator = await startSimulator({ chain });
    const serve = () => workspace.serve(workspace.folder('data'), env());
    running.add(await serve());
    for (const vigil of await Promise.all([serve(), serve()])) running.add(vigil);
    await store.query(sql`update plan set detector_rate_limit = 1000000000`);
    await detectorMaker([...running][0]!, token, [['ownership_change', {}]]);
    mining = setInterval(() => chain.extend({ logs: [newOwner(random)] }), 100);
    await until(async () => (await cursor()).processed > 3);
  });
  afterAll(async () => {
    clearInterval(mining);
    await workspace.remove();
    await simulator.stop();
  });

  const env = () => ({
    DATABASE_URL: database.url,
    VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
    VIGIL_RPC_ANVIL: simulator.wsUrl,
    VIGIL_CHAIN_ANVIL_START_BLOCK: '1',
  });
  const cursor = async () => {
    const [row] = await store.query<{ processed: number; holder: string | null }>(
      sql`select coalesce(processed, 0) as processed, holder from chain_cursor`,
    );
    return row ?? { processed: 0, holder: null };
  };
  const logged = (vigil: Vigil, message: string) =>
    (vigil.stdout() + vigil.stderr()).split('\n').filter((line) => line.includes(`"${message}"`));
  const starts = (vigil: Vigil) => logged(vigil, 'Following the chain').length;
  /** The one that began to follow last of all that still live. */
  const follower = async () => {
    // The log is written a moment later.
    const found = await until(() => {
      const starters = [...running].filter((vigil) => starts(vigil) > 0);
      return starters.length > 0 ? starters : undefined;
    });
    expect(found).toHaveLength(1);
    return found[0]!;
  };
  /** Milliseconds until another process has processed a block. */
  const takeover = async (former: string | null) => {
    const start = performance.now();
    await until(async () => {
      const { holder } = await cursor();
      return holder !== null && holder !== former;
    });
    const { processed } = await cursor();
    await until(async () => (await cursor()).processed > processed);
    return performance.now() - start;
  };

  it('one follows; after a kill the one that stands by takes over, and reads nothing of what is watched', async () => {
    const first = await follower();
    const { holder } = await cursor();
    running.delete(first);
    const standBy = await until(() =>
      [...running].find((vigil) => logged(vigil, 'Standing by for the chain').length > 0),
    );
    await first.stop('SIGKILL');
    const ms = await takeover(holder);
    console.log(`SEED=${random.seed}: taken over ${Math.round(ms)} ms after kill -9`);
    expect(await follower()).toBe(standBy);
    expect(logged(standBy, 'Following the chain').map((line) => JSON.parse(line))).toMatchObject([
      { chain: 'anvil', contractsRead: 0 },
    ]);
  });

  it('a stand-by that is frozen keeps the chain from no one, and takes nothing when it goes on', async () => {
    const former = await follower();
    const { holder } = await cursor();
    running.add(await workspace.serve(workspace.folder('data'), env()));
    const standingBy = (vigil: Vigil) => logged(vigil, 'Standing by for the chain').length;
    const before = new Map([...running].map((vigil) => [vigil, standingBy(vigil)]));
    // For a while no one would stand by in the place of the one that follows now.
    await store.query(sql`delete from chain_standby`);
    const frozen = await until(() => [...running].find((vigil) => standingBy(vigil) > before.get(vigil)!));
    process.kill(frozen.pid, 'SIGSTOP');
    running.delete(former);
    const { processed } = await cursor();
    const stopping = former.stop('SIGTERM');
    const heir = await until(async () => {
      const { holder: current } = await cursor();
      return current === holder ? undefined : current;
    });
    // It went on with the chain until one that answers was ready.
    expect((await cursor()).processed).toBeGreaterThan(processed + 5);
    await until(async () => (await cursor()).processed === chain.head.number);
    expect((await stopping).code).toBe(0);
    process.kill(frozen.pid, 'SIGCONT');
    await sleep(3000);
    expect(starts(frozen)).toBe(0);
    expect((await cursor()).holder).toBe(heir);
  });

  it('one that was frozen finds itself replaced and writes nothing more', async () => {
    const frozen = await follower();
    const { holder } = await cursor();
    process.kill(frozen.pid, 'SIGSTOP');
    const ms = await takeover(holder);
    console.log(`taken over ${Math.round(ms)} ms after SIGSTOP`);
    const { holder: heir } = await cursor();
    process.kill(frozen.pid, 'SIGCONT');
    await sleep(4000);
    expect((await cursor()).holder).toBe(heir);
    expect(starts(frozen)).toBe(1);
    running.delete(frozen);
    await frozen.stop('SIGTERM');
    expect((await cursor()).holder).toBe(heir);
  });

  it('one that is stopped hands over at once, and in the end every alert is there once', async () => {
    const { holder } = await cursor();
    const last = await follower();
    const spare = await workspace.serve(workspace.folder('data'), env());
    const stopping = last.stop('SIGTERM');
    const ms = await takeover(holder);
    console.log(`taken over ${Math.round(ms)} ms after SIGTERM`);
    expect((await stopping).code).toBe(0);
    clearInterval(mining);
    await until(async () => (await cursor()).processed === chain.head.number && isWritten(store, 'anvil'));
    const alerts = await store.query<{ number: number; count: number }>(
      sql`select block_number as number, count(*) as count from alert where detector_id is not null
        and block_number is not null group by 1 order by 1`,
    );
    expect(alerts).toEqual(chain.blocks.slice(1).map(({ number }) => ({ number, count: 1 })));
    expect((await spare.stop('SIGTERM')).code).toBe(0);
  });
});
