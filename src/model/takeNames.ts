import type { TSchema } from 'typebox';
import { isRecord, membersOf } from '../lib/isRecord.ts';
import { nameFault } from '../lib/nameFault.ts';
import type { Fault } from './errors.ts';
import { memberSchemas } from './schema.ts';
import { invalidInput } from './validate.ts';

/**
 * Normalises the names in a body to NFC, so that they compare alike, and refuses new names with hidden characters. The
 * body must fit the schema.
 */
export function takeNames(schema: TSchema, body: unknown, current?: unknown): void {
  const faults: Fault[] = [];
  visit(schema, body, current, '', faults);
  if (faults.length > 0) throw invalidInput(faults);
}

/** The value as it is to be stored. */
function visit(schema: TSchema, value: unknown, current: unknown, pointer: string, faults: Fault[]): unknown {
  const { format, items } = membersOf(schema);
  if (format === 'name' && typeof value === 'string') {
    if (value === current) return value;
    const message = nameFault(value);
    if (message !== undefined) faults.push({ pointer, code: 'hidden-character', message });
    return value.normalize('NFC');
  }
  if (Array.isArray(value) && isRecord(items)) {
    const stored = new Map(Array.isArray(current) ? current.map((item) => [membersOf(item).id, item]) : []);
    for (const [index, item] of value.entries()) {
      const { id } = membersOf(item);
      visit(items, item, id === undefined ? undefined : stored.get(id), `${pointer}/${index}`, faults);
    }
  }
  if (isRecord(value))
    for (const [name, member] of namedMembers(schema))
      if (Object.hasOwn(value, name))
        value[name] = visit(member, value[name], membersOf(current)[name], `${pointer}/${name}`, faults);
  return value;
}

const namedBy = new WeakMap<TSchema, readonly (readonly [string, TSchema])[]>();

/** The members that are names or have names in them; few have. */
function namedMembers(schema: TSchema): readonly (readonly [string, TSchema])[] {
  const cached = namedBy.get(schema);
  if (cached) return cached;
  const named = Object.entries(memberSchemas(schema)).filter(([, member]) => hasNames(member));
  namedBy.set(schema, named);
  return named;
}

function hasNames(schema: TSchema): boolean {
  const { format, items } = membersOf(schema);
  if (format === 'name') return true;
  return isRecord(items) ? hasNames(items) : namedMembers(schema).length > 0;
}
