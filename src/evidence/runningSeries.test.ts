import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptySeries, extendSeries, scoreInSeries } from './runningSeries.ts';

const seriesOf = (values: readonly number[], keep = 1_000) =>
  values.reduce((series, value) => extendSeries(series, value, keep), emptySeries);

describe('running series', () => {
  it('has the mean and the variance of all numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 200 }), (values) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
        const [count, runningMean, runningSquares] = seriesOf(values);
        expect(count).toBe(values.length);
        expect(Math.abs(runningMean - mean)).toBeLessThanOrEqual(1e-9 * (mean + 1));
        expect(Math.abs(runningSquares - squares)).toBeLessThanOrEqual(1e-6 * (squares + 1));
      }),
    );
  });

  it('follows the times once it is full', () => {
    const values = [...Array.from({ length: 500 }, () => 10), ...Array.from({ length: 500 }, () => 1_000)];
    const [count, mean] = seriesOf(values, 50);
    expect(count).toBe(50);
    expect(mean).toBeGreaterThan(995);
  });

  it('counts deviations, with 1 % of the mean as the least', () => {
    const varying = seriesOf([90, 110, 90, 110]);
    expect(scoreInSeries(varying, 100)).toBe(0);
    expect(scoreInSeries(varying, 100 + 4 * Math.sqrt(400 / 3))).toBeCloseTo(4, 9);
    const constant = seriesOf([100, 100, 100]);
    expect(scoreInSeries(constant, 103)).toBeCloseTo(3, 9);
    expect(scoreInSeries(constant, 97)).toBeCloseTo(-3, 9);
    expect(scoreInSeries(seriesOf([0, 0, 0]), 1)).toBe(1e9);
    expect(scoreInSeries(seriesOf([5]), 1_000)).toBe(0);
  });
});
