import type { ChainClient } from '../../chains/chainClient.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import { evaluateMatches, type SubscriberState } from '../../matching/evaluateMatches.ts';
import { matchInner } from '../../matching/matchInner.ts';
import type { Subscriber } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { BacktestAlert, BacktestResult } from '../../model/backtest.ts';
import type { Block } from '../../model/block.ts';
import type { BacktestTargets } from '../../store/watch/backtests.ts';
import { createPrefetcher } from '../follow/createPrefetcher.ts';

const maxSamples = 50;
const dayMs = 86_400_000;

type Options = {
  client: ChainClient;
  subscriber: Subscriber;
  fetch: Fetch;
  fromBlock: number;
  toBlock: number;
  /** The destinations that its alerts would notify and the actions that they would fire. */
  targets: BacktestTargets;
  /** Called with the number of processed blocks; returning false stops the run. */
  onProgress: (processed: number) => boolean;
};

/** Runs a detector over past blocks, starting without state. Nothing is stored or sent. Undefined: it was stopped. */
export async function runBacktest({
  client,
  subscriber,
  fetch,
  fromBlock,
  toBlock,
  targets,
  onProgress,
}: Options): Promise<BacktestResult | undefined> {
  const index = createSubscriptionIndex();
  index.add(subscriber);
  const prefetcher = createPrefetcher(client);
  const result: BacktestResult = {
    blocks: 0,
    transactions: 0,
    evaluations: 0,
    alerts: 0,
    bySeverity: {},
    byDay: [],
    samples: [],
    notified: [],
    fired: [],
    faults: 0,
    firstFault: null,
  };
  let state: SubscriberState | undefined;
  let previous: Block | undefined;
  await client.header('latest');
  for (let next = fromBlock; next <= toBlock; ) {
    const blocks = await prefetcher.take(next, previous?.hash);
    if (blocks.length === 0) throw new Error(`The chain has no block ${next}.`);
    for (const taken of blocks.filter(({ number }) => number <= toBlock)) {
      const block = (await client.detail?.(taken, index)) ?? taken;
      const inner = await matchInner(client, index, block);
      // That nodes do not trace is said once.
      if (inner.failure !== undefined && result.firstFault !== inner.failure) {
        result.faults++;
        result.firstFault ??= inner.failure;
      }
      for (const matches of [index.match(block, previous), inner.matches]) {
        const evaluated = await evaluateMatches(matches, () => state, fetch);
        state = evaluated.states.get(subscriber) ?? state;
        result.evaluations += evaluated.evaluations;
        result.faults += evaluated.faults.length;
        result.firstFault ??= evaluated.faults[0]?.message ?? null;
        for (const finding of evaluated.findings) count(result, finding);
      }
      result.blocks++;
      result.transactions += block.transactions.length;
      previous = block;
    }
    next = (blocks.at(-1)?.number ?? next) + 1;
    if (!onProgress(result.blocks)) return undefined;
  }
  const { alerts } = result;
  if (alerts > 0) {
    result.notified = targets.destinationIds.map((destinationId) => ({ destinationId, alerts }));
    result.fired = targets.actionIds.map((actionId) => ({ actionId, alerts }));
  }
  return result;
}

function count(result: BacktestResult, finding: Finding): void {
  result.alerts++;
  result.bySeverity[finding.severity] = (result.bySeverity[finding.severity] ?? 0) + 1;
  const ts = finding.timestamp - (finding.timestamp % dayMs);
  const day = result.byDay.at(-1);
  if (day?.ts === ts) day.count++;
  else result.byDay.push({ ts, count: 1 });
  if (result.samples.length < maxSamples) result.samples.push(toSample(finding));
}

function toSample(finding: Finding): BacktestAlert {
  const { severity, name, message, timestamp, blockNumber = null, txHash = null, meta } = finding;
  return { severity, name, message, timestamp, blockNumber, txHash, meta };
}
