import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { unprocessable } from '../../model/errors.ts';
import { type Db, onlyRow } from '../db/db.ts';
import { columnOf } from '../tables/members.ts';
import type { Binding } from '../tables/table.ts';

export type BindingItem = { id?: number; [member: string]: unknown };
export type BindingOwner = { tenantId: number; id: number };

/**
 * Replaces the stored items of a record by the list: updates items with an id, adds those without, and removes the
 * missing. Returns whether anything changed.
 */
export async function writeBindings(
  db: Db,
  binding: Binding,
  owner: BindingOwner,
  items: readonly BindingItem[],
  now: number,
  pointer: string,
): Promise<boolean> {
  const table = raw(binding.table);
  const ofOwner = sql`tenant_id = ${owner.tenantId} and ${raw(binding.parent)} = ${owner.id}`;
  const rows = await db.query<{ id: number }>(sql`select id from ${table} where ${ofOwner}`);
  const storedIds = new Set(rows.map((row) => row.id));
  const listedIds = new Set<number>();
  items.forEach((item, index) => {
    if (item.id === undefined) return;
    if (!storedIds.has(item.id) || listedIds.has(item.id)) {
      throw unprocessable(
        `${pointer}/${index}/id`,
        'unknown-binding',
        'This record has no such binding; leave out `id` to add a new one.',
      );
    }
    listedIds.add(item.id);
  });
  let isChanged = listedIds.size < storedIds.size;
  if (isChanged)
    await db.query(sql`delete from ${table} where ${ofOwner} and not (id = any(${[...listedIds]}))`);
  for (const [index, item] of items.entries()) {
    const id = item.id ?? (await insert(db, binding, owner, item, now));
    if (item.id === undefined || (await update(db, binding, owner, item, now))) isChanged = true;
    for (const child of binding.bindings) {
      const below = item[child.member];
      if (isItems(below)) {
        const path = `${pointer}/${index}/${child.member}`;
        const holder = { tenantId: owner.tenantId, id };
        if (await writeBindings(db, child, holder, below, now, path)) isChanged = true;
      }
    }
  }
  return isChanged;
}

async function insert(
  db: Db,
  binding: Binding,
  owner: BindingOwner,
  item: BindingItem,
  now: number,
): Promise<number> {
  const given = columns(binding, item);
  const names = ['tenant_id', binding.parent, 'created_at', 'updated_at', ...given.map(([name]) => name)];
  const values = [owner.tenantId, owner.id, now, now].map((value) => sql`${value}`);
  const rows = await db.query<{ id: number }>(
    sql`insert into ${raw(binding.table)} (${raw(names.join(', '))})
      values (${join([...values, ...given.map(([, value]) => value)], ', ')}) returning id`,
  );
  return onlyRow(rows).id;
}

async function update(
  db: Db,
  binding: Binding,
  owner: BindingOwner,
  item: BindingItem,
  now: number,
): Promise<boolean> {
  const given = columns(binding, item);
  if (given.length === 0) return false;
  const assign = given.map(([name, value]) => sql`${raw(name)} = ${value}`);
  const differs = given.map(([name, value]) => sql`${raw(name)} is distinct from ${value}`);
  const rows = await db.query(
    sql`update ${raw(binding.table)} set ${join(assign, ', ')}, updated_at = ${now}
      where tenant_id = ${owner.tenantId} and id = ${item.id ?? 0} and (${join(differs, ' or ')}) returning 1`,
  );
  return rows.length > 0;
}

function columns(binding: Binding, item: BindingItem): [string, Sql][] {
  return Object.entries(binding.items).flatMap(([member, { type, column }]): [string, Sql][] => {
    const value = item[member];
    if (value === undefined) return [];
    const bound = type === 'json' ? sql`${JSON.stringify(value)}::jsonb` : sql`${value}`;
    return [[column ?? columnOf(member), bound]];
  });
}

export function isItems(value: unknown): value is BindingItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}
