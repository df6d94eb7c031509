import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainClient } from '../chains/chainClient.ts';
import { type ChainUid, chains, toChainFacts } from '../chains/chains.ts';

import { messageOf } from '../lib/messageOf.ts';
import { compileDetector } from '../matching/compileDetector.ts';
import type { Fetch } from '../matching/createReadCache.ts';
import type { Store } from '../store/db.ts';
import {
  type ClaimedBacktest,
  claimBacktest,
  continueBacktest,
  findBacktestTargets,
  finishBacktest,
} from '../store/watch/backtests.ts';
import { runBacktest } from './runBacktest.ts';

const leaseMs = 15_000;
const reportIntervalMs = 500;

type Options = {
  store: Store;
  chainUids: readonly ChainUid[];
  clientOf: (uid: ChainUid) => ChainClient | undefined;
  fetchFor: (uid: ChainUid, client: ChainClient) => Fetch;
  now: () => number;
  onError: (error: unknown) => void;
  signal: AbortSignal;
};

/** Runs the backtests that were asked for, one at a time. */
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
      const claimed = await claimBacktest(store, chainUids, leaseMs);
      if (claimed) {
        await work(claimed);
        continue;
      }
    } catch (error) {
      onError(error);
    }
    await sleep(500, undefined, { signal }).catch(() => undefined);
  }

  async function work(claimed: ClaimedBacktest): Promise<void> {
    const uid = claimed.chainUid as ChainUid;
    const found = clientOf(uid)!;
    const row = {
      id: claimed.detectorId ?? 0,
      name: claimed.name,
      schemaName: claimed.schemaName,
      tags: claimed.tags,
      config: claimed.config,
    };
    const subscriber = compileDetector(row, claimed.contract, toChainFacts(chains[uid]));
    if ('fault' in subscriber) {
      await finishBacktest(store, claimed.uid, subscriber, now());
      return;
    }
    let isWanted = true;
    let toldAt = 0;
    const tell = (processed: number) => {
      if (now() < toldAt + reportIntervalMs) return;
      toldAt = now();
      continueBacktest(store, claimed.uid, processed, leaseMs, now()).then((goesOn) => {
        isWanted &&= goesOn;
      }, onError);
    };
    try {
      const result = await runBacktest({
        client: found,
        subscriber,
        fetch: fetchFor(uid, found),
        fromBlock: claimed.fromBlock,
        toBlock: claimed.toBlock,
        targets: await findBacktestTargets(store, claimed.tenantId, claimed.detectorId),
        onProgress: (processed) => {
          tell(processed);
          return isWanted && !signal.aborted;
        },
      });
      if (result) await finishBacktest(store, claimed.uid, { result }, now());
    } catch (error) {
      await finishBacktest(store, claimed.uid, { fault: messageOf(error) }, now());
    }
  }
}
