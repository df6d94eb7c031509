import { lowerCase } from '../analyzer.ts';
import { type Automaton, createWholeAutomaton } from './regex/automaton.ts';
import { buildNfa } from './regex/buildNfa.ts';
import { anyCharacter, literal, type RegexNode } from './regex/tree.ts';

/** `any` stands for any characters, `one` for exactly one code point. */
export type WildcardPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'any' | 'one' };

/** `*`, `?` and plain text; a backslash makes the next character plain. */
export function parseWildcard(pattern: string, isFolded: boolean): WildcardPart[] {
  const parts: WildcardPart[] = [];
  let text = '';
  const endText = (): void => {
    if (text !== '') parts.push({ type: 'text', text: isFolded ? lowerCase(text) : text });
    text = '';
  };
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern.charAt(index);
    if (character === '*' || character === '?') {
      endText();
      if (character === '?') parts.push({ type: 'one' });
      else if (parts.at(-1)?.type !== 'any') parts.push({ type: 'any' });
    } else {
      if (character === '\\' && index + 1 < pattern.length) index += 1;
      text += pattern[index];
    }
  }
  endText();
  return parts;
}

/**
 * Characters that may be compared again for each character of a value: the longest part with a `?` between two stars. 0
 * where a value is read once.
 */
export function loopLength(parts: readonly WildcardPart[]): number {
  let longest = 0;
  let length = 0;
  let hasOne = false;
  const first = parts.findIndex((part) => part.type === 'any');
  for (const part of first === -1 ? [] : parts.slice(first)) {
    if (part.type === 'any') {
      length = 0;
      hasOne = false;
    } else {
      length += part.type === 'text' ? part.text.length : 1;
      hasOne ||= part.type === 'one';
    }
    if (hasOne) longest = Math.max(longest, length);
  }
  return longest;
}

/** A test of whole values that never goes back beyond the last `any` part. */
export function createWildcardTest(parts: readonly WildcardPart[]): (value: string) => boolean {
  return (value) => {
    let offset = 0;
    let index = 0;
    let retryAt = -1;
    let retryIndex = -1;
    let retryPart: WildcardPart | undefined;
    for (;;) {
      const part = parts[index];
      if (part?.type === 'any') {
        index += 1;
        retryPart = parts[index];
        if (!retryPart) return true;
        retryAt = offset;
        retryIndex = index;
        continue;
      }
      const end = part === undefined ? -1 : partEnd(part, value, offset);
      if (end !== -1) {
        offset = end;
        index += 1;
      } else if (part === undefined && offset === value.length) {
        return true;
      } else {
        if (!retryPart || retryAt >= value.length) return false;
        retryAt = nextStart(retryPart, value, retryAt + codePointLength(value, retryAt));
        if (retryAt === -1) return false;
        offset = retryAt;
        index = retryIndex;
      }
    }
  };
}

/** End of `part` if it stands at `at`, or -1. */
function partEnd(part: WildcardPart, value: string, index: number): number {
  if (part.type === 'text') return value.startsWith(part.text, index) ? index + part.text.length : -1;
  return index < value.length ? index + codePointLength(value, index) : -1;
}

/** The next offset from `from` at which `part` can stand, between two characters; -1 if there is none. */
function nextStart(part: WildcardPart, value: string, from: number): number {
  if (part.type !== 'text') return from;
  let index = value.indexOf(part.text, from);
  while (index > 0 && isLow(value.charCodeAt(index)) && isHigh(value.charCodeAt(index - 1)))
    index = value.indexOf(part.text, index + 1);
  return index;
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

function codePointLength(value: string, index: number): number {
  return isHigh(value.charCodeAt(index)) && isLow(value.charCodeAt(index + 1)) ? 2 : 1;
}

/** The longest text that every match has. */
export function longestText(parts: readonly WildcardPart[]): string {
  return parts.reduce(
    (longest, part) => (part.type === 'text' && part.text.length > longest.length ? part.text : longest),
    '',
  );
}

/** Finds words in a text in one reading, for patterns whose `loopLength` is 0. */
export function createWildcardAutomaton(parts: readonly WildcardPart[]): Automaton {
  return createWholeAutomaton(buildNfa(wildcardNode(parts), { left: Number.POSITIVE_INFINITY, steps: 0 }));
}

export function wildcardNode(parts: readonly WildcardPart[]): RegexNode {
  return {
    type: 'sequence',
    parts: parts.map((part): RegexNode => {
      if (part.type === 'text') return literal(part.text);
      return part.type === 'one'
        ? anyCharacter
        : { type: 'repeat', of: anyCharacter, min: 0, max: undefined };
    }),
  };
}
