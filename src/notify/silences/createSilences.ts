import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import type { Db } from '../../store/db/db.ts';
import { findOpenSilences } from '../../store/destinations/silences.ts';
import { type CompiledSilence, compileSilence } from './compileSilence.ts';
import { createSilenceIndex, type SilenceIndex } from './createSilenceIndex.ts';

type Cached = { version: number; index: SilenceIndex; compiled: ReadonlyMap<string, CompiledSilence> };

/** Compiled silences that a process keeps, of all tenants together. */
const maxKept = 20_000;
/** Queries that are compiled before others may work. */
const atOnce = 20;

/**
 * Keeps the compiled silences of tenants while their version stays. A version is read in the transaction of the alerts, so that
 * every silence that was committed before holds.
 */
export function createSilences() {
  const cache = new Map<number, Cached>();

  async function load(tx: Db, tenantId: number, version: number, now: number): Promise<Cached> {
    const earlier = cache.get(tenantId)?.compiled;
    const compiled = new Map<string, CompiledSilence>();
    for (const [index, silence] of (await findOpenSilences(tx, tenantId, now)).entries()) {
      const key = JSON.stringify(silence);
      const known = earlier?.get(key);
      if (!known && index % atOnce === atOnce - 1) await yieldToEventLoop();
      compiled.set(key, known ?? compileSilence(silence, now));
    }
    return { version, compiled, index: createSilenceIndex([...compiled.values()]) };
  }

  function keep(tenantId: number, cached: Cached): void {
    cache.delete(tenantId);
    cache.set(tenantId, cached);
    let kept = 0;
    for (const { index } of cache.values()) kept += index.size + 1;
    for (const [oldest, { index }] of cache) {
      if (kept <= maxKept || oldest === tenantId) break;
      cache.delete(oldest);
      kept -= index.size + 1;
    }
  }

  /** The silences of tenants by their versions; tenants that never had one are missing. */
  return async (
    tx: Db,
    versions: ReadonlyMap<number, number>,
    now: number,
  ): Promise<ReadonlyMap<number, SilenceIndex>> => {
    const found = new Map<number, SilenceIndex>();
    for (const [tenantId, version] of versions) {
      let cached = cache.get(tenantId);
      if (cached?.version !== version) {
        cached = await load(tx, tenantId, version, now);
        keep(tenantId, cached);
      }
      if (cached.index.size > 0) found.set(tenantId, cached.index);
    }
    return found;
  };
}
