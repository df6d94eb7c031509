import { harmless } from '../lib/harmless.ts';
import { isRecord } from '../lib/isRecord.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * What `{member}` of a message template stands for. Text that comes from a chain or from the web is made harmless; what the
 * settings have themselves, such as the address of a web page, is the tenant's own.
 */
export function templateValues(evidence: Values, settings: unknown): Values {
  const own = isRecord(settings) ? new Set(Object.values(settings)) : new Set<unknown>();
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => [name, own.has(value) ? value : toHarmless(value)]),
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
