import { BaseSequencer, type TestSpecification } from 'vitest/node';
import tests from './longTests.json' with { type: 'json' };

/**
 * Begins the files that take long in time, the longest first, so that none of them is left alone at the end of a run; and spreads
 * them over it, because they mostly wait, while the many short ones keep the processors busy.
 */
export class SpreadLong extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) =>
      tests.longest.findIndex((name) => moduleId.endsWith(name));
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
