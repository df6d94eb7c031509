import { setTimeout as sleep } from 'node:timers/promises';
import { storableJson } from '../../../lib/json.ts';
import { raw, type Sql, sql } from '../../../lib/sql.ts';
import { toSeverity } from '../../../model/alert.ts';
import { isPlainDecimal } from '../../../query/plainDecimal.ts';
import { asOwner, type Db, type Store } from '../../db/db.ts';
import { blockHashSql, eidSql, txHashSql } from '../documents/packedHashes.ts';
import { alertTerms, type TermSource, termVersion } from './alertTerms.ts';
import { createWordList, insertWords } from './alertWords.ts';
import { textsOf } from './indexTexts.ts';

type Progress = { partition: string; done: number; total: number };
type Options = {
  signal?: AbortSignal;
  /** Of the time, for this work; the rest is left to everything else. */
  share?: number;
  onProgress?: (progress: Progress) => void;
};

const chunkSize = 250;
/** Since this version, only alerts with decimal texts need other terms: searches know both forms of version 4. */
const lastWithoutWords = 2;
/** So often the rows that were replaced make room for the next ones. */
const chunksPerVacuum = 40;

/**
 * Gives older alerts the terms of this version while Vigil runs, a few at a time in key order. It continues after a
 * stop, in a single process. Returns true if all alerts have them.
 */
export async function reindexAlerts(store: Store, options: Options = {}): Promise<boolean> {
  const { signal, share = 1, onProgress } = options;
  let names: string[] = [];
  for (let count = 1; ; count++) {
    if (signal?.aborted) return false;
    const startedAt = performance.now();
    const step = await store.transaction(async (tx) => {
      const state = await lockState(tx);
      if (!state || state.version >= termVersion) return state;
      if (names.length === 0) names = await partitionNames(tx);
      return { ...state, ...(await reindexChunk(tx, state, names)) };
    });
    // Another process is at work.
    if (!step) return false;
    if (step.version >= termVersion) return true;
    const { partition } = step;
    if (partition !== null && (count % chunksPerVacuum === 0 || step.isEnd)) await vacuum(store, partition);
    if (partition !== null && step.isEnd)
      onProgress?.({ partition, done: names.indexOf(partition) + 1, total: names.length });
    await sleep(((performance.now() - startedAt) * (1 - share)) / share);
  }
}

type State = {
  version: number;
  partition: string | null;
  tenantId: number | null;
  timestamp: number | null;
  uid: string | null;
};

async function lockState(tx: Db): Promise<(State & { isEnd?: boolean }) | undefined> {
  const rows = await tx.prepared<State>(
    sql`select version, partition, tenant_id as "tenantId", timestamp, uid::text
      from alert_terms_state for update skip locked`,
  );
  return rows[0];
}

