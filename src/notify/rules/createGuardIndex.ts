import { isRecord } from '../../lib/isRecord.ts';
import { createValuesOf, type Subject, type SubjectValues } from '../../query/lucene/createSubject.ts';
import type { Field } from '../../query/lucene/mapping.ts';
import type { Guard, GuardedField } from './guardOf.ts';

export type Guarded = { readonly guard: Guard | undefined };

export type GuardIndex<T extends Guarded> = {
  size: number;
  /** The items whose queries may find the alert. Awaits `pause` between pieces of long texts. */
  candidatesFor: (alert: Subject, pause: () => Promise<void>) => Promise<T[]>;
};

type ByValue<T> = Map<string, T[]>;
type Lookup<T> = (alert: Subject, pause: () => Promise<void>) => Promise<readonly T[][]> | readonly T[][];

/** Finds items by a value that their query requires, so that an alert is compared with few of many. */
export function createGuardIndex<T extends Guarded>(items: readonly T[]): GuardIndex<T> {
  const unguarded: T[] = [];
  const tables = new Map<string, { field: Field; kind: GuardedField['kind']; byValue: ByValue<T> }>();
  for (const item of items) {
    if (!item.guard) unguarded.push(item);
    for (const { field, kind, values } of item.guard ?? []) {
      const key = [kind, field.type, field.isFolded, field.glob ?? '', ...field.path].join('\0');
      const table = tables.get(key) ?? { field, kind, byValue: new Map<string, T[]>() };
      tables.set(key, table);
      for (const value of new Set(values)) {
        const list = table.byValue.get(value);
        if (list) list.push(item);
        else table.byValue.set(value, [item]);
      }
    }
  }
  const lookUps: Lookup<T>[] = [];
  /** Of members that alerts may have, by the first name below their object. */
  const ofMembers = new Map<string, Map<string, Lookup<T>[]>>();
  for (const { field, kind, byValue } of tables.values()) {
    const [object, member] = field.path;
    const lookUp = createLookup(field, kind, byValue);
    if (object === undefined || member === undefined || !field.isDynamic) lookUps.push(lookUp);
    else {
      const members = ofMembers.get(object) ?? new Map<string, Lookup<T>[]>();
      ofMembers.set(object, members);
      members.set(member, [...(members.get(member) ?? []), lookUp]);
    }
  }
  return {
    size: items.length,
    candidatesFor: async (alert, pause) => {
      const found = new Set(unguarded);
      const add = async (lookUp: Lookup<T>) => {
        for (const list of await lookUp(alert, pause)) for (const item of list) found.add(item);
      };
      for (const lookUp of lookUps) await add(lookUp);
      for (const [object, members] of ofMembers)
        for (const lookUp of lookUpsFor(alert.document, object, members)) await add(lookUp);
      return [...found];
    },
  };
}

/** Those for members that the alert has. Queries may name thousands of members, and an alert has few. */
function lookUpsFor<T>(
  document: unknown,
  object: string,
  members: ReadonlyMap<string, Lookup<T>[]>,
): Lookup<T>[] {
  const value = isRecord(document) ? document[object] : undefined;
  if (Array.isArray(value)) return [...members.values()].flat();
  return isRecord(value) ? Object.keys(value).flatMap((name) => members.get(name) ?? []) : [];
}

/** Reads the values as the matchers do, which share what is read of an alert. */
function createLookup<T>(field: Field, kind: GuardedField['kind'], byValue: ByValue<T>): Lookup<T> {
  const valuesOf = createValuesOf(field);
  if (kind !== 'words')
    return (alert) => textsOf(valuesOf(alert), field, kind).flatMap((text) => [byValue.get(text) ?? []]);
  return async (alert, pause) => {
    const values = valuesOf(alert);
    if (values.strings.length === 0) return [];
    const words = values.words();
    while (!words.reading.next().done) await pause();
    // The cost is that of the smaller side: a name has few words, a long text more than there are items.
    if (words.count() > byValue.size)
      return [...byValue].flatMap(([word, items]) => (words.has(word) ? [items] : []));
    const lists: T[][] = [];
    words.some((word) => {
      const items = byValue.get(word);
      if (items) lists.push(items);
      return false;
    });
    return lists;
  };
}

function textsOf(
  values: SubjectValues,
  field: Field,
  kind: Exclude<GuardedField['kind'], 'words'>,
): readonly string[] {
  switch (kind) {
    case 'texts':
      return field.isFolded ? values.lowerCase() : values.strings;
    case 'numbers':
      return values.numbers.map(String);
    case 'decimals':
      return values.decimals();
    case 'booleans':
      return [...values.booleans].map(String);
  }
}
