import { analyze } from '../analyzer.ts';
import { createGlobTest } from './expandFields.ts';
import { type Field, subField } from './mapping.ts';

/** A document to be matched, with the words of its texts kept once they were cut. It must not change meanwhile. */
export type Subject = {
  readonly document: unknown;
  readonly words: Map<string, readonly (readonly string[])[]>;
};

export type Scalar = string | number | boolean;

/** Many matchers can share a subject, so that a text is cut once for all of them. */
export function createSubject(document: unknown): Subject {
  return { document, words: new Map() };
}

/** Whether any value of the field passes; the items of an array are values of their own, `null` is none. */
export function createSomeValue(
  field: Field,
  passes: (value: Scalar) => boolean,
): (subject: Subject) => boolean {
  const { path, glob, type } = field;
  const passesAt =
    glob === undefined && type !== 'object'
      ? (value: unknown) => isScalar(value) && passes(value)
      : (value: unknown) => someBelow(value, root, isNamed, passes);
  const root = path.join('.');
  const isNamed = glob === undefined ? () => true : createNameTest(createGlobTest(glob), type);
  return (subject) => someAt(subject.document, path, 0, passesAt);
}

/** The words of every value of a text field. */
export function createWordsOf(field: Field): (subject: Subject) => readonly (readonly string[])[] {
  let found: string[][] = [];
  const collect = createSomeValue(field, (value) => {
    const text = toText(field, value);
    if (text !== undefined) found.push(analyze(text));
    return false;
  });
  return (subject) => {
    const known = subject.words.get(field.name);
    if (known !== undefined) return known;
    found = [];
    collect(subject);
    subject.words.set(field.name, found);
    return found;
  };
}

/** A value as a string field sees it; a dynamic member that is no string is of another type. */
export function toText(field: Field, value: Scalar): string | undefined {
  if (typeof value === 'string') return value;
  return field.isDynamic ? undefined : String(value);
}

function createNameTest(fits: (name: string) => boolean, type: Field['type']): (name: string) => boolean {
  if (type === 'keyword') return (name) => fits(name + subField);
  return type === 'object' ? (name) => fits(name) || fits(name + subField) : fits;
}

function someAt(
  value: unknown,
  path: readonly string[],
  depth: number,
  passes: (value: unknown) => boolean,
): boolean {
  if (Array.isArray(value)) return value.some((item) => someAt(item, path, depth, passes));
  const member = path[depth];
  if (member === undefined) return passes(value);
  return isObject(value) && Object.hasOwn(value, member) && someAt(value[member], path, depth + 1, passes);
}

function someBelow(
  value: unknown,
  name: string,
  isNamed: (name: string) => boolean,
  passes: (value: Scalar) => boolean,
): boolean {
  if (Array.isArray(value)) return value.some((item) => someBelow(item, name, isNamed, passes));
  if (isObject(value)) {
    return Object.keys(value).some((member) =>
      someBelow(value[member], `${name}.${member}`, isNamed, passes),
    );
  }
  return isScalar(value) && isNamed(name) && passes(value);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
