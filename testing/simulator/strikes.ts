import { createSeededRandom } from '../seededRandom.ts';

/** What happens to one request. */
export type Strike =
  /** Not executed; the connection is reset, or nothing ever comes. */
  | 'loseRequest'
  | 'swallowRequest'
  /** Executed; the connection is reset, or nothing ever comes. */
  | 'loseReply'
  | 'swallowReply'
  /** Executed twice, as by a proxy that tried again. HTTP brings the second answer, a WebSocket both. */
  | 'repeat'
  /** Executed after the next request with the same method, or after half a second. */
  | 'overtaken'
  /** A batch is executed and answered from its end. */
  | 'reverse'
  /** A status in place of an answer; only behind 504 was it executed. */
  | 429
  | 500
  | 504
  /** Executed later, or at once and answered later. */
  | { delayMs: number }
  | { lateMs: number };

/** What the client gets in place of an answer. */
export type Loss = 'reset' | 'hang' | 429 | 500 | 504;

/** Where the request is not executed. */
export const lossBefore: ReadonlyMap<unknown, Loss> = new Map<unknown, Loss>([
  ['loseRequest', 'reset'],
  ['swallowRequest', 'hang'],
  [429, 429],
  [500, 500],
]);

/** Where it is. */
export const lossAfter: ReadonlyMap<unknown, Loss> = new Map<unknown, Loss>([
  ['loseReply', 'reset'],
  ['swallowReply', 'hang'],
  [504, 504],
]);

/** Decides for each request by its method and how often that was asked for, counted from 1. */
export type Strikes = (method: string, nth: number) => Strike | undefined;

/** Each strike with its share of the requests; how long a delay is, up to what it says, is chance as well. */
export function randomStrikes(
  seed: number,
  shares: readonly (readonly [share: number, strike: Strike])[],
  methods?: readonly string[],
): Strikes {
  const random = createSeededRandom(seed);
  return (method) => {
    if (methods && !methods.includes(method)) return undefined;
    let drawn = random.next();
    for (const [share, strike] of shares) {
      drawn -= share;
      if (drawn < 0) return shorten(strike, random.next());
    }
    return undefined;
  };
}

function shorten(strike: Strike, part: number): Strike {
  if (typeof strike !== 'object') return strike;
  return 'delayMs' in strike ? { delayMs: strike.delayMs * part } : { lateMs: strike.lateMs * part };
}
