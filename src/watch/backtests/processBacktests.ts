import type { ChainClient } from '../../chains/chainClient.ts';
import { type ChainUid, getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { waitForNews } from '../../lib/waitForNews.ts';
import { compileDetector } from '../../matching/compileDetector.ts';
import type { Fetch } from '../../matching/createReadCache.ts';
import type { Store } from '../../store/db/db.ts';
import { pollDue } from '../../store/db/pollDue.ts';
import {
  type ClaimedBacktest,
  claimBacktest,
  continueBacktest,
  findBacktestTargets,
  finishBacktest,
  hasBacktests,
} from '../../store/watch/backtests.ts';
import { runBacktest } from './runBacktest.ts';

const leaseMs = 15_000;
const reportIntervalMs = 500;
/** Between two looks in any case. */
const longestWaitMs = 30_000;

type Options = {
  store: Store;
  /** Those that can be read at the moment. */
  chainUids: () => readonly ChainUid[];
  clientOf: (uid: ChainUid) => ChainClient | undefined;
  fetchFor: (uid: ChainUid, client: ChainClient) => Fetch;
  now: () => number;
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/** Runs queued backtests, one at a time, until the signal. */
export async function processBacktests({
  store,
  chainUids,
  clientOf,
  fetchFor,
  now,
  onError,
  signal,
}: Options): Promise<void> {
  while (!signal.aborted) {
    try {
      const claimed = await claimBacktest(store, chainUids(), leaseMs);
      if (claimed) {
        await run(claimed);
        continue;
      }
    } catch (error) {
      onError(error);
    }
    await waitForNews(longestWaitMs, signal, (wake) => pollDue(store, () => hasBacktests, wake));
  }

  async function run(claimed: ClaimedBacktest): Promise<void> {
    const chain = getChain(claimed.chainUid);
    const client = clientOf(chain.uid);
    if (!client) {
      await finishBacktest(store, claimed.uid, { fault: `${chain.uid} cannot be read from here.` }, now());
      return;
    }
    const row = {
      id: claimed.detectorId ?? 0,
      name: claimed.name,
      schemaName: claimed.schemaName,
      tags: claimed.tags,
      config: claimed.config,
    };
    const subscriber = compileDetector(row, claimed.contract, toChainFacts(chain));
    if ('fault' in subscriber) {
      await finishBacktest(store, claimed.uid, subscriber, now());
      return;
    }
    let isCancelled = false;
    let reportedAt = 0;
    const report = (processed: number) => {
      if (now() < reportedAt + reportIntervalMs) return;
      reportedAt = now();
      continueBacktest(store, claimed.uid, processed, leaseMs, now()).then((isRunning) => {
        isCancelled ||= !isRunning;
      }, onError);
    };
    try {
      const result = await runBacktest({
        client,
        subscriber,
        fetch: fetchFor(chain.uid, client),
        fromBlock: claimed.fromBlock,
        toBlock: claimed.toBlock,
        targets: await findBacktestTargets(store, claimed.tenantId, claimed.detectorId, subscriber.contract),
        onProgress: (processed) => {
          report(processed);
          return !isCancelled && !signal.aborted;
        },
      });
      if (result) await finishBacktest(store, claimed.uid, { result }, now());
    } catch (error) {
      await finishBacktest(store, claimed.uid, { fault: messageOf(error) }, now());
    }
  }
}
