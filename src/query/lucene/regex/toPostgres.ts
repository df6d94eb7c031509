import { parseRegex } from './parse.ts';
import { maxCodePoint, type Ranges, type RegexNode } from './tree.ts';

/** PostgreSQL takes longer to compile than to search when a pattern written out has more characters than this. */
const maxSize = 2000;
const maxRepeat = 255;
const space = 0x20;

/**
 * The pattern as a regular expression of PostgreSQL for a whole value, or for a word between spaces. Undefined where
 * PostgreSQL has no such thing (intersection, complement) or would take too long to compile it.
 */
export function toPostgres(pattern: string, subject: 'value' | 'word'): string | undefined {
  const node = parseRegex(pattern);
  if (sizeOf(node) > maxSize) return undefined;
  const text = write(node, subject);
  if (text === undefined) return undefined;
  return subject === 'value' ? `^(?:${text})$` : ` (?:${text}) `;
}

function write(node: RegexNode, subject: 'value' | 'word'): string | undefined {
  switch (node.type) {
    case 'nothing':
    case 'intersection':
    case 'complement':
      return undefined;
    case 'set':
      return writeSet(subject === 'word' ? withoutSpace(node.ranges) : node.ranges);
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

function joinAll(
  nodes: readonly RegexNode[],
  subject: 'value' | 'word',
  separator: '' | '|',
): string | undefined {
  const parts = nodes.map((node) => write(node, subject));
  if (parts.includes(undefined)) return undefined;
  return separator === '' ? parts.join('') : `(?:${parts.join('|')})`;
}

/** NUL is in no text of PostgreSQL, and is no character of its patterns. */
function writeSet(ranges: Ranges): string | undefined {
  let text = '';
  for (let i = 0; i < ranges.length; i += 2) {
    const [first, last] = [Math.max(1, ranges[i]!), ranges[i + 1]!];
    if (first > last) continue;
    text += first === last ? escapeCodePoint(first) : `${escapeCodePoint(first)}-${escapeCodePoint(last)}`;
  }
  return text === '' ? undefined : `[${text}]`;
}

function withoutSpace(ranges: Ranges): number[] {
  const kept: number[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const [first, last] = [ranges[i]!, ranges[i + 1]!];
    if (first > space || last < space) kept.push(first, last);
    else {
      if (first < space) kept.push(first, space - 1);
      if (last > space) kept.push(space + 1, last);
    }
  }
  return kept;
}

function escapeCodePoint(codePoint: number): string {
  return `\\U${Math.min(codePoint, maxCodePoint).toString(16).padStart(8, '0')}`;
}

/** How long the pattern is with its repetitions written out. */
function sizeOf(node: RegexNode): number {
  switch (node.type) {
    case 'nothing':
      return 1;
    case 'set':
      return 1;
    case 'sequence':
    case 'intersection':
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 1);
    case 'union':
      return node.options.reduce((sum, option) => sum + sizeOf(option), 1);
    case 'complement':
      return sizeOf(node.of);
    case 'repeat':
      return sizeOf(node.of) * Math.max(1, node.max ?? node.min);
  }
}
