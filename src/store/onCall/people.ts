import { sql } from '../../lib/sql.ts';
import type { Db } from '../db/db.ts';

/** A user of a tenant as people know them. Users who are not active cannot be called, and viewers change little. */
export type Person = { id: number; name: string; email: string; isActive: boolean; isViewer: boolean };

const columns = sql`m.id, coalesce(m.name, m.email) as name, m.email, m.status = 'ACTIVE' as "isActive",
  not m.roles && array['tenant-user', 'tenant-manager', 'admin'] as "isViewer"`;

export async function findPeople(
  db: Db,
  tenantId: number,
  ids: readonly number[],
): Promise<Map<number, Person>> {
  const rows = await db.prepared<Person>(
    sql`select ${columns} from member m
      where m.tenant_id = ${tenantId} and m.id = any(${ids}::bigint[]) and m.status <> 'DELETED'`,
  );
  return new Map(rows.map((person) => [person.id, person]));
}

/** Everyone who can be put on call, by name. */
export async function listPeople(db: Db, tenantId: number): Promise<Person[]> {
  return db.prepared<Person>(
    sql`select ${columns} from member m
      where m.tenant_id = ${tenantId} and m.status = 'ACTIVE' order by 2, m.id limit 1000`,
  );
}
