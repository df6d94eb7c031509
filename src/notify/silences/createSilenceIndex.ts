import type { CompiledSilence } from './compileSilence.ts';

export type SilenceIndex = {
  size: number;
  /** The silences whose queries may find the alert. */
  candidatesFor: (alert: Readonly<Record<string, unknown>>) => CompiledSilence[];
};

type ByValue = { member: string; isFolded: boolean; silences: Map<string, CompiledSilence[]> };

/** Finds silences by a value that their query requires, so that an alert is compared with few of many. */
export function createSilenceIndex(silences: readonly CompiledSilence[]): SilenceIndex {
  const unguarded: CompiledSilence[] = [];
  const guarded = new Map<string, ByValue>();
  for (const silence of silences) {
    if (!silence.guard) {
      unguarded.push(silence);
      continue;
    }
    const { member, isFolded, values } = silence.guard;
    const key = `${member} ${isFolded}`;
    const byValue = guarded.get(key) ?? { member, isFolded, silences: new Map() };
    guarded.set(key, byValue);
    for (const value of new Set(values)) {
      const list = byValue.silences.get(value);
      if (list) list.push(silence);
      else byValue.silences.set(value, [silence]);
    }
  }
  return {
    size: silences.length,
    candidatesFor: (alert) => {
      const found = new Set(unguarded);
      for (const { member, isFolded, silences } of guarded.values())
        for (const value of textsOf(alert[member]))
          for (const silence of silences.get(isFolded ? value.toLowerCase() : value) ?? [])
            found.add(silence);
      return [...found];
    },
  };
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [String(value)]
    : [];
}
