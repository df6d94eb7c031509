import { raw, type Sql, sql } from '../../lib/sql.ts';
import { uidTime } from '../../lib/uid.ts';
import type { Db } from '../db/db.ts';
import { type ExportSource, exportLimit, maxExportRows, readExportPage } from '../db/exportPage.ts';
import { reportSlowSearch } from '../records/reportSlowSearch.ts';
import { documentJson } from './documents/documentJson.ts';
import { asSeenIn, type DocumentScope, type DocumentTable } from './documents/documentTable.ts';
import { type DocumentSearch, searchKeys } from './searchDocuments.ts';

/** All hits of a search, with these members. */
export async function exportDocuments(
  db: Db,
  table: DocumentTable,
  scope: DocumentScope,
  search: DocumentSearch,
  names: readonly string[],
  now: number,
): Promise<ExportSource> {
  const keys = await searchKeys(db, table, scope, { ...search, size: exportLimit(search.size) }, now);
  const json = documentJson(asSeenIn(table, scope), names);
  // The bounds let the planner skip the partitions without any of the documents.
  return exportKeys(
    db,
    keys,
    ({ tenantIds, uids, times }) => sql`select k.n, ${json} as json
      from unnest(${tenantIds}::bigint[], ${times}::bigint[], ${uids}::uuid[])
        with ordinality k(tenant_id, timestamp, uid, n)
      join ${raw(table.name)} t on t.tenant_id = k.tenant_id and t.timestamp = k.timestamp and t.uid = k.uid
        and t.timestamp between ${Math.min(...times)} and ${Math.max(...times)}
      where ${scope.condition}`,
  );
}

export type DocumentKey = { tenantId: number; uid: string };

/** Reads the hits by their keys; `times` are those in the uids. */
export function exportKeys(
  db: Db,
  found: readonly DocumentKey[],
  select: (keys: { tenantIds: number[]; uids: string[]; times: number[] }) => Sql,
): ExportSource {
  const count = Math.min(found.length, maxExportRows);
  const keys = packKeys(found.slice(0, count));
  const selectPage = (from: number, to: number) => {
    const page = unpackKeys(keys, from, to);
    return select({ ...page, times: page.uids.map((uid) => uidTime(uid) ?? 0) });
  };
  return {
    count,
    isComplete: found.length <= count,
    read: (index) => reportSlowSearch(() => readExportPage(db, count, index, selectPage)),
  };
}

/** The keys wait for as long as the reader reads, so they take no more room than they must. */
type Keys = { tenantIds: Float64Array; uids: Buffer };
const uidBytes = 16;

function packKeys(keys: readonly DocumentKey[]): Keys {
  const uids = Buffer.alloc(keys.length * uidBytes);
  for (const [index, { uid }] of keys.entries())
    uids.write(uid.replaceAll('-', ''), index * uidBytes, uidBytes, 'hex');
  return { tenantIds: Float64Array.from(keys, ({ tenantId }) => tenantId), uids };
}

function unpackKeys({ tenantIds, uids }: Keys, from: number, to: number) {
  const hex = uids.toString('hex', from * uidBytes, to * uidBytes);
  return {
    tenantIds: [...tenantIds.subarray(from, to)],
    uids: Array.from({ length: to - from }, (_, index) =>
      hex
        .slice(index * 2 * uidBytes, (index + 1) * 2 * uidBytes)
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    ),
  };
}
