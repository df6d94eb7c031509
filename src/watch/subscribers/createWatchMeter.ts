import type { Evaluated } from '../../matching/evaluateMatches.ts';
import type { Matches } from '../../matching/matches.ts';
import type { Finding } from '../../model/alert.ts';
import type { Block } from '../../model/block.ts';
import { createSeriesCache, platformTenant, type Series } from '../../model/metrics.ts';

type Recorder = { add(series: Series, tenantId: number, value: number): void };

export type WatchMeter = ReturnType<typeof createWatchMeter>;

/** Counts the work on a chain: all of it for the platform, and for each tenant what concerns it. */
export function createWatchMeter(chain: string, recorder: Recorder) {
  const seriesOf = createSeriesCache({ chain });

  function countAlerts(findings: readonly Finding[]): void {
    for (const { kind, tenantId } of findings) {
      recorder.add(seriesOf('alerts', kind), platformTenant, 1);
      recorder.add(seriesOf('alerts', kind), tenantId, 1);
    }
  }

  return {
    countAlerts,
    countBlock(block: Block, matches: Matches, { evaluations }: Evaluated): void {
      recorder.add(seriesOf('blocks'), platformTenant, 1);
      recorder.add(seriesOf('transactions'), platformTenant, block.transactions.length);
      recorder.add(seriesOf('events'), platformTenant, block.logs.length);
      if (evaluations === 0) return;
      const transactions = new Map<number, Set<string>>();
      for (const [{ kind, contract }, observations] of matches) {
        recorder.add(seriesOf('evaluations', kind), platformTenant, observations.length);
        recorder.add(seriesOf('evaluations', kind), contract.tenantId, observations.length);
        const hashes = transactions.get(contract.tenantId) ?? new Set();
        transactions.set(contract.tenantId, hashes);
        for (const observation of observations)
          if ('transaction' in observation) hashes.add(observation.transaction.hash);
      }
      for (const [tenantId, hashes] of transactions) {
        recorder.add(seriesOf('blocks'), tenantId, 1);
        if (hashes.size > 0) recorder.add(seriesOf('transactions'), tenantId, hashes.size);
      }
    },
    countPending(type: 'seen' | 'simulated' | 'dropped', count: number): void {
      if (count > 0) recorder.add(seriesOf('pending_transactions', type), platformTenant, count);
    },
    measureLag(processed: Block, head: number): void {
      recorder.add(seriesOf('head_lag'), platformTenant, Math.max(0, head - processed.number));
    },
  };
}
