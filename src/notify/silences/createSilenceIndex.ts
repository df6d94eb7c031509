import { createValuesOf, type Subject } from '../../query/lucene/createSubject.ts';
import type { Field } from '../../query/lucene/mapping.ts';
import type { CompiledSilence } from './compileSilence.ts';

export type SilenceIndex = {
  size: number;
  /** The silences whose queries may find the alert. */
  candidatesFor: (alert: Subject) => CompiledSilence[];
};

type Silences = Map<string, CompiledSilence[]>;

/** Finds silences by a value that their query requires, so that an alert is compared with few of many. */
export function createSilenceIndex(silences: readonly CompiledSilence[]): SilenceIndex {
  const unguarded: CompiledSilence[] = [];
  const guarded = new Map<Field, Silences>();
  for (const silence of silences) {
    if (!silence.guard) {
      unguarded.push(silence);
      continue;
    }
    const { field, values } = silence.guard;
    const byValue: Silences = guarded.get(field) ?? new Map();
    guarded.set(field, byValue);
    for (const value of new Set(values)) {
      const list = byValue.get(value);
      if (list) list.push(silence);
      else byValue.set(value, [silence]);
    }
  }
  const lookups = Array.from(guarded, ([field, byValue]) => createLookup(field, byValue));
  return {
    size: silences.length,
    candidatesFor: (alert) => {
      const found = new Set(unguarded);
      for (const lookUp of lookups) for (const silence of lookUp(alert)) found.add(silence);
      return [...found];
    },
  };
}

/** Reads the values as the matchers do, which share what is read of an alert. */
function createLookup(field: Field, byValue: Silences): (alert: Subject) => CompiledSilence[] {
  const valuesOf = createValuesOf(field);
  const isNumber = field.type !== 'keyword' && field.type !== 'text';
  return (alert) => {
    const values = valuesOf(alert);
    // A long text has more words than there are silences.
    if (field.type === 'text') {
      const { has } = values.words();
      return [...byValue].flatMap(([word, silences]) => (has(word) ? silences : []));
    }
    const texts = isNumber
      ? values.numbers.map(String)
      : field.isFolded
        ? values.lowerCase()
        : values.strings;
    return texts.flatMap((text) => byValue.get(text) ?? []);
  };
}
