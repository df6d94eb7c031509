import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextAttempt, retryDelaysMs } from './retrySchedule.ts';

const hour = 3_600_000;

describe('the schedule of attempts', () => {
  it('stays within 20 % of each delay, whatever chance says, and ends after the tenth attempt', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (step, chance, now) => {
        const next = nextAttempt(step, now, chance);
        if (step === 9) return next === undefined;
        const wait = next! - now;
        return (
          wait >= Math.floor(retryDelaysMs[step + 1]! * 0.8) &&
          wait <= Math.ceil(retryDelaysMs[step + 1]! * 1.2)
        );
      }),
    );
  });

  it('uses the whole of the spread', () => {
    expect([nextAttempt(0, 0, 0), nextAttempt(0, 0, 0.5), nextAttempt(0, 0, 1)]).toEqual([4000, 5000, 6000]);
  });

  it('waits longer for a receiver that asks, by a day at most, and never shorter', () => {
    expect(nextAttempt(0, 0, 0.5, hour)).toBe(hour);
    expect(nextAttempt(0, 0, 0.5, 100 * hour)).toBe(24 * hour);
    expect(nextAttempt(3, 0, 0.5, 1000)).toBe(2 * hour);
    expect(nextAttempt(9, 0, 0.5, hour)).toBeUndefined();
  });
});
