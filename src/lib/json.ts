/** A decoded value as JSON has it: numbers of any size become decimal text, and nothing undefined remains. */
export function toJsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[name, toJsonValue(inner)]],
    ),
  );
}

/**
 * JSON that PostgreSQL always accepts. NUL and half surrogate pairs, which no column takes, become U+FFFD, so that a
 * strange text from a chain does not fail the whole transaction.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return strange.test(text)
    ? text.replace(escapes, (sequence) => (sequence.length > 2 ? '\\ufffd' : sequence))
    : text;
}

/** A whole pair is written as it is, so that every surrogate that is escaped is half of one. */
const strange = /\\u(?:0000|d[89a-f])/;
/** One escape after the other, so that the `\\` before a mere `u0000` is not taken for one. */
const escapes = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[\s\S])/g;
