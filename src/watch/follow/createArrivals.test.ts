import { expect, it } from 'vitest';
import { createArrivals } from './createArrivals.ts';

it('learns the pace of fast blocks beside a pause of the chain', () => {
  const arrivals = createArrivals(12_000);
  const start = 1_800_000_000_000;
  const times = [0, 60_000, ...Array.from({ length: 10 }, (_, n) => 61_000 + n * 1000)];
  for (const [number, time] of times.entries())
    arrivals.add(
      { number, timestamp: start + time, foundAt: start + time + 20, missedAt: start + time - 80 },
      100,
    );
  expect(arrivals.intervalMs()).toBe(1000);
  const due = arrivals.due(start + 70_100);
  expect(due?.from).toBeLessThanOrEqual(start + 71_000);
  expect(due?.to).toBeGreaterThanOrEqual(start + 71_000);
});
