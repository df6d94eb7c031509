import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { settleAll } from '../../lib/settleAll.ts';
import type { Db } from '../../store/db/db.ts';
import { findInhibitions } from '../../store/destinations/inhibitions.ts';
import { findRoutes } from '../../store/destinations/routes.ts';
import { findOpenSilences } from '../../store/destinations/silences.ts';
import { type CompiledInhibition, compileInhibition } from './compileInhibition.ts';
import { type CompiledQuery, compileQuery } from './compileQuery.ts';
import { compileRoutes, type RouteTree } from './compileRoutes.ts';
import { type CompiledSilence, compileSilence } from './compileSilence.ts';
import { createGuardIndex, type Guarded, type GuardIndex } from './createGuardIndex.ts';

/** An inhibition under the query that finds the alerts that it holds, or those that begin it. */
export type InhibitionEntry = Guarded & { inhibition: CompiledInhibition };

/** The compiled rules that decide a tenant's notifications. */
export type Rules = {
  silences: GuardIndex<CompiledSilence>;
  /** Undefined while routes are off. */
  routes: RouteTree | undefined;
  sources: GuardIndex<InhibitionEntry>;
  targets: GuardIndex<InhibitionEntry>;
  size: number;
};

type Kept = { compiled: ReadonlyMap<string, unknown> };
type Cached = Kept & { version: number; rules: Rules };

/** Compiled queries that a process keeps, of all tenants together. */
const maxKept = 20_000;
/** Queries that are compiled before others may work. */
const atOnce = 20;

/**
 * Keeps the compiled rules of tenants while their version stays. A version is read in the transaction of the alerts, so that
 * every rule that was committed before holds.
 */
export function createRules() {
  const cache = new Map<number, Cached>();

  function keep(tenantId: number, cached: Cached): void {
    cache.delete(tenantId);
    cache.set(tenantId, cached);
    let kept = 0;
    for (const { rules } of cache.values()) kept += rules.size + 1;
    for (const [oldest, { rules }] of cache) {
      if (kept <= maxKept || oldest === tenantId) break;
      cache.delete(oldest);
      kept -= rules.size + 1;
    }
  }

  /** The rules of tenants by their versions; tenants that never had one are missing. */
  return async (
    tx: Db,
    versions: ReadonlyMap<number, { version: number }>,
    now: number,
  ): Promise<ReadonlyMap<number, Rules>> => {
    const found = new Map<number, Rules>();
    for (const [tenantId, { version }] of versions) {
      let cached = cache.get(tenantId);
      if (cached?.version !== version) {
        cached = { version, ...(await compileRules(tx, tenantId, now, { earlier: cached?.compiled })) };
        keep(tenantId, cached);
      }
      if (cached.rules.size > 0) found.set(tenantId, cached.rules);
    }
    return found;
  };
}

/** The rules of a tenant as they are stored, `withDraft` with routes that are not on yet. */
export async function compileRules(
  db: Db,
  tenantId: number,
  now: number,
  {
    earlier = new Map(),
    withDraft = false,
  }: { earlier?: Kept['compiled'] | undefined; withDraft?: boolean } = {},
): Promise<Kept & { rules: Rules }> {
  const [storedSilences, storedRoutes, storedInhibitions] = await settleAll([
    findOpenSilences(db, tenantId, now),
    findRoutes(db, tenantId, withDraft),
    findInhibitions(db, tenantId),
  ]);
  const compiled = new Map<string, unknown>();
  let count = 0;
  /** Unchanged rules are not compiled again. */
  const reuse = async <T>(key: string, compile: () => T): Promise<T> => {
    const known = earlier.get(key);
    if (known === undefined && ++count % atOnce === 0) await yieldToEventLoop();
    // Under this key is what this very call made of the same text.
    const value = (known ?? compile()) as T;
    compiled.set(key, value);
    return value;
  };
  const silences: CompiledSilence[] = [];
  for (const silence of storedSilences)
    silences.push(await reuse(`silence ${JSON.stringify(silence)}`, () => compileSilence(silence, now)));
  const inhibitions: CompiledInhibition[] = [];
  for (const inhibition of storedInhibitions)
    inhibitions.push(
      await reuse(`inhibition ${JSON.stringify(inhibition)}`, () => compileInhibition(inhibition, now)),
    );
  const queries = new Map<string, CompiledQuery>();
  for (const { query } of storedRoutes)
    if (query !== null && !queries.has(query))
      queries.set(query, await reuse(`query ${query}`, () => compileQuery(query, now)));
  const routes = compileRoutes(storedRoutes, (query) => queries.get(query) ?? compileQuery(query, now));
  const entriesOf = (side: 'source' | 'target') =>
    createGuardIndex(inhibitions.map((inhibition) => ({ guard: inhibition[side].guard, inhibition })));
  return {
    compiled,
    rules: {
      silences: createGuardIndex(silences),
      routes,
      sources: entriesOf('source'),
      targets: entriesOf('target'),
      size: silences.length + inhibitions.length + (routes?.size ?? 0),
    },
  };
}
