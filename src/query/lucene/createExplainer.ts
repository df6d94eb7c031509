import { isRecord } from '../../lib/isRecord.ts';
import { analyze } from '../analyzer.ts';
import { costOf } from './cost.ts';
import { createMatcher, type Matcher } from './createMatcher.ts';
import { createSubject, type Subject } from './createSubject.ts';
import type { Field, Mapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import type { Predicate } from './predicate.ts';
import { resolve } from './resolve.ts';
import type { Group, Node } from './tree.ts';

/** A clause that a document matches. `position` is a column from 1; `words` are those of its texts that fit, in lower case. */
type MatchedClause = { clause: string; position: number; members: string[]; words: string[] };

/** The clauses that a document matches; `pause` is awaited between pieces of the work. */
export type Explainer = (document: unknown, pause: () => Promise<void>) => Promise<MatchedClause[]>;

export const maxExplainedClauses = 32;
/** In the unit of `costOf`: a page of the largest alerts is explained within two seconds. */
export const explainBudget = 1_000;
/** Bounds for one document; what lies beyond is not named. */
const maxLeaves = 256;
const maxMembers = 16;
const maxWords = 16;
const maxTriedWords = 200;
const maxReadText = 20_000;

type FieldTest = { field: Field; predicate: Predicate; matches: Matcher };
type ExplainedClause = { clause: string; position: number; matches: Matcher; tests: readonly FieldTest[] };

/**
 * Explains why documents are hits of a query that `compile` accepts: the first clauses that nothing excludes, within
 * the bounds above.
 */
export function createExplainer(text: string, mapping: Mapping, now: number): Explainer {
  const clauses = readClauses(text, mapping, now);
  return async (document, pause) => {
    const subject = createSubject(document);
    const leaves = new Map<string, readonly Leaf[]>();
    const matched: MatchedClause[] = [];
    for (const { clause, position, matches, tests } of clauses) {
      await pause();
      if (!matches(subject)) continue;
      const members = new Set<string>();
      const words = new Set<string>();
      for (const test of tests) {
        await pause();
        if (!test.matches(subject)) continue;
        for (const { path, subject: part } of partsOf(test.field, subject, leaves)) {
          if (members.size >= maxMembers) break;
          if (!test.matches(part)) continue;
          members.add(path);
          for (const word of fittingWords(test, part.document, path))
            if (words.size < maxWords) words.add(word);
        }
      }
      matched.push({ clause, position, members: [...members], words: [...words] });
    }
    return matched;
  };
}

function readClauses(text: string, mapping: Mapping, now: number): ExplainedClause[] {
  const spans = new Map<Node, { start: number; end: number }>();
  const query = parseQuery(text, (node, start, end) => spans.set(node, { start, end }));
  const clauses: ExplainedClause[] = [];
  let cost = 0;
  for (const node of wantedValues(query)) {
    const span = spans.get(node);
    if (!span || clauses.length === maxExplainedClauses) break;
    const alone: Group = { type: 'group', clauses: [{ conjunction: undefined, modifier: undefined, node }] };
    const predicate = resolve(alone, mapping, now);
    if (predicate.type === 'all' || predicate.type === 'none') continue;
    cost += costOf(predicate);
    if (cost > explainBudget) break;
    clauses.push({
      clause: text.slice(span.start, span.end),
      position: span.start + 1,
      matches: createMatcher(predicate),
      tests: fieldTests(predicate),
    });
  }
  return clauses;
}

/** The values that nothing excludes, in the order written. */
function wantedValues(group: Group): Exclude<Node, Group>[] {
  return group.clauses.flatMap(({ modifier, node }) => {
    if (modifier === 'mustNot') return [];
    return node.type === 'group' ? wantedValues(node) : [node];
  });
}

function fieldTests(predicate: Predicate): FieldTest[] {
  if (predicate.type === 'bool') return [...predicate.must, ...predicate.should].flatMap(fieldTests);
  if (!('field' in predicate)) return [];
  return [{ field: predicate.field, predicate, matches: createMatcher(predicate) }];
}

/** One value of a document, as a document that has nothing else. */
type Leaf = { path: string; subject: Subject };

/** The members that a field stands for: itself, or every one below an object. */
function partsOf(
  { path, type, glob }: Field,
  subject: Subject,
  leaves: Map<string, readonly Leaf[]>,
): readonly Leaf[] {
  const root = path.join('.');
  if (glob === undefined && type !== 'object') return [{ path: root, subject }];
  const known = leaves.get(root);
  if (known) return known;
  const found: Leaf[] = [];
  for (const value of valuesAt(subject.document, path)) addLeaves(value, path, found);
  leaves.set(root, found);
  return found;
}

function addLeaves(value: unknown, path: readonly string[], into: Leaf[]): void {
  if (into.length >= maxLeaves || value === null || value === undefined) return;
  if (Array.isArray(value)) for (const item of value) addLeaves(item, path, into);
  else if (isRecord(value))
    for (const [name, item] of Object.entries(value)) addLeaves(item, [...path, name], into);
  else into.push({ path: path.join('.'), subject: createSubject(nested(path, value)) });
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
}

/** The values at a path; the items of an array are values of their own. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.slice(0, maxLeaves).flatMap((item) => valuesAt(item, path));
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  return isRecord(value) && Object.hasOwn(value, name) ? valuesAt(value[name], rest) : [];
}

/** The words of a text that the clause is about; none where it is about the whole value. */
function fittingWords({ field, predicate }: FieldTest, document: unknown, member: string): readonly string[] {
  if (field.type !== 'text' || predicate.type === 'exists') return [];
  if (predicate.type === 'phrase') return predicate.words;
  const words = [...new Set(textsAt(document, member).flatMap(analyze))];
  if (predicate.type === 'terms') {
    const wanted = new Set(predicate.values);
    return words.filter((word) => wanted.has(word));
  }
  // A glob could refuse the name of the member; the word alone decides here.
  const { glob: _glob, ...own } = field;
  const alone = createMatcher({ ...predicate, field: { ...own, path: ['word'] } } as Predicate);
  return words.slice(0, maxTriedWords).filter((word) => alone(createSubject({ word })));
}

function textsAt(document: unknown, member: string): string[] {
  return valuesAt(document, member.split('.')).flatMap((value) =>
    typeof value === 'string' ? [value.slice(0, maxReadText)] : [],
  );
}
