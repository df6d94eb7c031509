import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import type { Db } from '../../db/db.ts';

/** Sum of whole days, cell by cell, at one version of their rows. */
export type RollupSums = { version: string; counts: readonly number[] };

const cache = new WeakMap<object, Map<string, RollupSums>>();
const maxKept = 2000;

/** The sums that were read last for these days; inside of a transaction, which may have changed them itself, none. */
export function findSums(db: Db, days: string): RollupSums | undefined {
  const sums = db.cacheKey && cache.get(db.cacheKey);
  const settled = sums?.get(days);
  if (settled) sums?.set(days, settled);
  return settled;
}

export function keepSums(db: Db, days: string, settled: RollupSums): void {
  const { cacheKey } = db;
  if (!cacheKey) return;
  const sums = cache.get(cacheKey) ?? createBoundedMap<string, RollupSums>(maxKept);
  cache.set(cacheKey, sums);
  sums.set(days, settled);
}
