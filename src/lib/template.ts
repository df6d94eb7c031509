/** Puts the fields into `{name}` and `{name.member}`; a name that is not there stays as it is written. `{{` and `}}` print a brace. */
export function fillTemplate(text: string, fields: Readonly<Record<string, unknown>>): string {
  let filled = '';
  for (const part of partsOf(text)) {
    const value = part.name === undefined ? undefined : memberOf(fields, part.name);
    filled += value === undefined ? part.text : print(value, 0);
  }
  return filled;
}

/** The names that a template uses, each once, in the order of their first use. */
export function templateFields(text: string): string[] {
  const names = new Set<string>();
  for (const { name } of partsOf(text)) if (name !== undefined) names.add(name);
  return [...names];
}

type Part = { text: string; name?: string };

/** Every character is looked at once or twice, whatever the text. */
function* partsOf(text: string): Generator<Part> {
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const mark = text[at];
    if ((mark === '{' || mark === '}') && text[at + 1] === mark) {
      yield { text: text.slice(plainFrom, at + 1) };
      at += 2;
      plainFrom = at;
      continue;
    }
    const start = at;
    at += 1;
    if (mark !== '{') continue;
    while (at < text.length && isNameCharacter(text.charCodeAt(at))) at += 1;
    if (text[at] !== '}' || at === start + 1) continue;
    at += 1;
    yield { text: text.slice(plainFrom, start) };
    yield { text: text.slice(start, at), name: text.slice(start + 1, at - 1) };
    plainFrom = at;
  }
  yield { text: text.slice(plainFrom) };
}

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
function memberOf(fields: object, name: string): unknown {
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
