/** What the group script names: a text, a list of texts, or nothing. Throws a RangeError for anything else. */
export function readGroups(answer: unknown): string[] {
  if (isNothing(answer)) return [];
  const names: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  if (names.length > mostGroups) throw new RangeError(`it names more than ${mostGroups} groups`);
  return [...new Set(names.map(toName))];
}

export type Asked = { change: number; key: string; value: number };

/** What the score script gives: a number, an object with `change`, or nothing. Throws a RangeError for anything else. */
export function readChange(answer: unknown): Asked | undefined {
  if (isNothing(answer)) return undefined;
  if (typeof answer !== 'object') {
    const change = toNumber(answer, 'it');
    return { change, key: 'change', value: change };
  }
  if (!('change' in answer))
    throw new RangeError('it gives an object without `change`; give a number or { change, key, value }');
  const change = toNumber(answer.change, '`change`');
  const key = 'key' in answer && answer.key !== null ? toName(answer.key) : 'change';
  const value = 'value' in answer && answer.value !== null ? toNumber(answer.value, '`value`') : change;
  return { change, key, value };
}

const mostGroups = 100;
const mostChars = 200;

function isNothing(answer: unknown): answer is null | undefined | false {
  return answer === null || answer === undefined || answer === false;
}

function toName(value: unknown): string {
  if (typeof value === 'string' && /\S/.test(value) && value.length <= mostChars) {
    if (!/\p{Cc}/u.test(value) && value.isWellFormed()) return value;
  }
  throw new RangeError(`it gives ${show(value)} as a name; a name is a text of 1 to ${mostChars} characters`);
}

function toNumber(value: unknown, what: string): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number + 0;
  throw new RangeError(`${what} is ${show(value)}; give a number`);
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 50));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
}