/** The newest month first, which people search most. */
async function partitionNames(tx: Db): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'alert'::regclass order by c.relname desc`,
  );
  return rows.map(({ name }) => name);
}

/** Reindexes the next alerts of a partition, or moves on to the next partition, or ends. */
async function reindexChunk(
  tx: Db,
  state: State,
  names: readonly string[],
): Promise<{ partition: string | null; isEnd: boolean; version?: number }> {
  // A partition that was dropped in the meantime is older than all that are left.
  const partition =
    state.partition === null ? names[0] : names.find((name) => name <= (state.partition ?? ''));
  if (partition === undefined) {
    await tx.query(
      sql`update alert_terms_state
        set version = ${termVersion}, partition = null, tenant_id = null, timestamp = null, uid = null`,
    );
    return { partition: null, isEnd: true, version: termVersion };
  }
  const isStarted = partition === state.partition && state.tenantId !== null;
  const tenantId = (await tx.isDistributed())
    ? await nextTenant(tx, partition, isStarted ? (state.tenantId ?? 0) : 0)
    : undefined;
  // Only a statement that names the tenant can lock, because it is sent to one worker.
  const ofTenant = tenantId === undefined ? raw('true') : sql`t.tenant_id = ${tenantId}`;
  const after = isStarted
    ? sql`(t.tenant_id, t.timestamp, t.uid) > (${state.tenantId}, ${state.timestamp}, ${state.uid}::uuid)`
    : raw('true');
  const rows = await tx.query<StoredAlert>(
    sql`select tenant_id as "tenantId", timestamp, uid::text, project_id as "projectId", detector_id as "detectorId",
        trigger_id as "triggerId", action_id as "actionId", wallet_id as "walletId", ${eidSql} as eid,
        nullif(incident_uid, uid)::text as "incidentUid", detector_schema_name as "detectorSchemaName",
        numeric_severity as "numericSeverity", chain_uid as "chainUid",
        wallet_chain_uid as "walletChainUid", ${blockHashSql} as "blockHash", ${txHashSql} as "txHash",
        wallet_name as "walletName",
        wallet_address as "walletAddress", name, message, tags, meta, suppressed, backfilled
      from ${raw(partition)} t where ${ofTenant} and ${after} order by tenant_id, timestamp, uid limit ${chunkSize}
      for update`,
  );
  await setTerms(tx, partition, rows, state.version, ofTenant);
  const hasMore = rows.length === chunkSize;
  const last = !hasMore && tenantId !== undefined ? { ...firstKey, tenantId: tenantId + 1 } : rows.at(-1);
  const isEnd =
    !hasMore && (tenantId === undefined || (await nextTenant(tx, partition, tenantId + 1)) === undefined);
  const next = isEnd ? names[names.indexOf(partition) + 1] : partition;
  await tx.query(
    sql`update alert_terms_state set partition = ${next ?? ''}, tenant_id = ${isEnd ? null : (last?.tenantId ?? null)},
      timestamp = ${isEnd ? null : (last?.timestamp ?? null)}, uid = ${isEnd ? null : (last?.uid ?? null)}`,
  );
  return { partition, isEnd };
}

/** Comes before every alert of its tenant. */
const firstKey = { timestamp: -1, uid: '00000000-0000-0000-0000-000000000000' };

/** The first tenant from this one on that has alerts of the month. */
async function nextTenant(tx: Db, partition: string, from: number): Promise<number | undefined> {
  const rows = await tx.query<{ id: number | null }>(
    sql`select min(tenant_id) as id from ${raw(partition)} where tenant_id >= ${from}`,
  );
  return rows[0]?.id ?? undefined;
}

type StoredAlert = Omit<TermSource, 'severity'> & { uid: string; timestamp: number; numericSeverity: number };

async function setTerms(
  tx: Db,
  partition: string,
  rows: readonly StoredAlert[],
  version: number,
  ofTenant: Sql,
): Promise<void> {
  const { words, noteAlert } = createWordList();
  const changed: { tenant_id: number; timestamp: number; uid: string; terms: number[] }[] = [];
  const isOld = version <= lastWithoutWords;
  for (const row of rows) {
    if (!isOld && !textsOf(row.meta).some(isPlainDecimal)) continue;
    const source = { ...row, severity: toSeverity(row.numericSeverity) };
    const terms = await alertTerms(source, isOld ? noteAlert(row.tenantId, row.timestamp) : undefined);
    const { tenantId: tenant_id, timestamp, uid } = row;
    changed.push({ tenant_id, timestamp, uid, terms: [...terms.terms] });
  }
  await insertWords(tx, words);
  if (changed.length === 0) return;
  await tx.query(
    sql`update ${raw(partition)} t set terms = u.terms
      from json_to_recordset(${storableJson(changed)}::json)
        u(tenant_id bigint, timestamp bigint, uid uuid, terms int4[])
      where t.tenant_id = u.tenant_id and t.timestamp = u.timestamp and t.uid = u.uid and ${ofTenant}`,
  );
}

/** Without it the partition would grow to twice its size. Where it is not allowed, PostgreSQL does it later by itself. */
async function vacuum(store: Store, partition: string): Promise<void> {
  await asOwner(store)
    .query(sql`vacuum (analyze) ${raw(partition)}`)
    .catch(() => undefined);
}
