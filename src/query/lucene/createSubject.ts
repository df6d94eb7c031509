import { lowerCase } from '../analyzer.ts';
import { decimalKey } from '../decimalKey.ts';
import { isPlainDecimal } from '../plainDecimal.ts';
import { createWords, type Words } from './createWords.ts';
import { createGlobTest } from './expandFields.ts';
import { type Field, subField } from './mapping.ts';
import { isWhole } from './sqlPredicate.ts';

/**
 * A document to match, with a cache of what matchers read from it; it must not change. However
 * many matchers share it, each part of the document is read once for a field.
 */
export type Subject = {
  readonly document: unknown;
  readonly values: Map<string, SubjectValues>;
  readonly nodes: Map<string, readonly unknown[]>;
  readonly members: Map<string, ReadonlyMap<string, readonly unknown[]>>;
};

/** The values of one field; the items of an array are values of their own, `null` is none. */
export type SubjectValues = {
  readonly strings: string[];
  readonly numbers: number[];
  readonly booleans: Set<boolean>;
  readonly lowerCase: () => readonly string[];
  readonly words: () => Words;
  /** The words of those texts that are no numbers. */
  readonly wordsBesideNumbers: () => Words;
  /** The keys of its numbers, and of texts that are plain decimal numbers, in order. */
  readonly decimals: () => readonly string[];
};

export function createSubject(document: unknown): Subject {
  return { document, values: new Map(), nodes: new Map(), members: new Map() };
}

/** A string field that is not dynamic has the texts of its numbers and booleans, too. */
export function createValuesOf(field: Field): (subject: Subject) => SubjectValues {
  const { path, glob, type, isDynamic } = field;
  const isMany = glob !== undefined || type === 'object';
  const isAll = isMany && isWhole(field);
  const root = path.join('.');
  const key = !isMany ? root : isAll ? `${root}.*` : `${glob} ${type}`;
  const isNamed = glob === undefined || isAll ? undefined : createNameTest(createGlobTest(glob), type);
  return (subject) => {
    const cached = subject.values.get(key);
    if (cached !== undefined) return cached;
    const values = createValues();
    for (const node of nodesAt(subject, path)) {
      if (isMany) addBelow(values, node, root, isNamed);
      else addValue(values, node, isDynamic);
    }
    subject.values.set(key, values);
    return values;
  };
}

function createValues(): SubjectValues {
  let lower: readonly string[] | undefined;
  let words: Words | undefined;
  let wordsBesideNumbers: Words | undefined;
  let decimals: string[] | undefined;
  const strings: string[] = [];
  const numbers: number[] = [];
  const allWords = (): Words => {
    words ??= createWords(strings);
    return words;
  };
  return {
    strings,
    numbers,
    booleans: new Set(),
    lowerCase: () => {
      lower ??= strings.map(lowerCase);
      return lower;
    },
    words: allWords,
    wordsBesideNumbers: () => {
      wordsBesideNumbers ??= strings.some(isPlainDecimal)
        ? createWords(strings.filter((text) => !isPlainDecimal(text)))
        : allWords();
      return wordsBesideNumbers;
    },
    decimals: () => {
      decimals ??= [...numbers.map(String), ...strings.filter(isPlainDecimal)].map(decimalKey).sort();
      return decimals;
    },
  };
}

function addValue(values: SubjectValues, value: unknown, isDynamic: boolean): void {
  if (typeof value === 'string') values.strings.push(value);
  else if (typeof value === 'number') values.numbers.push(value);
  else if (typeof value === 'boolean') values.booleans.add(value);
  else return;
  if (!isDynamic && typeof value !== 'string') values.strings.push(String(value));
}

function addBelow(
  values: SubjectValues,
  node: unknown,
  name: string,
  isNamed: ((name: string) => boolean) | undefined,
): void {
  if (Array.isArray(node)) {
    for (const item of node) addBelow(values, item, name, isNamed);
  } else if (isObject(node)) {
    for (const member of Object.keys(node)) {
      addBelow(values, node[member], isNamed === undefined ? '' : `${name}.${member}`, isNamed);
    }
  } else if (isNamed === undefined || isNamed(name)) {
    addValue(values, node, true);
  }
}

function createNameTest(fits: (name: string) => boolean, type: Field['type']): (name: string) => boolean {
  if (type === 'keyword') return (name) => fits(name + subField);
  return type === 'object' ? (name) => fits(name) || fits(name + subField) : fits;
}

/** With fewer objects than this, members are read from each. */
const fewNodes = 16;

/**
 * The values at a path, with arrays unfolded. Members of many objects are sorted by name once, for every later read.
 */
function nodesAt(subject: Subject, path: readonly string[]): readonly unknown[] {
  const key = path.join('.');
  const cached = subject.nodes.get(key);
  if (cached !== undefined) return cached;
  const nodes = findNodes(subject, path);
  subject.nodes.set(key, nodes);
  return nodes;
}

function findNodes(subject: Subject, path: readonly string[]): readonly unknown[] {
  const nodes: unknown[] = [];
  const member = path.at(-1);
  if (member === undefined) {
    unfold(subject.document, nodes);
    return nodes;
  }
  const outer = path.slice(0, -1);
  const parents = nodesAt(subject, outer);
  if (parents.length > fewNodes) return membersOf(subject, outer, parents).get(member) ?? [];
  for (const parent of parents) {
    if (isObject(parent) && Object.hasOwn(parent, member)) unfold(parent[member], nodes);
  }
  return nodes;
}

function membersOf(
  subject: Subject,
  path: readonly string[],
  nodes: readonly unknown[],
): ReadonlyMap<string, readonly unknown[]> {
  const key = path.join('.');
  const cached = subject.members.get(key);
  if (cached !== undefined) return cached;
  const members = new Map<string, unknown[]>();
  for (const node of nodes) {
    if (!isObject(node)) continue;
    for (const name of Object.keys(node)) {
      let values = members.get(name);
      if (values === undefined) {
        values = [];
        members.set(name, values);
      }
      unfold(node[name], values);
    }
  }
  subject.members.set(key, members);
  return members;
}

function unfold(value: unknown, into: unknown[]): void {
  if (!Array.isArray(value)) into.push(value);
  else for (const item of value) unfold(item, into);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
