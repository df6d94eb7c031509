import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By measurement; a file that takes long because it waits for chains, browsers or processes may be a short text. */
const longest = [
  'test/web/journeys.test.ts',
  'test/watch/forks.test.ts',
  'test/docs/commands.test.ts',
  'test/web/console.test.ts',
  'test/fairness/chain.test.ts',
  'test/actions/crash.test.ts',
  'test/e2e/deferred.test.ts',
  'test/watch/backtest.test.ts',
  'test/e2e/start.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/commands.test.ts',
  'test/api/isolation.test.ts',
  'test/fairness/logins.test.ts',
  'test/e2e/bitcoin.test.ts',
  'test/actions/bitcoinCrash.test.ts',
  'test/watch/endpoints.test.ts',
];

/** Begins with the files that take longest, so that none of them is left alone at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.endsWith(name));
      return rank < 0 ? longest.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
