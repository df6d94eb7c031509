import { createBoundedMap } from '../../../lib/createBoundedMap.ts';
import { distributedTables } from './distributedTables.ts';

type Query = { text: string; values: unknown[] };
type Ask = (query: Query) => Promise<{ rows: Record<string, unknown>[] }>;

/** `groupId`: the number that Citus gives a worker and its standbys. */
export type WorkerServer = { host: string; port: number; groupId: number };
export type Placement = WorkerServer & { shardIds: Readonly<Record<string, number>> };

const maxPlacements = 10_000;
/** The coordinator is asked again whether a standby has replaced a worker that does not answer. */
const refreshMs = 1000;
const keepWorkersMs = 5000;

type Entry = { placement: Promise<Placement | undefined>; current?: Placement | undefined; readAt: number };

export type Placements = ReturnType<typeof openPlacements>;

/** The shards of tenants and the workers that have them. */
export function openPlacements(ask: Ask) {
  const cache = createBoundedMap<number, Entry>(maxPlacements);
  let workers: { list: readonly WorkerServer[]; newest: number; readAt: number } | undefined;
  let isReading = false;

  function find(tenantId: number): Entry {
    const cached = cache.get(tenantId);
    if (cached) return cached;
    const entry: Entry = { placement: readPlacement(ask, tenantId), readAt: performance.now() };
    cache.set(tenantId, entry);
    entry.placement.then(
      (placement) => {
        entry.current = placement;
      },
      () => {
        if (cache.get(tenantId) === entry) cache.delete(tenantId);
      },
    );
    return entry;
  }

  async function readWorkers(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      const { rows } = await ask({
        text: `select nodename as host, nodeport as port, groupid as "groupId",
            (select max(placementid) from pg_dist_placement) as newest from pg_dist_node
          where groupid <> 0 and noderole = 'primary' and isactive and shouldhaveshards`,
        values: [],
      });
      const list = rows as (WorkerServer & { newest: number })[];
      const newest = list[0]?.newest ?? 0;
      // Each move of a shard makes a placement.
      if (workers && workers.newest !== newest) cache.clear();
      workers = { list, newest, readAt: performance.now() };
    } catch {
      // The coordinator is down, which its own statements report; the former list holds.
    } finally {
      isReading = false;
    }
  }

  function renewWorkers(): void {
    if (!workers || performance.now() - workers.readAt > keepWorkersMs) void readWorkers();
  }

  return {
    find: (tenantId: number): Promise<Placement | undefined> => find(tenantId).placement,
    /** As far as it is known; reads it for the next time. */
    peek(tenantId: number): Placement | undefined {
      renewWorkers();
      return find(tenantId).current;
    },
    forget: (tenantId: number): void => void cache.delete(tenantId),
    /** Reads it again, unless that was done a moment ago; the former placement holds until then. */
    refresh(tenantId: number): void {
      const former = find(tenantId);
      if (performance.now() - former.readAt < refreshMs) return;
      cache.delete(tenantId);
      const next = find(tenantId);
      next.current = former.current;
    },
    /** Waits until the workers are known that these tenants need, or all. */
    async know(tenantIds: readonly number[] | 'all' | undefined): Promise<void> {
      if (tenantIds === 'all' || !tenantIds) await this.listWorkers();
      else await Promise.all(tenantIds.map((tenantId) => find(tenantId).placement));
    },
    async listWorkers(): Promise<readonly WorkerServer[]> {
      if (!workers) await readWorkers();
      return workers?.list ?? [];
    },
    /** All workers, as far as they are known. */
    workers(): readonly WorkerServer[] {
      renewWorkers();
      return workers?.list ?? [];
    },
  };
}

async function readPlacement(ask: Ask, tenantId: number): Promise<Placement | undefined> {
  const { rows } = await ask({
    text: `select n.nodename as host, n.nodeport as port, p.groupid as "groupId",
        (select jsonb_object_agg(t.name, get_shard_id_for_distribution_column(t.name::regclass, $1::bigint))
          from unnest($2::text[]) t(name)
          join pg_dist_partition d on d.logicalrelid = t.name::regclass and d.partmethod = 'h') as "shardIds"
      from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      where p.shardid = get_shard_id_for_distribution_column($3::text::regclass, $1::bigint) and p.shardstate = 1`,
    values: [tenantId, distributedTables, distributedTables[0]],
  });
  return rows.length === 1 ? (rows[0] as Placement) : undefined;
}
