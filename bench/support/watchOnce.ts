import pino from 'pino';
import { chains, getChain } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { deriveAuditKey } from '../../src/lib/auditKey.ts';
import type { MetricRecorder } from '../../src/model/metrics.ts';
import type { TraceMode } from '../../src/model/traceState.ts';
import { listen } from '../../src/store/db/listen.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { findLabels } from '../../src/store/labels/findLabels.ts';
import { findFunding } from '../../src/store/watch/funding.ts';
import { openPresence } from '../../src/store/watch/openPresence.ts';
import { createFetch } from '../../src/watch/reads/createFetch.ts';
import { startWatching } from '../../src/watch/startWatching.ts';
import { createWatchList } from '../../src/watch/subscribers/createWatchList.ts';

export type WatchOrder = {
  connection: Connection;
  urls: string[];
  detectors: number;
  behind: number;
  live: number;
  /** Where alerts come from traces: how many of each block. A block counts as stored when they are. */
  traced?: number;
  traces?: TraceMode;
};
export type Figures = {
  blocksPerSecond: number;
  cpuMsPerBlock: number;
  rssMb: number;
  callsPerBlock: number;
  p50Ms: number;
  p99Ms: number;
  naiveMsPerBlock: number;
  loadMs: number;
};

const chain = chains.ethereum;

/** Follows the chain in a process of its own: first what lies behind, then block by block. */
process.once('message', (order: WatchOrder) => void watch(order));

async function watch({ connection, urls, behind, live, traced, traces = 'auto' }: WatchOrder): Promise<void> {
  const store = openStore(connection, () => {});
  let calls = 0;
  const client = createEvmClient({ chain, urls, now: Date.now, onCall: () => calls++, traces });
  const storedAt: number[] = [];
  let seen = 0;
  let alerts = 0;
  let wake: () => void = () => {};
  const recorder: MetricRecorder = {
    add({ metric }, tenantId) {
      if (traced !== undefined) {
        if (metric !== 'alerts' || tenantId !== 0 || ++alerts % traced !== 0) return;
        storedAt.push(Date.now());
        wake();
        return;
      }
      if (metric === 'blocks' && tenantId === 0) seen++;
      // Written once for every step, after it is stored.
      if (metric !== 'head_lag') return;
      while (storedAt.length < seen) storedAt.push(Date.now());
      wake();
    },
    flush: async () => {},
  };
  const until = async (blocks: number) => {
    while (storedAt.length < blocks) await new Promise<void>((resolve) => (wake = resolve));
  };
  const cpu = process.cpuUsage();
  const watching = startWatching({
    settings: { ethereum: { startBlock: 1, traces } },
    confirmations: (uid) => getChain(uid).confirmations,
    clientOf: (uid) => (uid === chain.uid ? client : undefined),
    store,
    // Labels and funding of whom an alert names; these detectors read nothing else.
    fetchFor: (uid, reader) =>
      createFetch({
        client: reader,
        labels: (addresses) => findLabels(store, { chainUid: uid, addresses }),
        funding: (addresses) => findFunding(store, uid, addresses),
        allocations: unused,
        newestAlert: unused,
        scripts: unused,
        http: unused,
      }),
    recorder,
    auditKeys: { newest: () => deriveAuditKey(1, Buffer.alloc(32)) },
    listen: (onMessage) => listen(connection, 'vigil_watch', onMessage),
    presence: openPresence(connection),
    alertHooks: [],
    retractionHooks: [],
    now: Date.now,
    log: pino({ level: 'error' }),
  });
  await until(1);
  const start = performance.now();
  await until(behind);
  const blocksPerSecond = (behind - 1) / ((performance.now() - start) / 1000);
  const used = process.cpuUsage(cpu);
  const before = calls;
  process.send?.('caught up');
  process.once('message', ({ released }: { released: number[] }) => void finish(released));

  async function finish(released: readonly number[]): Promise<void> {
    await until(behind + live);
    const delays = released.map((at, n) => storedAt[behind + n]! - at).sort((a, b) => a - b);
    const figures: Figures = {
      blocksPerSecond,
      cpuMsPerBlock: (used.user + used.system) / 1000 / behind,
      rssMb: process.memoryUsage().rss / 1e6,
      callsPerBlock: (calls - before) / live,
      p50Ms: delays[Math.floor(delays.length * 0.5)]!,
      p99Ms: delays[Math.floor(delays.length * 0.99)]!,
      ...(await naive()),
    };
    await watching.stop();
    await client.close();
    await store.close();
    process.send?.(figures);
    process.disconnect();
  }

  /** What most tools do: every monitor looks at every log and every transaction. */
  async function naive(): Promise<{ naiveMsPerBlock: number; loadMs: number }> {
    const list = createWatchList(chain);
    const loadMs = await timeOf(() => list.refresh(store));
    const monitors = Array.from(list.contracts(), ({ contract }) => contract.address);
    const block = (await client.block(1))!;
    const naiveMsPerBlock = await timeOf(async () => {
      let found = 0;
      for (const address of monitors) {
        for (const log of block.logs) if (log.address === address) found++;
        for (const { to, from } of block.transactions) if (to === address || from === address) found++;
      }
      if (found === 0) throw new Error('The plain loop found nothing.');
    });
    return { naiveMsPerBlock, loadMs };
  }
}

function unused(): never {
  throw new Error('These detectors do not read this.');
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
