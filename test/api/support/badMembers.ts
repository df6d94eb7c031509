import type { Json } from '../../../testing/startTestApi.ts';
import { badValues, toText, wrongTypes } from './badValues.ts';
import type { Node } from './schemas.ts';

/** A body with one fault: its text, what is wrong, and what the answer must name. */
export type BadBody = { text: string; what: string; pointer: string; code: string };

type Path = readonly string[];

/** Every way to spoil one member of a body that is right, found by walking the schema along the body. */
export function badMembers(schema: Node, body: Json): BadBody[] {
  const bad: BadBody[] = [];
  const spoil = (path: Path, what: string, code: string, edit: (holder: Json, last: string) => void) => {
    const copy = structuredClone(body);
    const holder = path.slice(0, -1).reduce<Json>((value, step) => value[step], copy);
    edit(holder, path.at(-1) ?? '');
    bad.push({ text: toText(copy), what, pointer: toPointer(path), code });
  };
  walk(schema, body, [], spoil);
  return bad;
}

type Spoil = (path: Path, what: string, code: string, edit: (holder: Json, last: string) => void) => void;

function walk(node: Node, value: unknown, path: Path, spoil: Spoil): void {
  if (Array.isArray(value)) walkArray(node, value, path, spoil);
  else if (typeof value === 'object' && value !== null) walkObject(node, value, path, spoil);
}

function walkArray(node: Node, value: unknown[], path: Path, spoil: Spoil): void {
  if (!node.items || value.length === 0) return;
  const first = [...path, '0'];
  for (const [what, code, wrong] of badValues(node.items)) {
    spoil(first, what, code, (holder) => {
      holder[0] = wrong;
    });
  }
  for (const name of node.items.else?.required ?? []) {
    spoil([...first, name], `a new item without ${name}`, 'required', (item) => {
      delete item.id;
      delete item[name];
    });
  }
  walk(node.items, value[0], first, spoil);
}

function walkObject(node: Node, value: Json, path: Path, spoil: Spoil): void {
  const set = (name: string, wrong: unknown) => (holder: Json) => {
    Object.defineProperty(holder, name, {
      value: wrong,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  };
  for (const [name, member] of Object.entries(node.properties ?? {})) {
    const place = [...path, name];
    if (node.required?.includes(name)) spoil(place, 'missing', 'required', (holder) => delete holder[name]);
    // What only Vigil sets has to come back as it is, so that one kind of fault says enough.
    const wrongs = member.readOnly ? wrongTypes(member) : badValues(member);
    for (const [what, code, wrong] of wrongs) spoil(place, what, code, set(name, wrong));
    if (!member.readOnly) walk(member, value[name], place, spoil);
  }
  if (node.additionalProperties === false) {
    for (const name of strangers(Object.keys(node.properties ?? {}))) {
      spoil([...path, name], 'an unknown member', 'unknown-member', set(name, 1));
    }
  } else if (node.additionalProperties === true) {
    spoil([...path, 'any'], 'a number too large inside', 'number-range', set('any', { raw: '1e400' }));
    spoil([...path, 'any'], 'NUL inside', 'nul', set('any', 'a\u0000'));
  } else if (typeof node.additionalProperties === 'object') {
    for (const [what, code, wrong] of badValues(node.additionalProperties)) {
      spoil([...path, 'any'], what, code, set('any', wrong));
    }
  }
  spoil([...path, 'a\u0000b'], 'NUL in a name', 'nul', set('a\u0000b', 1));
  spoil([...path, 'a\ud800b'], 'half a character in a name', 'surrogate', set('a\ud800b', 1));
  if (path.length > 0) spoil([...path, '__proto__'], '__proto__', 'unknown-member', set('__proto__', {}));
}

/** Names that are no members, though some look like one or exist on every object. */
function strangers(known: readonly string[]): string[] {
  const [name = 'name'] = known.slice(-1);
  const near = [`${name}x`, `${name} `, ` ${name}`, `${name}\u200b`, name.toUpperCase(), `/${name}~`];
  return ['unknownMember', '', '__proto__', 'constructor', 'toString', ...near].filter(
    (candidate) => !known.includes(candidate),
  );
}

function toPointer(path: Path): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
