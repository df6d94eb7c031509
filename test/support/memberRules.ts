/** Says in one line each how a value differs from what docs/api-spec.md states; nothing when it does not. */
export type Rule = (value: unknown, place?: string) => string[];

export const integer = is('an integer', Number.isSafeInteger);
export const text = is('a string', (value) => typeof value === 'string');
export const flag = is('a boolean', (value) => typeof value === 'boolean');
export const object = is('an object', isObject);
/** Epoch milliseconds: the same moment in seconds or microseconds lies centuries away. */
export const millis = is(
  'a time in epoch milliseconds',
  (value) => Number.isSafeInteger(value) && Number(value) > 1_600_000_000_000 && Number(value) < 5e12,
);
export const isoTime = is(
  'an ISO 8601 UTC date-time',
  (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
);
export const jsonText = is('a JSON text', (value) => typeof value === 'string' && parses(value));
export const nothing = is('null', (value) => value === null);

export function oneOf(...words: readonly string[]): Rule {
  return is(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value));
}

export function orNull(rule: Rule): Rule {
  return (value, place) => (value === null ? [] : rule(value, place));
}

export function list(item: Rule): Rule {
  return (value, place = '') =>
    Array.isArray(value)
      ? value.flatMap((each, index) => item(each, `${place}/${index}`))
      : [`${place} is not an array: ${JSON.stringify(value)}`];
}

/** An array that has items at all, so that the rule of an item is not satisfied by none. */
export function filled(item: Rule): Rule {
  return (value, place = '') =>
    Array.isArray(value) && value.length === 0 ? [`${place} is empty`] : list(item)(value, place);
}

export function textMap(value: unknown, place = ''): string[] {
  if (!isObject(value)) return object(value, place);
  return Object.entries(value).flatMap(([name, member]) => text(member, `${place}/${name}`));
}

export type Members = Readonly<Record<string, Rule>>;

/** These members, no more and no less. */
export function record(members: Members): Rule {
  return (value, place = '') => {
    if (!isObject(value)) return object(value, place);
    const missing = Object.keys(members).filter((name) => !Object.hasOwn(value, name));
    const foreign = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
    return [
      ...missing.map((name) => `${place}/${name} is missing`),
      ...foreign.map((name) => `${place}/${name} is not in docs/api-spec.md`),
      ...Object.entries(members).flatMap(([name, rule]) =>
        Object.hasOwn(value, name) ? rule(value[name], `${place}/${name}`) : [],
      ),
    ];
  };
}

/** The members without some of them. */
export function without(members: Members, ...names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function is(words: string, holds: (value: unknown) => boolean): Rule {
  return (value, place = '') => (holds(value) ? [] : [`${place} is not ${words}: ${JSON.stringify(value)}`]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parses(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
