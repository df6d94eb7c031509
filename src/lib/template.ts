import { cutText } from './cutText.ts';

/** A member that a template names, with the format after its bar: `{args.amount | token args.asset}`. */
export type TemplateMember = { text: string; name: string; format?: string; argument?: string };

/** Longest text that a template makes: it may name one large value thousands of times. */
export const maxFilled = 100_000;

/**
 * Puts the fields into `{name}` and `{name.member}`; a name that is not there stays as it is written. `{{` and `}}` print a brace.
 * `show` gives members with a format; without it they are plain text. What is longer than `maxLength` is cut.
 */
export function fillTemplate(
  text: string,
  fields: Readonly<Record<string, unknown>>,
  show?: (member: TemplateMember) => string | undefined,
  maxLength = maxFilled,
): string {
  let filled = '';
  for (const { text: written, member } of partsOf(text, show !== undefined)) {
    const shown = member?.format === undefined ? undefined : show?.(member);
    const value = member === undefined ? undefined : memberOf(fields, member.name);
    filled += shown ?? (value === undefined ? written : print(value, 0));
    if (filled.length > maxLength) return `${cutText(filled, Math.max(0, maxLength - 1))}…`;
  }
  return filled;
}

/** The names that a template uses, each once, in the order of their first use. */
export function templateFields(text: string): string[] {
  return [...new Set(namesIn(text, false).map(({ name }) => name))];
}

/** The members that a template names, with their formats. */
export function templateMembersOf(text: string): TemplateMember[] {
  return namesIn(text, true);
}

function namesIn(text: string, hasFormats: boolean): TemplateMember[] {
  return [...partsOf(text, hasFormats)].flatMap(({ member }) => member ?? []);
}

type Part = { text: string; member?: TemplateMember };

/** Every character is looked at a few times at most, whatever the text. */
function* partsOf(text: string, hasFormats: boolean): Generator<Part> {
  let plainFrom = 0;
  let index = 0;
  while (index < text.length) {
    const mark = text[index];
    if ((mark === '{' || mark === '}') && text[index + 1] === mark) {
      yield { text: text.slice(plainFrom, index + 1) };
      index += 2;
      plainFrom = index;
      continue;
    }
    const start = index;
    index += 1;
    if (mark !== '{') continue;
    while (index < text.length && isNameCharacter(text.charCodeAt(index))) index += 1;
    const name = text.slice(start + 1, index);
    const format = hasFormats && name !== '' ? formatAt(text, index) : undefined;
    if (format) index = format.end;
    if (text[index] !== '}' || name === '') continue;
    index += 1;
    yield { text: text.slice(plainFrom, start) };
    const written = text.slice(start, index);
    yield { text: written, member: { text: written, name, ...format?.words } };
    plainFrom = index;
  }
  yield { text: text.slice(plainFrom) };
}

/** ` | token args.asset` before the closing brace; undefined for anything else. */
function formatAt(
  text: string,
  from: number,
): { end: number; words: Omit<TemplateMember, 'text' | 'name'> } | undefined {
  const words = formatPattern.exec(text.slice(from, from + maxFormat));
  if (!words) return undefined;
  const [{ length }, format = '', argument] = words;
  return { end: from + length - 1, words: { format, ...(argument === undefined ? {} : { argument }) } };
}

const maxFormat = 200;
const formatPattern = /^ {0,9}\| {0,9}([a-z]{1,20})(?: {1,9}([\w.-]{1,120}))? {0,9}\}/;

/** Letters, digits, `_`, `-` and `.`. */
function isNameCharacter(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}

/** Own members only, so that no template reaches into prototypes. */
export function memberOf(fields: object, name: string): unknown {
  let value: unknown = fields;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

const maxDepth = 8;

function print(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth === maxDepth) return '…';
  if (Array.isArray(value)) {
    const items = value.map((item) => print(item, depth + 1)).join(', ');
    return depth === 0 ? items : `[${items}]`;
  }
  const members = Object.entries(value)
    .map(([name, member]) => `${name}: ${print(member, depth + 1)}`)
    .join(', ');
  return depth === 0 ? members : `{${members}}`;
}
