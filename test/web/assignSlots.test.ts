import { describe, expect, it } from 'vitest';
import { assignSlots } from '../../web/src/parts/assignSlots.ts';

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
const start = assignSlots(new Map(), range(0, 10), undefined);

describe('rows of a table', () => {
  it('keep their elements while they stay, and take over those of rows that left', () => {
    const after = assignSlots(start, range(3, 13), undefined);
    for (const key of range(3, 10)) expect(after.get(key)).toBe(start.get(key));
    expect([...after.values()].sort((a, b) => a - b)).toEqual(range(0, 10));
  });

  it('use the elements in their order after a jump, so that none moves', () => {
    const after = assignSlots(start, range(500, 510), undefined);
    expect([...after]).toEqual(range(500, 510).map((key, slot) => [key, slot]));
    expect([...assignSlots(start, range(8, 18), undefined).values()]).toEqual(range(0, 10));
  });

  it('leave the element of the row with the focus to it, however far they go', () => {
    const far = assignSlots(start, [4, ...range(500, 510)], 4);
    expect(far.get(4)).toBe(start.get(4));
    expect(new Set(far.values()).size).toBe(11);
    expect(assignSlots(far, range(0, 10), 4).get(4)).toBe(start.get(4));
  });
});
