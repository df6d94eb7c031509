import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By measurement; a file that takes long because it waits for chains, browsers or processes may be a short text. */
const longest = [
  'test/fairness/queries.test.ts',
  'test/docs/commands.test.ts',
  'test/web/journeys.test.ts',
  'test/watch/endpoints.test.ts',
  'test/e2e/demo.test.ts',
  'test/api/isolation.test.ts',
  'test/e2e/commands.test.ts',
  'test/watch/deferred.test.ts',
  'test/fairness/chain.test.ts',
  'test/fairness/logins.test.ts',
  'test/actions/crash.test.ts',
  'test/watch/traces.test.ts',
  'test/watch/leases.test.ts',
  'test/e2e/start.test.ts',
  'test/e2e/secrets.test.ts',
  'test/e2e/rotate.test.ts',
  'test/api/streamLimits.test.ts',
  'test/web/console.test.ts',
  'test/e2e/failover.test.ts',
  'test/e2e/outage.test.ts',
  'test/store/citus.test.ts',
  'test/e2e/deferred.test.ts',
  'test/detectors/quiet.test.ts',
  'test/watch/cluster.test.ts',
  'test/watch/icp.test.ts',
  'test/watch/familyForks.test.ts',
  'test/e2e/bitcoin.test.ts',
  'test/api/badInput.test.ts',
  'test/e2e/icp.test.ts',
  'test/watch/forks.test.ts',
  'test/actions/solana.test.ts',
  'test/e2e/stop.test.ts',
  'test/e2e/traces.test.ts',
  'test/notify/stream.test.ts',
  'test/watch/replay.test.ts',
  'test/watch/changes.test.ts',
  'test/notify/reliability.test.ts',
  'test/api/access.test.ts',
  'test/e2e/crash.test.ts',
  'test/actions/lane.test.ts',
  'test/e2e/scores.test.ts',
  'test/actions/expiry.test.ts',
  'test/actions/fire.test.ts',
  'test/e2e/importLabels.test.ts',
  'test/actions/manual.test.ts',
  'test/e2e/embedded.test.ts',
  'test/actions/nonces.test.ts',
  'test/api/searchFields.test.ts',
  'src/scripts/sandbox.test.ts',
  'test/actions/trust.test.ts',
  'test/actions/pending.test.ts',
  'test/actions/pendingCrash.test.ts',
  'test/e2e/vechain.test.ts',
  'test/watch/bitcoin.test.ts',
  'test/api/export.test.ts',
  'test/e2e/stellar.test.ts',
  'test/watch/failedReads.test.ts',
  'test/fairness/deliveries.test.ts',
  'test/e2e/tron.test.ts',
  'test/e2e/databaseUrl.test.ts',
  'src/scripts/hostile.test.ts',
  'test/api/alertPages.test.ts',
];

/**
 * Begins the files that take long in time, the longest first, so that none of them is left alone at the end of a run; and spreads
 * them over it, because they mostly wait, while the many short ones keep the processors busy.
 */
export class SpreadLong extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => longest.findIndex((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    const long = sorted.filter((file) => rankOf(file) >= 0).toSorted((a, b) => rankOf(a) - rankOf(b));
    const short = sorted.filter((file) => rankOf(file) < 0);
    const shareBefore = (list: TestSpecification[]) =>
      list.map((file, at) => ({ file, share: at / list.length }));
    return [...shareBefore(long), ...shareBefore(short)]
      .toSorted((a, b) => a.share - b.share)
      .map(({ file }) => file);
  }
}
