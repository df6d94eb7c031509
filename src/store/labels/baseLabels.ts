import { sql } from '../../lib/sql.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { labelRows, type NewLabel } from './upsertLabels.ts';

/** Locks the list and answers which version of it is published, so that two processes never publish at once. */
export async function lockBaseList(tx: Db): Promise<string> {
  await tx.query(
    sql`insert into base_label_list (version, published_at) values ('', 0) on conflict (id) do nothing`,
  );
  return onlyRow(await tx.query<{ version: string }>(sql`select version from base_label_list for update`))
    .version;
}

export async function findBaseListVersion(db: Db): Promise<string | undefined> {
  const rows = await db.query<{ version: string }>(sql`select version from base_label_list`);
  return rows[0]?.version;
}

/** Makes the labels that the list wrote those of this version. What anyone else wrote, changed or deleted stays as it is. */
export async function replaceBaseLabels(
  tx: Db,
  labels: readonly NewLabel[],
  version: string,
  now: number,
): Promise<{ created: number; updated: number; removed: number }> {
  const given = labelRows(labels);
  const same = sql`g.address = t.address and g.chain_uid is not distinct from t.chain_uid`;
  const untouched = sql`b.label_id = t.id and b.written_at = t.updated_at and t.status = 'ACTIVE'`;
  const removed = await tx.query(
    sql`delete from address_label t using base_label b
      where ${untouched} and not exists (select 1 from ${given} as g where ${same}) returning t.id`,
  );
  const updated = await tx.query(
    sql`with changed as (
        update address_label t
        set name = g.name, tags = g.tags, score = g.score, note = g.note, updated_at = ${now}
        from base_label b, ${given} as g
        where ${untouched} and ${same}
          and (t.name, t.tags, t.score, t.note) is distinct from (g.name, g.tags, g.score, g.note)
        returning t.id)
      update base_label b set written_at = ${now} from changed where changed.id = b.label_id returning b.label_id`,
  );
  const created = await tx.query(
    sql`with added as (
        insert into address_label (created_at, updated_at, chain_uid, address, address_hash, name, tags, score, source,
          note)
        select ${now}::bigint, ${now}::bigint, g.chain_uid, g.address, g.address_hash, g.name, g.tags, g.score,
          g.source, g.note
        from ${given} as g
        where not exists (select 1 from base_label b join address_label t on t.id = b.label_id where ${same})
        on conflict (address, tenant_id, chain_uid, source) where status <> 'DELETED' do nothing
        returning id)
      insert into base_label (label_id, written_at) select id, ${now}::bigint from added returning label_id`,
  );
  await tx.query(sql`update base_label_list set version = ${version}, published_at = ${now}`);
  return { created: created.length, updated: updated.length, removed: removed.length };
}
