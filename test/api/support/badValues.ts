import { type Node, typesOf } from './schemas.ts';

/** JSON text that no JavaScript value is written as. */
type Raw = { raw: string };
const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && 'raw' in value;

export function toText(value: unknown): string {
  const raws: string[] = [];
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (!isRaw(member)) return member;
    raws.push(member.raw);
    return '@@raw@@';
  });
  return text.replaceAll('"@@raw@@"', () => raws.shift()!);
}

/** What is wrong, the code that the answer must give it, and the value. */
type BadValue = [what: string, code: string, value: unknown];

/** Values that do not fit the schema, of every kind of misfit that it can have. */
export function badValues(node: Node): BadValue[] {
  return [
    ...wrongTypes(node),
    ...badTexts(node),
    ...badNumbers(node),
    ...badLists(node),
    ...badObjects(node),
  ];
}

const samples: [type: string, value: unknown][] = [
  ['null', null],
  ['boolean', true],
  ['integer', 7],
  ['number', 1.5],
  ['string', 'text'],
  ['array', []],
  ['object', {}],
];

export function wrongTypes(node: Node): BadValue[] {
  const right = typesOf(node);
  // One of several shapes, whose own rules say what is wrong.
  if (right.length === 0) return [];
  return samples
    .filter(([type]) => !right.includes(type) && !(type === 'integer' && right.includes('number')))
    .map(([type, value]) => [`${type} in place of ${right.join(' or ')}`, 'type', value]);
}

function badTexts(node: Node): BadValue[] {
  if (!typesOf(node).includes('string')) return [];
  const { minLength = 0, maxLength, pattern, format } = node;
  const words = (node.enum ?? []).filter((word) => typeof word === 'string');
  return [
    ['NUL', 'nul', 'a\u0000b'],
    ['the first half of a pair', 'surrogate', 'a\ud800'],
    ['the second half of a pair', 'surrogate', '\udc00b'],
    ...(maxLength === undefined ? [] : [['too long', 'too-long', 'x'.repeat(maxLength + 1)] as BadValue]),
    ...(minLength > 0 ? [['too short', 'too-short', 'x'.repeat(minLength - 1)] as BadValue] : []),
    ...(pattern === '\\S' ? [['white space', 'pattern', ' \t\n\u00a0\u2003'] as BadValue] : []),
    ...(pattern === '^https?.*' ? [['another scheme', 'pattern', 'ftp://example.com'] as BadValue] : []),
    ...(format === undefined || format === 'name'
      ? []
      : [['another format', 'format', 'not at all'] as BadValue]),
    ...(format === 'name' ? [['a hidden character', 'hidden-character', 'a\u200bb'] as BadValue] : []),
    ...(words.length > 0 ? [['an unknown word', 'enum', 'UNKNOWN'] as BadValue] : []),
    ...words.slice(0, 1).map((word): BadValue => ['other case', 'enum', swapCase(word)]),
  ];
}

function badNumbers(node: Node): BadValue[] {
  if (!typesOf(node).some((type) => type === 'integer' || type === 'number')) return [];
  const { minimum, maximum } = node;
  const isSafe = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    ['1e400', 'number-range', { raw: '1e400' }],
    ['-1e400', 'number-range', { raw: '-1e400' }],
    ['20 digits', 'number-range', { raw: '12345678901234567890' }],
    ['2^53', 'number-range', { raw: '9007199254740992' }],
    ...(minimum === undefined ? [] : [['too small', 'too-small', minimum - 1] as BadValue]),
    ...(isSafe ? [['too large', 'too-large', maximum + 1] as BadValue] : []),
  ];
}

function badLists({ type, items, minItems = 0, maxItems, uniqueItems }: Node): BadValue[] {
  if (type !== 'array' && !(Array.isArray(type) && type.includes('array'))) return [];
  const item = items ? sampleOf(items) : 1;
  return [
    ...(minItems > 0 ? [['too few', 'too-few', []] as BadValue] : []),
    ...(maxItems === undefined
      ? []
      : [['too many', 'too-many', Array.from({ length: maxItems + 1 }, () => item)] as BadValue]),
    ...(uniqueItems ? [['twice the same', 'not-unique', [item, item]] as BadValue] : []),
  ];
}

function badObjects(node: Node): BadValue[] {
  if (!typesOf(node).includes('object') || node.maxProperties === undefined) return [];
  const names = Array.from({ length: node.maxProperties + 1 }, (_, index) => `name${index}`);
  return [['too many members', 'too-many', Object.fromEntries(names.map((name) => [name, 'x']))]];
}

function sampleOf(node: Node): unknown {
  const [type] = typesOf(node);
  if (node.enum) return node.enum[0];
  if (type === 'string') return 'x'.repeat(node.minLength ?? 1);
  return type === 'object' ? { id: 1 } : (node.minimum ?? 1);
}

function swapCase(word: string): string {
  return word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase();
}
