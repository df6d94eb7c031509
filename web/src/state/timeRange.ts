/** A stretch of time: a length that ends now (`24h`), or two moments (`1794700800000-1794787200000`), as the address bar has it. */
export type TimeRange = string;

export const rangePresets = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['6h', 'Last 6 hours'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
  ['365d', 'Last year'],
] as const;

const lengths = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function resolveRange(range: TimeRange, now: number): { from: number; to: number } {
  const absolute = /^(\d{1,15})-(\d{1,15})$/.exec(range);
  if (absolute) {
    const [from, to] = [Number(absolute[1]), Number(absolute[2])];
    return { from: Math.min(from, to), to: Math.max(from, to) };
  }
  const relative = /^(\d{1,6})([mhd])$/.exec(range);
  const length = relative ? Number(relative[1]) * lengths[relative[2] as keyof typeof lengths] : lengths.d;
  return { from: Math.max(0, now - length), to: now };
}

export const isRelative = (range: TimeRange): boolean => !range.includes('-');

const steps = [
  ['1s', 1000],
  ['5s', 5000],
  ['10s', 10_000],
  ['30s', 30_000],
  ['1m', 60_000],
  ['5m', 300_000],
  ['15m', 900_000],
  ['30m', 1_800_000],
  ['1h', 3_600_000],
  ['3h', 10_800_000],
  ['6h', 21_600_000],
  ['12h', 43_200_000],
  ['1d', 86_400_000],
  ['7d', 604_800_000],
  ['30d', 2_592_000_000],
] as const;

/** The width of a bar that gives about as many as wanted. */
export function toInterval(
  { from, to }: { from: number; to: number },
  bars = 72,
): { interval: string; step: number } {
  const wanted = (to - from) / bars;
  const [interval, step] = steps.find(([, length]) => length >= wanted) ?? steps.at(-1)!;
  return { interval, step };
}
