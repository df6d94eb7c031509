import { escapeCodePoint } from './escapeCodePoint.ts';
import { parseRegex } from './parseRegex.ts';
import type { Ranges, RegexNode } from './tree.ts';

/** PostgreSQL takes longer to compile than to search when a pattern written out has more characters than this. */
const maxSize = 2000;
/**
 * PostgreSQL's time to compile grows with the cube of consecutive optional parts (0.7 s for 200, 12 s for 729) and with
 * their length. Within these limits it stays below 0.1 s.
 */
const maxOptional = 64;
const maxOptionalSize = 40_000;
const maxRepeat = 255;

type Subject = 'value' | 'plain word' | 'odd word';

/** The characters that each subject can have at all; NUL is in no text of PostgreSQL. */
const alphabets: Record<Subject, Ranges> = {
  value: [{ first: 0x01, last: 0x10ffff }],
  'plain word': [
    { first: 0x30, last: 0x39 },
    { first: 0x5f, last: 0x5f },
    { first: 0x61, last: 0x7a },
  ],
  'odd word': [
    { first: 0x01, last: 0x1f },
    { first: 0x21, last: 0x10ffff },
  ],
};
/** No character at all. */
const never = '[^\\U00000001-\\U0010ffff]';

/**
 * The pattern for PostgreSQL, without its ends. Only escaped code points, groups, alternatives and counted repetitions
 * are written, no character of the pattern itself. Undefined for intersections, complements and slow patterns.
 */
export function toPostgres(pattern: string, subject: Subject): string | undefined {
  return nodeToPostgres(parseRegex(pattern), subject);
}

export function nodeToPostgres(node: RegexNode, subject: Subject): string | undefined {
  const size = sizeOf(node);
  const isSmall =
    size <= maxSize &&
    optionalOf(node, (counts) => Math.max(...counts)) <= maxOptional &&
    optionalOf(node, sumOf) * size <= maxOptionalSize;
  return isSmall ? write(node, subject) : undefined;
}

function write(node: RegexNode, subject: Subject): string | undefined {
  switch (node.type) {
    case 'nothing':
    case 'intersection':
    case 'complement':
      return undefined;
    case 'set':
      return writeSet(node.ranges, alphabets[subject]);
    case 'sequence':
      return joinAll(node.parts, subject, '');
    case 'union':
      return joinAll(node.options, subject, '|');
    case 'repeat': {
      const { min, max } = node;
      const of = write(node.of, subject);
      if (of === undefined || min > maxRepeat || (max ?? 0) > maxRepeat) return undefined;
      if (of === '') return '';
      return `(?:${of}){${min},${max ?? ''}}`;
    }
  }
}

function joinAll(nodes: readonly RegexNode[], subject: Subject, separator: '' | '|'): string | undefined {
  const parts = nodes.map((node) => write(node, subject));
  if (parts.includes(undefined)) return undefined;
  return separator === '' ? parts.join('') : `(?:${parts.join('|')})`;
}

function writeSet(ranges: Ranges, alphabet: Ranges): string {
  let text = '';
  for (const range of ranges) {
    for (const letters of alphabet) {
      const [first, last] = [Math.max(range.first, letters.first), Math.min(range.last, letters.last)];
      if (first <= last) text += `${escapeCodePoint(first)}-${escapeCodePoint(last)}`;
    }
  }
  return text === '' ? never : `[${text}]`;
}

/** Number of optional parts, with repetitions written out; `join` combines those of alternatives. */
function optionalOf(node: RegexNode, join: (counts: number[]) => number): number {
  switch (node.type) {
    case 'nothing':
    case 'set':
      return 0;
    case 'sequence':
    case 'intersection':
      return sumOf(node.parts.map((part) => optionalOf(part, join)));
    case 'union':
      return join(node.options.map((option) => optionalOf(option, join)));
    case 'complement':
      return optionalOf(node.of, join);
    case 'repeat':
      return (node.min === 0 ? 1 : 0) + optionalOf(node.of, join) * Math.max(1, node.max ?? node.min + 1);
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Length of the pattern with its repetitions written out. */
function sizeOf(node: RegexNode): number {
  switch (node.type) {
    case 'nothing':
      return 1;
    case 'set':
      return Math.max(1, node.ranges.length);
    case 'sequence':
    case 'intersection':
      return 1 + sumOf(node.parts.map(sizeOf));
    case 'union':
      return 1 + sumOf(node.options.map(sizeOf));
    case 'complement':
      return sizeOf(node.of);
    case 'repeat':
      return 1 + sizeOf(node.of) * Math.max(1, node.max ?? node.min);
  }
}
