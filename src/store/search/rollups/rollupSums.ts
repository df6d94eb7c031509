import type { Db } from '../../db/db.ts';

/** Sum of whole days, cell by cell, at one version of their rows. */
export type RollupSums = { version: string; counts: readonly number[] };

const kept = new WeakMap<object, Map<string, RollupSums>>();
const maxKept = 2000;

/** The sums that were read last for these days; inside of a transaction, which may have changed them itself, none. */
export function findSums(db: Db, days: string): RollupSums | undefined {
  const sums = db.cacheKey && kept.get(db.cacheKey);
  const found = sums?.get(days);
  if (sums && found) {
    sums.delete(days);
    sums.set(days, found);
  }
  return found;
}

export function keepSums(db: Db, days: string, found: RollupSums): void {
  const { cacheKey } = db;
  if (!cacheKey) return;
  const sums = kept.get(cacheKey) ?? new Map<string, RollupSums>();
  kept.set(cacheKey, sums);
  sums.delete(days);
  sums.set(days, found);
  if (sums.size > maxKept) sums.delete(sums.keys().next().value!);
}
