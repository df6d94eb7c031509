import { harmless } from '../lib/harmless.ts';
import { isRecord } from '../lib/isRecord.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Values of `{member}` in a message template. Text from a chain or the web is made harmless; values of the settings,
 * such as a web address, are the tenant's own.
 */
export function templateValues(evidence: Values, settings: unknown): Values {
  const settingValues = isRecord(settings) ? new Set(Object.values(settings)) : new Set<unknown>();
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [
      name,
      settingValues.has(value) ? value : toHarmless(value),
    ]),
  );
}

function toHarmless(value: unknown): unknown {
  if (typeof value === 'string') return harmless(value, 2_000);
  if (Array.isArray(value)) return value.map(toHarmless);
  if (!isRecord(value) || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [harmless(name, 100), toHarmless(member)]),
  );
}
