import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import type { AddressLabel } from '../../model/label.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { addressHash } from './addressHash.ts';

export type NewLabel = Omit<AddressLabel, 'id' | 'tenantId'>;
/** Members that a label found again takes over. */
export type LabelMember = 'name' | 'tags' | 'score' | 'note';

/** Writes labels of one tenant (or the platform) in one statement; no two may have the same chain, address and source. */
export async function upsertLabels(
  db: Db,
  tenantId: number | null,
  labels: readonly NewLabel[],
  changing: ReadonlySet<LabelMember>,
  now: number,
): Promise<{ created: number; updated: number }> {
  const rows = await db.query<{ created: number; updated: number }>(
    sql`with written as (
        insert into address_label as t (tenant_id, created_at, updated_at, chain_uid, address, address_hash, name, tags,
          score, source, note)
        select ${tenantId}::bigint, ${now}::bigint, ${now}::bigint, chain_uid, address, address_hash, name, tags, score,
          source, note
        from ${labelRows(labels)} as given
        on conflict (address, tenant_id, chain_uid, source) where status <> 'DELETED' ${onConflict(changing)}
        returning t.xmax = 0 as is_new)
      select count(*) filter (where is_new) as created, count(*) filter (where not is_new) as updated from written`,
  );
  return onlyRow(rows);
}

/** Labels as a table of a statement, with the names of the columns. */
export function labelRows(labels: readonly NewLabel[]): Sql {
  const column = <T>(value: (label: NewLabel) => T) => labels.map(value);
  return sql`(select chain_uid, address, address_hash, name, string_to_array(tags, ${separator}) as tags, score, source,
      note
    from unnest(
      ${column(({ chainUid }) => chainUid)}::text[],
      ${column(({ address }) => address)}::text[],
      ${column(({ address }) => String(addressHash(address)))}::bigint[],
      ${column(({ name }) => name)}::text[],
      ${column(({ tags }) => tags.join(separator))}::text[],
      ${column(({ score }) => score)}::smallint[],
      ${column(({ source }) => source)}::text[],
      ${column(({ note }) => note)}::text[]
    ) as r (chain_uid, address, address_hash, name, tags, score, source, note))`;
}

/** A character that PostgreSQL can hold and that no tag has, because it is not to be seen. */
const separator = '\u001f';

/** A label that stays as it is is not written, and so not counted. */
function onConflict(changing: ReadonlySet<LabelMember>) {
  if (changing.size === 0) return raw('do nothing');
  const names = [...changing].map((name) => raw(name));
  const changes = names.map((name) => sql`${name} = excluded.${name}`);
  const differences = names.map((name) => sql`t.${name} is distinct from excluded.${name}`);
  return sql`do update set ${join(changes, ', ')}, updated_at = excluded.updated_at where ${join(differences, ' or ')}`;
}

/** Deletes the labels of a source tagged SANCTION that are not among these; how many they were. */
export async function deleteLiftedSanctions(
  db: Db,
  tenantId: number | null,
  source: string,
  labels: readonly Pick<NewLabel, 'chainUid' | 'address'>[],
  now: number,
): Promise<number> {
  const isOwn = tenantId === null ? raw('t.tenant_id is null') : sql`t.tenant_id = ${tenantId}`;
  const rows = await db.query(
    sql`update address_label t set status = 'DELETED', updated_at = ${now}
      where ${isOwn} and t.source = ${source} and t.status <> 'DELETED'
        and t.tags @> array['SANCTION'] and not exists (
          select 1 from unnest(${labels.map(({ chainUid }) => chainUid)}::text[],
            ${labels.map(({ address }) => address)}::text[]) as kept (chain_uid, address)
          where kept.address = t.address and kept.chain_uid is not distinct from t.chain_uid)
      returning t.id`,
  );
  return rows.length;
}
