/** Random tests and attacks run small in `npm test`; PROVE_SIZE=full (`npm run prove`) runs them at the size that is promised. */
export const isFull = process.env.PROVE_SIZE === 'full';

export function sized<T>(small: T, full: T): T {
  return isFull ? full : small;
}
