import { createValuesOf, type Subject } from '../../query/lucene/createSubject.ts';
import type { Field } from '../../query/lucene/mapping.ts';
import type { Guard } from './guardOf.ts';

export type Guarded = { readonly guard: Guard | undefined };

export type GuardIndex<T extends Guarded> = {
  size: number;
  /** The items whose queries may find the alert. */
  candidatesFor: (alert: Subject) => T[];
};

/** Finds items by a value that their query requires, so that an alert is compared with few of many. */
export function createGuardIndex<T extends Guarded>(items: readonly T[]): GuardIndex<T> {
  const unguarded: T[] = [];
  const guarded = new Map<Field, Map<string, T[]>>();
  for (const item of items) {
    if (!item.guard) {
      unguarded.push(item);
      continue;
    }
    const { field, values } = item.guard;
    const byValue = guarded.get(field) ?? new Map<string, T[]>();
    guarded.set(field, byValue);
    for (const value of new Set(values)) {
      const list = byValue.get(value);
      if (list) list.push(item);
      else byValue.set(value, [item]);
    }
  }
  const lookups = Array.from(guarded, ([field, byValue]) => createLookup(field, byValue));
  return {
    size: items.length,
    candidatesFor: (alert) => {
      const found = new Set(unguarded);
      for (const lookUp of lookups) for (const item of lookUp(alert)) found.add(item);
      return [...found];
    },
  };
}

/** Reads the values as the matchers do, which share what is read of an alert. */
function createLookup<T>(field: Field, byValue: ReadonlyMap<string, T[]>): (alert: Subject) => T[] {
  const valuesOf = createValuesOf(field);
  const isNumber = field.type !== 'keyword' && field.type !== 'text';
  return (alert) => {
    const values = valuesOf(alert);
    // A long text has more words than there are items.
    if (field.type === 'text') {
      const { has } = values.words();
      return [...byValue].flatMap(([word, items]) => (has(word) ? items : []));
    }
    const texts = isNumber
      ? values.numbers.map(String)
      : field.isFolded
        ? values.lowerCase()
        : values.strings;
    return texts.flatMap((text) => byValue.get(text) ?? []);
  };
}
