/** Evidence as JSON: numbers of any size become decimal text, and nothing undefined remains. */
export function toMeta(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return toJson(fields) as Record<string, unknown>;
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, toJson(inner)]])),
  );
}
