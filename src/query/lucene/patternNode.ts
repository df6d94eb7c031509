import { compareText } from './compareText.ts';
import type { Predicate } from './predicate.ts';
import { parseRegex } from './regex/parseRegex.ts';
import { rangeNode } from './regex/rangeNode.ts';
import type { RegexNode } from './regex/tree.ts';
import { wildcardNode } from './wildcard.ts';

/** Predicates that compare words or whole values one by one. */
export type Pattern = Extract<Predicate, { type: 'regex' | 'prefix' | 'wildcard' | 'textRange' }>;

/** Longer bounds would make an expression that takes longer than it saves. */
const maxBoundLength = 64;

/** Any pattern as a regular expression; undefined for a range with a very long bound. */
export function patternNode(pattern: Pattern): RegexNode | undefined {
  switch (pattern.type) {
    case 'regex':
      return parseRegex(pattern.pattern);
    case 'prefix':
      return wildcardNode([{ type: 'text', text: pattern.text }, { type: 'any' }]);
    case 'wildcard':
      return wildcardNode(pattern.parts);
    case 'textRange': {
      const { lower, upper } = pattern;
      const isLong = [lower, upper].some((bound) => bound && bound.text.length > maxBoundLength);
      return isLong ? undefined : rangeNode(lower, upper);
    }
  }
}

/** As numbers are, when they are also searched as texts: 9999 comes before 10000, but not in the order of texts. */
export function isEmptyRange({ lower, upper }: Extract<Predicate, { type: 'textRange' }>): boolean {
  return lower !== undefined && upper !== undefined && compareText(lower.text, upper.text) > 0;
}

/** The texts that every match has, and the one with which every match begins. */
export function literalsOf(node: RegexNode): { texts: string[]; beginning: string } {
  const texts: string[] = [];
  let run = '';
  let beginning: string | undefined;
  const end = () => {
    beginning ??= run;
    if (run !== '') texts.push(run);
    run = '';
  };
  const read = (part: RegexNode): void => {
    const [range, second] = part.type === 'set' ? part.ranges : [];
    if (part.type === 'sequence') for (const child of part.parts) read(child);
    else if (range && !second && range.first === range.last) run += String.fromCodePoint(range.first);
    else end();
  };
  read(node);
  end();
  return { texts, beginning: beginning ?? '' };
}

export function containing(text: string): RegexNode {
  return wildcardNode([{ type: 'any' }, { type: 'text', text }, { type: 'any' }]);
}
