import type { Random } from '../../testing/createRandom.ts';
import type { Clause, Shape, Written } from './whereOracle.ts';
import { doubles, integers, names, texts } from './whereRecords.ts';

/** A random clause that fits the shape. */
export function randomClause(random: Random, shape: Shape, depth = 3): Clause {
  const kind = depth === 0 ? 9 : random.below(10);
  const part = () => randomClause(random, shape, depth - 1);
  if (kind === 0) return { type: 'not', part: part() };
  if (kind > 4) return randomPredicate(random, shape);
  return {
    type: random.chance(0.5) ? 'and' : 'or',
    parts: Array.from({ length: 2 + random.below(2) }, part),
  };
}

/** The clause as a caller might write it: spelling, spaces and kinds of quotes vary. */
export function write(clause: Clause, random: Random): string {
  const word = (text: string) =>
    space(random) + (random.chance(0.5) ? text : text.toLowerCase()) + space(random);
  const optionalSpace = () => (random.chance(0.5) ? '' : space(random));
  const literal = (value: Written) => writeLiteral(value, random);
  if ('parts' in clause) {
    return clause.parts
      .map((part) => writePart(part, clause.type === 'and', random))
      .join(word(clause.type.toUpperCase()));
  }
  if (clause.type === 'not') return word('NOT') + writePart(clause.part, true, random);
  const field = clause.path.map((name) => writeName(name, random)).join('.');
  if (clause.type === 'compare')
    return field + optionalSpace() + clause.operator + optionalSpace() + literal(clause.value);
  const not = clause.negated ? word('NOT') : '';
  if (clause.type === 'null') return field + word('IS') + not + word('NULL');
  if (clause.type === 'contains') return field + not + word('CONTAINS') + literal(clause.value);
  if (clause.type === 'in') {
    const comma = `${optionalSpace()},${optionalSpace()}`;
    return `${field + not + word('IN')}(${clause.values.map(literal).join(comma)})`;
  }
  if (clause.type === 'between') {
    return field + not + word('BETWEEN') + literal(clause.low) + word('AND') + literal(clause.high);
  }
  const { ignoreCase, pattern, escapeCharacter } = clause;
  const suffix = escapeCharacter === undefined ? '' : word('ESCAPE') + literal(escapeCharacter);
  return field + not + word(ignoreCase ? 'ILIKE' : 'LIKE') + literal(pattern) + suffix;
}

function writePart(part: Clause, bindsTightly: boolean, random: Random): string {
  const needsParentheses = part.type === 'or' || (part.type === 'and' && bindsTightly);
  const text = write(part, random);
  return needsParentheses || random.chance(0.2) ? `(${text})` : text;
}

function space(random: Random): string {
  return random.pick([' ', '  ', '\t', '\n', '\u00a0', '\u3000', '\u0085', '\u2028']);
}

function writeName(name: string, random: Random): string {
  const isBare = /^[A-Za-z_]\w*$/.test(name);
  if (isBare && random.chance(0.7)) return name;
  return random.chance(0.5) ? `"${name.replaceAll('"', '""')}"` : `\`${name.replaceAll('`', '``')}\``;
}

function writeLiteral(value: Written, random: Random): string {
  if (value === null) return random.pick(['NULL', 'null', 'Null']);
  if (typeof value === 'boolean') return random.pick([String(value), String(value).toUpperCase()]);
  if (typeof value === 'object') return value.number;
  return random.chance(0.8) ? `'${value.replaceAll("'", "''")}'` : `"${value.replaceAll('"', '""')}"`;
}

function randomPredicate(random: Random, shape: Shape): Clause {
  const { path, type, isList } = randomPath(random, shape);
  const negated = random.chance(0.3);
  const value = () => randomLiteral(random, type);
  if (typeof type === 'object' || random.chance(0.15)) return { type: 'null', path, negated };
  const kind = random.below(5);
  if (kind === 0)
    return { type: 'in', path, negated, values: Array.from({ length: 1 + random.below(3) }, value) };
  if (kind === 1 && type !== 'boolean')
    return { type: 'between', path, negated, low: ordered(value), high: ordered(value) };
  if (kind === 2 && (type === 'string' || type === 'json')) return randomLike(random, path, negated);
  if (kind === 3 && isList) return { type: 'contains', path, negated, value: value() };
  const operator = random.pick(['=', '<>', '!=', '<', '<=', '>', '>='] as const);
  if (type === 'boolean')
    return { type: 'compare', path, operator: random.pick(['=', '<>', '!='] as const), value: value() };
  return { type: 'compare', path, operator, value: ordered(value) };
}

function randomPath(random: Random, shape: Shape): { path: string[]; type: Shape[string]; isList: boolean } {
  const path: string[] = [];
  let type: Shape[string] = shape;
  let isList = false;
  while (typeof type === 'object' && (path.length === 0 || random.chance(0.95))) {
    const name: string = random.pick(Object.keys(type));
    path.push(name);
    type = type[name]!;
    isList ||= lists.has(name);
  }
  if (type === 'json') {
    while (path.length < 8 && random.chance(0.6)) path.push(random.pick(names));
  }
  return { path, type, isList: isList || type === 'json' };
}

const lists = new Set(['tags', 'counts', 'flags', 'marks', 'parts', 'revisions', 'notes']);

function randomLiteral(random: Random, type: Shape[string]): Written {
  if (random.chance(0.05)) return null;
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'string') return random.pick(texts);
  if (type === 'json') return randomLiteral(random, random.pick(['boolean', 'string', 'number']));
  const number = random.pick([...integers, ...doubles.map(String), ...oddNumbers]);
  return random.chance(0.2) && type === 'integer' ? number : { number };
}

const oddNumbers = [
  '1e0',
  '10E-1',
  '+1',
  '-0',
  '1.0',
  '0.9',
  '99999999999999999999',
  '-1e30',
  '0.1e1',
  '1e1000',
  '1e-1000',
  '9223372036854775808',
];

/** TRUE and FALSE have no order. */
function ordered(value: () => Written): Written {
  for (;;) {
    const candidate = value();
    if (typeof candidate !== 'boolean') return candidate;
  }
}

function randomLike(random: Random, path: string[], negated: boolean): Clause {
  const escapeCharacter = random.pick([undefined, undefined, '!', '%', '_', '😀']);
  const mark = escapeCharacter ?? '\\';
  const plain = ['%', '_', ...texts].filter((text) => !text.includes(mark));
  const pieces = [...plain, `${mark}%`, `${mark}_`, `${mark}a`, mark + mark];
  const pattern = Array.from({ length: random.below(4) }, () => random.pick(pieces)).join('');
  const like = { type: 'like', path, negated, ignoreCase: random.chance(0.5), pattern } as const;
  return escapeCharacter === undefined ? like : { ...like, escapeCharacter };
}
