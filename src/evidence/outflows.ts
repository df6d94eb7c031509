/** Outflow over time, in few enough pieces to be stored: amounts as decimal text. */
export type Outflows = {
  /** The newest last; each has what left since `at` and the balance before it. */
  readonly buckets: readonly { readonly at: number; readonly out: string; readonly before: string }[];
  /** Sums of whole windows by the calendar, for what is usual: those that are over, and the one that runs. */
  readonly past?: readonly string[];
  readonly running?: { readonly window: number; readonly out: string };
};

const bucketsPerWindow = 30;
const maxPastWindows = 24;
const minPastWindows = 3;

/** Adds what left now; `before` is asked only for the first of a piece of time. */
export function addOutflow<T extends Outflows>(
  flows: T,
  windowMs: number,
  now: number,
  amount: bigint,
  before: () => bigint,
): T {
  const time = now - (now % bucketMs(windowMs));
  const recent = within(flows, windowMs, now);
  const last = recent.at(-1);
  const buckets =
    last?.at === time
      ? [...recent.slice(0, -1), { ...last, out: add(last.out, amount) }]
      : [...recent, { at: time, out: amount.toString(), before: before().toString() }];
  return { ...flows, buckets, ...addToWindow(flows, Math.floor(now / windowMs), amount) };
}

/** Outflow within the window before now, to a thirtieth of the window. */
export function outflowWithin(flows: Outflows, windowMs: number, now: number): bigint {
  return within(flows, windowMs, now).reduce((sum, { out }) => sum + BigInt(out), 0n);
}

/** The largest balance that was there before an outflow of the window. */
export function largestBefore({ buckets }: Outflows): bigint {
  return buckets.reduce((most, { before }) => (BigInt(before) > most ? BigInt(before) : most), 0n);
}

/**
 * Usual outflow of a window: the median of the earlier ones, or the largest if most are empty. The largest also makes
 * an hour that is busy every day usual.
 */
export function baselineOf({ past = [] }: Outflows): { usual: bigint; largest: bigint } | undefined {
  if (past.length < minPastWindows) return undefined;
  const sums = past.map(BigInt).sort((a, b) => (a < b ? -1 : 1));
  const [median, largest] = [sums[sums.length >> 1]!, sums.at(-1)!];
  return largest === 0n ? undefined : { usual: median === 0n ? largest : median, largest };
}

function within({ buckets }: Outflows, windowMs: number, now: number) {
  return buckets.filter(({ at }) => at + bucketMs(windowMs) > now - windowMs);
}

function bucketMs(windowMs: number): number {
  return Math.max(1, Math.ceil(windowMs / bucketsPerWindow));
}

function addToWindow({ past = [], running }: Outflows, window: number, amount: bigint) {
  if (!running) return { past, running: { window, out: amount.toString() } };
  if (running.window === window) return { past, running: { window, out: add(running.out, amount) } };
  const quiet = Math.min(maxPastWindows, Math.max(0, window - running.window - 1));
  const over = [...past, running.out, ...Array<string>(quiet).fill('0')].slice(-maxPastWindows);
  return { past: over, running: { window, out: amount.toString() } };
}

function add(text: string, amount: bigint): string {
  return (BigInt(text) + amount).toString();
}
