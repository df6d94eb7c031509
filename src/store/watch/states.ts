import { storableJson } from '../../lib/json.ts';
import { raw, sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

export type StateKey = { readonly kind: string; readonly id: number };
export type StateChange = StateKey & {
  readonly tenantId: number;
  readonly number: number;
  readonly before: unknown;
  readonly after: unknown;
};

export async function findStates(
  db: Db,
  keys: readonly StateKey[],
): Promise<{ kind: string; id: number; state: unknown }[]> {
  return db.prepared(
    sql`select s.kind, s.id, s.state from watch_state s
      join unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id)}::bigint[]) k(kind, id)
        on k.kind = s.kind and k.id = s.id`,
  );
}

/** Writes the states that blocks changed, oldest first, and the state before each; changes by the clock (number -1) are never undone. */
export async function saveStates(tx: Db, chainUid: string, changes: readonly StateChange[]): Promise<void> {
  if (changes.length === 0) return;
  const last = new Map(changes.map((change) => [`${change.kind} ${change.id}`, change]));
  const rows = (of: Iterable<StateChange>, pick: 'before' | 'after') =>
    storableJson(
      Array.from(of, (change) => ({
        number: change.number,
        kind: change.kind,
        id: change.id,
        tenant_id: change.tenantId,
        state: change[pick] ?? null,
      })),
    );
  const type = sql`as r(number bigint, kind text, id bigint, tenant_id bigint, state jsonb)`;
  await tx.prepared(
    sql`insert into watch_undo (chain_uid, number, kind, id, tenant_id, state)
      select ${chainUid}, r.number, r.kind, r.id, r.tenant_id, r.state
      from json_to_recordset(${rows(
        changes.filter(({ number }) => number >= 0),
        'before',
      )}::json) ${type}
      on conflict do nothing`,
  );
  await tx.prepared(
    sql`insert into watch_state (kind, id, tenant_id, state)
      select r.kind, r.id, r.tenant_id, r.state from json_to_recordset(${rows(last.values(), 'after')}::json) ${type}
      on conflict (kind, id) do update set state = excluded.state`,
  );
}

/** Restores the states before the first of the blocks above this one. */
export async function undoStates(tx: Db, chainUid: string, above: number): Promise<StateKey[]> {
  const undone = await tx.query<{ kind: string; id: number; tenantId: number; state: unknown }>(
    sql`select distinct on (kind, id) kind, id, tenant_id as "tenantId", state from watch_undo
      where chain_uid = ${chainUid} and number > ${above} order by kind, id, number`,
  );
  if (undone.length === 0) return [];
  await tx.query(sql`delete from watch_undo where chain_uid = ${chainUid} and number > ${above}`);
  await tx.query(
    sql`update watch_state s set state = r.state
      from json_to_recordset(${storableJson(undone)}::json) as r(kind text, id bigint, state jsonb)
      where r.kind = s.kind and r.id = s.id and r.state is not null and r.state <> 'null'::jsonb`,
  );
  const fresh = undone.filter(({ state }) => state === null);
  await tx.query(
    sql`delete from watch_state s using unnest(${fresh.map(({ kind }) => kind)}::text[],
      ${fresh.map(({ id }) => id)}::bigint[]) k(kind, id)
      where k.kind = s.kind and k.id = s.id`,
  );
  return undone;
}

/** Deletes the states and faults of deleted detectors and triggers. */
export async function purgeDeletedStates(db: Db): Promise<void> {
  for (const table of [raw('watch_state'), raw('watch_fault')]) {
    await db.query(
      sql`delete from ${table} w where
        (w.kind = 'detector' and not exists (select from detector d where d.id = w.id and d.status <> 'DELETED'))
        or (w.kind = 'trigger' and not exists (select from "trigger" t where t.id = w.id and t.status <> 'DELETED'))`,
    );
  }
}
