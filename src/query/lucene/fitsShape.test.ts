import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../testing/createRandom.ts';
import { isShape, wordEntry } from '../wordEntry.ts';
import { compareText } from './compareText.ts';
import { fitsShape } from './fitsShape.ts';
import { type Pattern, patternNode } from './patternNode.ts';
import { createWholeAutomaton } from './regex/automaton.ts';
import { createBudget } from './regex/budget.ts';
import { buildNfa } from './regex/buildNfa.ts';
import { compileRegex } from './regex/compileRegex.ts';
import { rangeNode } from './regex/rangeNode.ts';
import { createWildcardTest, parseWildcard } from './wildcard.ts';

const field = {
  name: 'message',
  path: ['message'],
  type: 'text',
  isFolded: false,
  isDynamic: false,
} as const;

describe('the entry of a word in the dictionary', () => {
  it.each([
    ['transfer', 'transfer'],
    ['v2', 'v2'],
    ['erc20', 'erc20'],
    ['90', '90'],
    ['2026', '\uE000'],
    ['12,345.67', '\uE000,\uE000.\uE000'],
    ['0x6b4f00ab', '0x\uE001'],
    ['block12345', 'block\uE000'],
    ['1000usdc', '\uE000usdc'],
    ['018f3c2a-7b1d-7c3e-9f00-0abbccddeeff', '\uE001-\uE001-\uE001-\uE001-\uE001'],
    ['DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB263YaB1pPB', '\uE002'],
    ['a\uE002', '\uE003'],
    ['a'.repeat(255), '\uE003'],
  ])('the dictionary has the right entry for %s', (word, entry) => {
    expect(wordEntry(word)).toBe(entry);
  });

  it('is a shape that every pattern may fit which fits the word', () => {
    const random = createRandom('shapes');
    const { pick, integer } = random;
    const piece = () =>
      pick(['0x', 'ab', 'e', '7', '123', 'deadbeef99', 'zu', '.', '-', 'X', 'é', 'block', '#']);
    const word = () => Array.from({ length: integer(1, 6) }, piece).join('');
    let [fitting, excluded] = [0, 0];
    for (let n = 0; n < 500; n++) {
      const [text, other] = [word(), word()];
      const entry = wordEntry(text);
      if (!isShape(entry)) continue;
      for (const [pattern, fits] of patternsOf(other, text)) {
        const node = patternNode(pattern)!;
        const may = fitsShape(node, [entry, 'zz\uE000']);
        if (fits(text)) {
          fitting += 1;
          expect({ text, entry, pattern, may }).toMatchObject({ may: true });
        } else if (!may) excluded += 1;
      }
    }
    expect(Math.min(fitting, excluded)).toBeGreaterThan(100);
  });
});

/** Patterns of a word and of parts of another. */
function patternsOf(other: string, text: string): [Pattern, (word: string) => boolean][] {
  const half = text.slice(0, Math.ceil(text.length / 2));
  const wildcards = [`${half}*`, `*${half.slice(1)}*`, `?${text.slice(1)}`, `*${other}`, `${other}*`];
  const regex = compileRegex(`${half.replaceAll(/[.#-]/g, '.')}.*`, createBudget());
  const lower = { text: other < text ? other : half, isInclusive: true };
  return [
    ...wildcards.map((glob): [Pattern, (word: string) => boolean] => {
      const parts = parseWildcard(glob, false);
      return [{ type: 'wildcard', field, parts }, createWildcardTest(parts)];
    }),
    [{ type: 'regex', field, pattern: `${half.replaceAll(/[.#-]/g, '.')}.*`, regex }, regex.test],
    [{ type: 'textRange', field, lower }, (word) => compareText(word, lower.text) >= 0],
  ];
}

describe('a range of texts as a regular expression', () => {
  it('has just the texts between its bounds', () => {
    const { pick, integer, chance } = createRandom('ranges');
    const text = () =>
      Array.from({ length: integer(0, 4) }, () => pick(['a', 'b', 'c', '', '\u{1F600}'])).join('');
    for (let n = 0; n < 200; n++) {
      const bound = () => (chance(0.2) ? undefined : { text: text(), isInclusive: chance(0.5) });
      const [lower, upper] = [bound(), bound()];
      const { test } = createWholeAutomaton(buildNfa(rangeNode(lower, upper), createBudget()));
      for (let m = 0; m < 20; m++) {
        const value = text();
        const isAbove =
          !lower || compareText(value, lower.text) > 0 || (lower.isInclusive && value === lower.text);
        const isBelow =
          !upper || compareText(value, upper.text) < 0 || (upper.isInclusive && value === upper.text);
        expect({ lower, upper, value, is: test(value) }).toMatchObject({ is: isAbove && isBelow });
      }
    }
  });
});
