/**
 * Values cross the border as JSON, in which a string beginning with NUL is a tag: NUL n = bigint, NUL d = a number JSON
 * lacks, NUL s = a string beginning with NUL.
 */
export function encodeValues(values: readonly unknown[]): string {
  return JSON.stringify(values, tag);
}

export function decodeValue(text: string): unknown {
  return JSON.parse(text, untag);
}

function tag(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `\0n${value}`;
  if (typeof value === 'string' && value.charCodeAt(0) === 0) return `\0s${value}`;
  if (typeof value === 'number' && !Number.isFinite(value)) return `\0d${value}`;
  if (Object.is(value, -0)) return '\0d-0';
  return value;
}

function untag(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0) return value;
  const rest = value.slice(2);
  return value[1] === 'n' ? BigInt(rest) : value[1] === 'd' ? Number(rest) : rest;
}
