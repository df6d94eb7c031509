import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/processorMs.ts';
import { createRandom } from '../../../testing/createRandom.ts';
import { sized } from '../../../testing/proveSize.ts';
import { createMatcher } from './createMatcher.ts';
import { createPhraseTest } from './createPhraseTest.ts';
import { createSubject } from './createSubject.ts';
import { createMapping } from './mapping.ts';
import { parseQuery } from './parseQuery.ts';
import { createBudget } from './regex/budget.ts';
import { compileRegex } from './regex/compileRegex.ts';
import { resolve } from './resolve.ts';
import { createWildcardTest, parseWildcard } from './wildcard.ts';

const rounds = sized(1000, 20_000);

describe('a wildcard pattern', () => {
  it('means what the same regular expression means', () => {
    const { random, pick } = createRandom('wildcards');
    for (let round = 0; round < rounds; round++) {
      const pattern = Array.from({ length: Math.floor(random() * 8) }, () =>
        pick(['a', 'b', '*', '?', '😀']),
      ).join('');
      const value = Array.from({ length: Math.floor(random() * 8) }, () => pick(['a', 'b', '😀'])).join('');
      const regex = compileRegex(pattern.replaceAll('*', '@').replaceAll('?', '.'), createBudget());
      expect(createWildcardTest(parseWildcard(pattern, false))(value), `${pattern} on ${value}`).toBe(
        regex.test(value),
      );
    }
  });

  it('takes what follows a backslash as it is', () => {
    const test = createWildcardTest(parseWildcard('\\*\\?\\\\*\\', false));
    expect([test('*?\\x\\'), test('a?\\\\')]).toEqual([true, false]);
  });

  it('never matches half a character', () => {
    expect(createWildcardTest(parseWildcard('*\ude00', false))('😀')).toBe(false);
  });

  it('is tested in time in proportion to pattern and value', () => {
    const test = createWildcardTest(parseWildcard(`*${'a'.repeat(500)}*${'a?'.repeat(200)}b`, false));
    const ms = processorMs(() => expect(test('a'.repeat(5_000))).toBe(false));
    expect(ms).toBeLessThan(500);
  });
});

describe('a phrase', () => {
  it('fits wherever its words can be moved there, and nowhere else', () => {
    const { random, pick } = createRandom('phrases');
    for (let round = 0; round < rounds; round++) {
      const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(['a', 'b', 'c']));
      const tokens = Array.from({ length: Math.floor(random() * 7) }, () => pick(['a', 'b', 'c', 'd']));
      const slop = Math.floor(random() * 5);
      const message = `"${words.join(' ')}"~${slop} in ${tokens.join(' ')}`;
      expect(createPhraseTest(words, slop)([tokens]), message).toBe(fewestMoves(words, tokens) <= slop);
    }
  });

  it('a phrase with a negative slop fits nothing', () => {
    expect(createPhraseTest(['a', 'b'], -1)([['a', 'b']])).toBe(false);
  });
});

/** Tries every way to put the words of a phrase on positions of the text. */
function fewestMoves(
  words: readonly string[],
  tokens: readonly string[],
  used: readonly number[] = [],
): number {
  const word = words[used.length];
  if (word === undefined) {
    const shifts = used.map((position, offset) => position - offset);
    return Math.max(...shifts) - Math.min(...shifts);
  }
  const moves = tokens.flatMap((token, position) =>
    token === word && !used.includes(position) ? [fewestMoves(words, tokens, [...used, position])] : [],
  );
  return Math.min(Number.POSITIVE_INFINITY, ...moves);
}

describe('any text', () => {
  const mapping = createMapping({ uid: 'keyword' });

  it('is found again when its special characters are escaped', () => {
    const { random, pick } = createRandom('escaping');
    const characters = [...'+-!():^[]"{}~*?|&/\\ab1=<>.,;@# \t\n\u3000é😀', 'AND', 'OR', 'NOT', 'TO'];
    for (let round = 0; round < rounds; round++) {
      const text = Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(characters)).join('');
      const subject = createSubject({ uid: text });
      const quoted = `uid:"${text.replaceAll(/["\\]/g, '\\$&')}"`;
      const escaped = `uid:${text.replaceAll(/[\s\S]/g, '\\$&').replaceAll(/\\([a-z0-9])/g, '$1')}`;
      expect(createMatcher(resolve(parseQuery(quoted), mapping, 0))(subject), quoted).toBe(true);
      if (/^[<>]/.test(text)) continue;
      expect(createMatcher(resolve(parseQuery(escaped), mapping, 0))(subject), escaped).toBe(true);
    }
  });
});
