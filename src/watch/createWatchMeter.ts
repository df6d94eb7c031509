import type { Matches } from '../matching/createSubscriptionIndex.ts';
import type { Evaluated } from '../matching/evaluateMatches.ts';
import type { Finding } from '../model/alert.ts';
import type { Block } from '../model/block.ts';
import { type MetricName, platformTenant } from '../model/metrics.ts';

type Series = { readonly metric: MetricName; readonly labels: Readonly<Record<string, string>> };
type Recorder = { add(series: Series, tenantId: number, value: number): void };

export type WatchMeter = ReturnType<typeof createWatchMeter>;

/** Counts what is done on a chain: for the platform all of it, for a tenant what concerned it. */
export function createWatchMeter(chain: string, recorder: Recorder) {
  // A series is recognised by being the same object.
  const known = new Map<string, Series>();
  const series = (metric: MetricName, type?: string): Series => {
    const key = `${metric} ${type ?? ''}`;
    let found = known.get(key);
    if (!found) {
      found = { metric, labels: type === undefined ? { chain } : { chain, type } };
      known.set(key, found);
    }
    return found;
  };

  function raised(findings: readonly Finding[]): void {
    for (const { kind, tenantId } of findings) {
      recorder.add(series('alerts', kind), platformTenant, 1);
      recorder.add(series('alerts', kind), tenantId, 1);
    }
  }

  return {
    /** Alerts that came later than with their block. */
    raised,
    block(block: Block, matches: Matches, { evaluations }: Evaluated): void {
      recorder.add(series('blocks'), platformTenant, 1);
      recorder.add(series('transactions'), platformTenant, block.transactions.length);
      recorder.add(series('events'), platformTenant, block.logs.length);
      if (evaluations === 0) return;
      const seen = new Map<number, Set<string>>();
      for (const [{ kind, contract }, observations] of matches) {
        recorder.add(series('evaluations', kind), platformTenant, observations.length);
        recorder.add(series('evaluations', kind), contract.tenantId, observations.length);
        const hashes = seen.get(contract.tenantId) ?? new Set();
        seen.set(contract.tenantId, hashes);
        for (const observation of observations)
          if ('transaction' in observation) hashes.add(observation.transaction.hash);
      }
      for (const [tenantId, hashes] of seen) {
        recorder.add(series('blocks'), tenantId, 1);
        if (hashes.size > 0) recorder.add(series('transactions'), tenantId, hashes.size);
      }
    },
    stored(last: Block, findings: readonly Finding[], head: number): void {
      raised(findings);
      recorder.add(series('head_lag'), platformTenant, Math.max(0, head - last.number));
    },
  };
}
