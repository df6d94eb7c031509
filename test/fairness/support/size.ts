/** Every attack runs small in CI; PROVE_SIZE=full (`npm run prove:fairness`) runs it as large as it was first seen. */
export const isFull = process.env.PROVE_SIZE === 'full';

export function sized<T>(small: T, full: T): T {
  return isFull ? full : small;
}
