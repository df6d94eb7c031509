/** Random tests and attacks run small in `npm test`; PROVE_SIZE=full (`npm run prove`) runs them at the size that is promised. */
export const isFull = process.env.PROVE_SIZE === 'full';

export function sized<T>(small: T, full: T): T {
  return isFull ? full : small;
}

/** The number of random histories; PROVE_HISTORIES=500 runs a part, so that many runs with seeds of their own add up. */
export function historiesSized(small: number, full: number): number {
  const wanted = process.env.PROVE_HISTORIES;
  return wanted === undefined ? sized(small, full) : Number(wanted);
}
