/** Usual sum of a number within an hour: the hours with a sum, and the last report. */
export type Ordinary = {
  readonly hours: readonly (readonly [hour: number, sum: number])[];
  readonly reported?: readonly [hour: number, sum: number];
};

const hourMs = 3_600_000;
const maxHours = 24;
const maxAgeHours = 30 * 24;
/** So many hours make a habit. */
const habitHours = 5;
/** As long as there is none, less than twice the largest of so many hours is not reported. */
const recentHours = 6;
const factor = 3;

/**
 * Judges a value by size, not by frequency. An hour counts only if its sum reached `least`, and the largest is left
 * out, so no single event becomes a habit.
 */
export function judgeOrdinary(
  { hours = [], reported }: Partial<Ordinary>,
  moment: number,
  value: number,
  least: number,
): { isUnusual: boolean; sum: number; usual: number | undefined; after: Ordinary } {
  const hour = Math.floor(moment / hourMs);
  const before = hours.find(([time]) => time === hour)?.[1] ?? 0;
  const past = hours.filter(([time, sum]) => time < hour && time > hour - maxAgeHours && sum >= least);
  const sum = before + value;
  const usual = habitOf(past);
  const known = reported?.[0] === hour ? reported[1] : 0;
  const limit = Math.max(least, usual === undefined ? 2 * largest(past, hour) : factor * usual);
  const isAlone = usual !== undefined && value >= limit;
  const isUnusual = sum >= limit && (isAlone || sum >= 2 * known);
  const after: Ordinary = {
    hours: [...past, [hour, round(sum)] as const].slice(-maxHours),
    ...(isUnusual ? { reported: [hour, round(sum)] } : reported && { reported }),
  };
  return { isUnusual, sum, usual, after };
}

function habitOf(past: Ordinary['hours']): number | undefined {
  if (past.length < habitHours) return undefined;
  return past.map(([, sum]) => sum).sort((a, b) => b - a)[1];
}

function largest(past: Ordinary['hours'], hour: number): number {
  return past.reduce((most, [time, sum]) => (time >= hour - recentHours ? Math.max(most, sum) : most), 0);
}

/** Keeps what is stored short. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
