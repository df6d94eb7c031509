import { raw, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import { actionTable } from '../tables/actionTable.ts';
import { contractTable } from '../tables/contractTable.ts';
import { detectorTable } from '../tables/detectorTable.ts';
import { projectTable } from '../tables/projectTable.ts';
import type { Table } from '../tables/table.ts';
import { triggerTable } from '../tables/triggerTable.ts';
import { userTable } from '../tables/userTable.ts';
import { walletTable } from '../tables/walletTable.ts';
import { source } from './records.ts';

/** Members of alerts that hold the id of a record with a name. */
const kinds: Readonly<Record<string, { table: Table; name: string }>> = {
  projectId: { table: projectTable, name: 't.name' },
  contractId: { table: contractTable, name: 't.name' },
  detectorId: { table: detectorTable, name: 't.name' },
  triggerId: { table: triggerTable, name: 't.name' },
  actionId: { table: actionTable, name: 't.name' },
  walletId: { table: walletTable, name: 't.name' },
  assigneeId: { table: userTable, name: 'coalesce(t.name, t.email)' },
};

export type NamedRecord = { id: number; name: string };

/**
 * Records that a member of alerts may name, of which the name or the id contains the text; those in `first` come first.
 * Undefined for other members.
 */
export async function suggestRecords(
  db: Db,
  scope: Scope,
  member: string,
  text: string,
  first: readonly number[],
  size: number,
): Promise<NamedRecord[] | undefined> {
  const kind = Object.hasOwn(kinds, member) ? kinds[member] : undefined;
  if (!kind) return undefined;
  const name = raw(kind.name);
  // Only managers see the users of other tenants of their organisation.
  const ownScope = kind.table === userTable ? { ...scope, organisationIds: [] } : scope;
  return db.query<NamedRecord>(
    sql`select t.id, ${name} as name from ${source(kind.table, ownScope)}
      where ${kind.table.visible(ownScope)} and t.status <> 'DELETED'
        and (strpos(lower(${name}), ${text.toLowerCase()}) > 0 or strpos(t.id::text, ${text}) = 1)
      order by array_position(${first}::bigint[], t.id), lower(${name}), t.id limit ${size}`,
  );
}
