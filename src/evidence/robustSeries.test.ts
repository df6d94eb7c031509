import { describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { emptySeries, extendSeries, judgeInSeries, median, type RobustSeries } from './robustSeries.ts';

const seriesOf = (values: readonly number[]): RobustSeries => values.reduce(extendSeries, emptySeries);

describe('a robust series', () => {
  it('finds a number far beyond all others, and how far', () => {
    const series = seriesOf(Array.from({ length: 100 }, (_, n) => 50_000 + (n % 7) * 1_000));
    expect(judgeInSeries(series, 55_000)).toBeUndefined();
    const { usual, score } = judgeInSeries(series, 500_000)!;
    expect(usual).toBeCloseTo(53_000, -3);
    expect(score).toBeGreaterThan(10);
    expect(judgeInSeries(series, 5_000)!.score).toBeLessThan(-10);
  });

  it('does not let one outlier hide the next larger one, nor make the usual odd', () => {
    const series = seriesOf([...Array<number>(60).fill(100), 10_000]);
    expect(judgeInSeries(series, 100)).toBeUndefined();
    expect(judgeInSeries(series, 12_000)).toBeUndefined();
    expect(judgeInSeries(series, 100_000)!.score).toBeGreaterThan(50);
  });

  it('takes numbers with several modes as usual within them', () => {
    const random = createRandom('robustSeries');
    const draw = () => random.pick([21_000, 60_000, 900_000]) * (0.9 + 0.2 * random.random());
    const series = seriesOf(Array.from({ length: 300 }, draw));
    for (let n = 0; n < 300; n++) expect(judgeInSeries(series, draw())).toBeUndefined();
  });

  it('stays small, and forgets extremes slowly', () => {
    const series = seriesOf([1e9, ...Array<number>(10_000).fill(1_000)]);
    expect(JSON.stringify(series).length).toBeLessThan(500);
    expect(judgeInSeries(series, 1e6)!.score).toBeGreaterThan(50);
  });

  it('has the median of an even and an odd number of values', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
  });
});
