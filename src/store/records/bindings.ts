import { groupBy } from '../../lib/groupBy.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { join, raw, type Sql, sql } from '../../lib/sql.ts';
import { type Problem, unprocessable } from '../../model/errors.ts';
import type { Db } from '../db/db.ts';
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
      throw unknownBinding(`${pointer}/${index}`);
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

function unknownBinding(pointer: string): Problem {
  return unprocessable(
    `${pointer}/id`,
    'unknown-binding',
    'This record has no such binding; leave out `id` to add a new one.',
  );
}

async function insert(
  db: Db,
  binding: Binding,
  owner: BindingOwner,
  item: BindingItem,
  now: number,
): Promise<number> {
  return itemAt(await insertAll(db, binding, [{ owner, item, pointer: '' }], now), 0);
}

/** An item of a record, and its pointer in the request. */
export type NewItem = { owner: BindingOwner; item: BindingItem; pointer: string };

/** Writes the items of new records, with one statement for all of the same members. */
export async function writeNewBindings(
  db: Db,
  binding: Binding,
  items: readonly NewItem[],
  now: number,
): Promise<void> {
  for (const { item, pointer } of items) if (item.id !== undefined) throw unknownBinding(pointer);
  const ids = await insertAll(db, binding, items, now);
  for (const child of binding.bindings) {
    const below = items.flatMap(({ owner, item, pointer }, index) => {
      const list = item[child.member];
      const holder = { tenantId: owner.tenantId, id: itemAt(ids, index) };
      return isItems(list) ? newItems(holder, list, `${pointer}/${child.member}`) : [];
    });
    if (below.length > 0) await writeNewBindings(db, child, below, now);
  }
}

export function newItems(owner: BindingOwner, items: readonly BindingItem[], pointer: string): NewItem[] {
  return items.map((item, index) => ({ owner, item, pointer: `${pointer}/${index}` }));
}

/** PostgreSQL takes 65,535 values a statement. */
const maxValues = 60_000;

/** The ids of the new items, in their order: PostgreSQL returns the rows of a list of values in its order. */
async function insertAll(
  db: Db,
  binding: Binding,
  items: readonly NewItem[],
  now: number,
): Promise<number[]> {
  const ids: number[] = [];
  const rows = items.map(({ owner, item }, index) => {
    const given = columns(binding, item);
    const fixed = [owner.tenantId, owner.id, now, now].map((value) => sql`${value}`);
    const names = ['tenant_id', binding.parent, 'created_at', 'updated_at', ...given.map(([name]) => name)];
    return { index, names: names.join(', '), values: [...fixed, ...given.map(([, value]) => value)] };
  });
  for (const [names, alike] of groupBy(rows, (row) => row.names)) {
    const most = Math.floor(maxValues / alike[0].values.length);
    for (let start = 0; start < alike.length; start += most) {
      const part = alike.slice(start, start + most);
      const lists = part.map(({ values }) => sql`(${join(values, ', ')})`);
      const written = await db.query<{ id: number }>(
        sql`insert into ${raw(binding.table)} (${raw(names)}) values ${join(lists, ', ')} returning id`,
      );
      for (const [n, { index }] of part.entries()) ids[index] = itemAt(written, n).id;
    }
  }
  return ids;
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
