import { nearest } from '../../lib/nearest.ts';
import { expandExisting, expandFields } from './expandFields.ts';
import { quote } from './invalidQuery.ts';
import { type Mapping, subField } from './mapping.ts';
import type { Group, Node, Phrase, Query, Text } from './tree.ts';

/** A condition that no document can meet. `offset` is the position of its value in the query. */
export type QueryMistake = { readonly offset: number; readonly message: string };

/** The values of fields that have one of a few. */
export type FixedValues = ReadonlyMap<string, readonly string[]>;

/**
 * Finds the first condition on a field that does not exist, or on a value that its field never has, and names the nearest
 * right word. A query that waits for such a document would wait for ever.
 */
export function findUnknownName(
  query: Query,
  mapping: Mapping,
  values: FixedValues,
): QueryMistake | undefined {
  for (const node of conditionsOf(query)) {
    const message = fieldFault(node, mapping) ?? valueFault(node, values);
    if (message !== undefined) return { offset: node.offset, message };
  }
  return undefined;
}

type Condition = Exclude<Node, Group>;

/** Without recursion over long chains: groups nest only as deep as the parser allows. */
function* conditionsOf(group: Group): Generator<Condition> {
  for (const { node } of group.clauses) {
    if (node.type === 'group') yield* conditionsOf(node);
    else yield node;
  }
}

function fieldFault(node: Condition, mapping: Mapping): string | undefined {
  if (node.field === undefined) return undefined;
  const isExistence = node.field === '_exists_';
  const name = isExistence && 'text' in node ? node.text : node.field;
  const tests = isExistence || (node.type === 'wildcard' && node.pattern === '*');
  if ((tests ? expandExisting : expandFields)(mapping, name).length > 0) return undefined;
  if (mapping.dynamic.includes(name))
    return `${quote(name)} holds members; name one of them, such as '${name}.amount'.`;
  const meant = nearestField(name, mapping);
  return `there is no member ${quote(name)}${meant === undefined ? '.' : `; did you mean '${meant}'?`}`;
}

function nearestField(name: string, { fields, dynamic }: Mapping): string | undefined {
  const whole = name.endsWith(subField) ? name.slice(0, -subField.length) : name;
  if (fields.has(whole)) return whole;
  const meant = nearest(name, fields.keys()) ?? nearest(whole, fields.keys());
  const [root = '', ...members] = name.split('.');
  const object = members.length > 0 ? nearest(root, dynamic) : undefined;
  return meant ?? (object === undefined ? undefined : [object, ...members].join('.'));
}

/** Ranges are left alone, and so are words side by side, which are values of their own. */
function isOther({ type, text, ...node }: Text | Phrase): boolean {
  return type === 'text' && (('isJoined' in node && node.isJoined) || /^[<>]/.test(text));
}

function valueFault(node: Condition, values: FixedValues): string | undefined {
  if (node.type !== 'text' && node.type !== 'phrase') return undefined;
  const words = values.get(node.field ?? '');
  if (!words || words.includes(node.text) || isOther(node)) return undefined;
  const meant = nearest(node.text, words);
  const hint =
    meant === undefined
      ? `one of ${words.join(', ')}`
      : `did you mean '${meant}'? There are ${words.join(', ')}`;
  return `'${node.field}' is never ${quote(node.text)}; ${hint}.`;
}
