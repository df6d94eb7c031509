/** Reads the result of the group script: a name, a list of names, or nothing. Throws a RangeError for anything else. */
export function readGroups(result: unknown): string[] {
  if (isNothing(result)) return [];
  const names: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (names.length > maxGroups) throw new RangeError(`it names more than ${maxGroups} groups`);
  return [...new Set(names.map(toName))];
}

export type RequestedChange = { change: number; key: string; value: number };

/** Reads the result of the score script: a number, an object with `change`, or nothing. Throws a RangeError for anything else. */
export function readChange(result: unknown): RequestedChange | undefined {
  if (isNothing(result)) return undefined;
  if (typeof result !== 'object') {
    const change = toNumber(result, 'it');
    return { change, key: 'change', value: change };
  }
  if (!('change' in result))
    throw new RangeError('it returns an object without `change`; return a number or { change, key, value }');
  const change = toNumber(result.change, '`change`');
  const key = 'key' in result && result.key !== null ? toName(result.key) : 'change';
  const value = 'value' in result && result.value !== null ? toNumber(result.value, '`value`') : change;
  return { change, key, value };
}

const maxGroups = 100;
const maxNameLength = 200;

function isNothing(result: unknown): result is null | undefined | false {
  return result === null || result === undefined || result === false;
}

function toName(value: unknown): string {
  if (typeof value === 'string' && /\S/.test(value) && value.length <= maxNameLength) {
    if (!/\p{Cc}/u.test(value) && value.isWellFormed()) return value;
  }
  throw new RangeError(
    `it returns ${toText(value)} as a name; a name is a text of 1 to ${maxNameLength} characters`,
  );
}

function toNumber(value: unknown, what: string): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number + 0;
  throw new RangeError(`${what} is ${toText(value)}; return a number`);
}

function toText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 50));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
}
