import { toJsonValue } from '../lib/toJsonValue.ts';

/** Evidence as JSON. */
export function toMeta(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return toJsonValue(fields) as Record<string, unknown>;
}
