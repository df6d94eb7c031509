/** A where clause by its meaning; written down and evaluated here without a line of the code under test. */
export type Clause =
  | { type: 'and' | 'or'; parts: Clause[] }
  | { type: 'not'; part: Clause }
  | { type: 'compare'; path: string[]; operator: '=' | '<>' | '!=' | '<' | '<=' | '>' | '>='; value: Written }
  | { type: 'in'; path: string[]; negated: boolean; values: Written[] }
  | { type: 'between'; path: string[]; negated: boolean; low: Written; high: Written }
  | {
      type: 'like';
      path: string[];
      negated: boolean;
      ignoreCase: boolean;
      pattern: string;
      escapeCharacter?: string;
    }
  | { type: 'contains'; path: string[]; negated: boolean; value: Written }
  | { type: 'null'; path: string[]; negated: boolean };

/** A literal; numbers as they are written. */
export type Written = null | boolean | string | { number: string };

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What the oracle must know of a field: how to compare it. `json` holds any value, `object` is one or a list of records. */
export type Shape = { [name: string]: 'integer' | 'number' | 'string' | 'boolean' | 'json' | Shape };

type Truth = boolean | null;

/** Kleene's logic over a record as JSON; `null` is UNKNOWN. Integers are decimal strings. */
export function evaluate(clause: Clause, record: Json, shape: Shape): Truth {
  if ('parts' in clause) {
    const truths = clause.parts.map((part) => evaluate(part, record, shape));
    return clause.type === 'or' ? or(truths) : and(truths);
  }
  if (clause.type === 'not') return not(evaluate(clause.part, record, shape));
  const { path } = clause;
  // A comparison with NULL is UNKNOWN whatever the field holds, be it an empty list.
  const is = (operator: string, value: Written) =>
    value === null ? null : any(record, shape, path, (item) => compare(item, operator, value));
  if (clause.type === 'compare') {
    const isNot = clause.operator === '<>' || clause.operator === '!=';
    return negate(isNot, is(isNot ? '=' : clause.operator, clause.value));
  }
  const { negated } = clause;
  if (clause.type === 'null') return negate(negated, isNull(record, shape, path));
  if (clause.type === 'contains') return negate(negated, is('=', clause.value));
  if (clause.type === 'in') return negate(negated, or(clause.values.map((value) => is('=', value))));
  if (clause.type === 'like')
    return negate(
      negated,
      any(record, shape, path, ({ value }) => like(value, clause)),
    );
  const { low, high } = clause;
  if (low === null && high === null) return null;
  const isBetween = (item: Typed) => and([compare(item, '>=', low), compare(item, '<=', high)]);
  return negate(negated, any(record, shape, path, isBetween));
}

function not(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function negate(negated: boolean, truth: Truth): Truth {
  return negated ? not(truth) : truth;
}

function or(truths: Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
}

function and(truths: Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

type Typed = { type: Exclude<Shape[string], Shape>; value: Json };

/** Kleene's OR of the test over everything that the path leads to. */
function any(value: Json, shape: Shape[string], path: string[], test: (item: Typed) => Truth): Truth {
  if (Array.isArray(value)) {
    // A list inside a list is a value of its own, of a type that no literal has.
    return or(value.map((item) => (Array.isArray(item) ? null : any(item, shape, path, test))));
  }
  if (value === null) return null;
  const [name, ...rest] = path;
  if (name === undefined) return typeof shape === 'string' ? test({ type: shape, value }) : null;
  if (typeof value !== 'object') return null;
  return any(member(value, name), typeof shape === 'object' ? shape[name]! : 'json', rest, test);
}

function isNull(value: Json, shape: Shape[string], path: string[]): Truth {
  const [name, ...rest] = path;
  if (name === undefined) return value === null;
  if (Array.isArray(value))
    return or(value.map((item) => (Array.isArray(item) ? true : isNull(item, shape, path))));
  if (value === null || typeof value !== 'object') return true;
  return isNull(member(value, name), typeof shape === 'object' ? shape[name]! : 'json', rest);
}

function member(value: { [name: string]: Json }, name: string): Json {
  return Object.hasOwn(value, name) ? value[name]! : null;
}

function compare({ type, value }: Typed, operator: string, literal: Written): Truth {
  if (literal === null) return null;
  if (typeof value === 'boolean') return typeof literal === 'boolean' ? value === literal : null;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  if (type === 'integer' || typeof value === 'number') {
    const isText = typeof literal === 'string';
    if (typeof literal === 'boolean' || (isText && type === 'json')) return null;
    return holds(compareNumbers(String(value), isText ? literal : literal.number), operator);
  }
  return typeof literal === 'string' ? holds(compareText(value, literal), operator) : null;
}

function holds(order: number, operator: string): boolean {
  if (operator === '=') return order === 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

/** Exact, as whole numbers of 10^-2000. */
export function compareNumbers(left: string, right: string): number {
  const difference = scaled(left) - scaled(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function scaled(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return (
    BigInt((whole + fraction).replace('+', '')) * 10n ** BigInt(2000 + Number(exponent) - fraction.length)
  );
}

export function compareText(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = a[index]!.codePointAt(0)! - b[index]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function like(value: Json, clause: Extract<Clause, { type: 'like' }>): Truth {
  if (typeof value !== 'string') return null;
  const { pattern, escapeCharacter = '\\', ignoreCase } = clause;
  const steps: ('any' | 'one' | { literal: string })[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    if (character === escapeCharacter) steps.push({ literal: characters[++index]! });
    else if (character === '%') steps.push('any');
    else steps.push(character === '_' ? 'one' : { literal: character });
  }
  // reached[n]: the steps so far can have consumed the first n characters.
  const text = Array.from(value);
  let reached = [true, ...text.map(() => false)];
  for (const step of steps) {
    if (step === 'any') {
      const first = reached.indexOf(true);
      reached = reached.map((_, index) => first !== -1 && index >= first);
    } else {
      reached = reached.map(
        (_, index) =>
          index > 0 &&
          reached[index - 1]! &&
          (step === 'one' || isSame(text[index - 1]!, step.literal, ignoreCase)),
      );
    }
  }
  return reached.at(-1)!;
}

function isSame(left: string, right: string, ignoreCase: boolean): boolean {
  return left === right || (ignoreCase && (arePair(left, right) || arePair(right, left)));
}

function arePair(lower: string, upper: string): boolean {
  return lower.toUpperCase() === upper && upper.toLowerCase() === lower;
}
