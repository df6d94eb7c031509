import { describe, expect, it } from 'vitest';
import { toLikePattern } from './toLikePattern.ts';

describe('toLikePattern', () => {
  it.each([
    ['a%b_c', '\\', 'a%b_c'],
    ['a\\%b\\_c\\\\', '\\', 'a\\%b\\_c\\\\'],
    ['\\a', '\\', 'a'],
    ['a!%b!!c!d', '!', 'a\\%b!cd'],
    ['a\\b', '!', 'a\\\\b'],
    ['a%%b%_', '%', 'a\\%b\\_'],
    ['__%', '_', '\\_%'],
    ['😀%😀😀', '😀', '\\%😀'],
    ['', '\\', ''],
  ])('writes %s with the escape %s as %s', (pattern, escapeCharacter, written) => {
    expect(toLikePattern(pattern, escapeCharacter, false)).toEqual({
      pattern: written,
      upper: '',
      lower: '',
    });
  });

  it.each([
    ['a\\', '\\'],
    ['!', '!'],
    ['\\\\\\', '\\'],
    ['%', '%'],
  ])('refuses %s, which ends in its escape %s', (pattern, escapeCharacter) => {
    expect(toLikePattern(pattern, escapeCharacter, false)).toBeUndefined();
  });

  it('folds letters whose cases are pairs, and names their capitals', () => {
    expect(toLikePattern('aÄ%ÉΣ1a', '\\', true)).toEqual({
      pattern: 'aä%éσ1a',
      upper: 'AÄÉΣ',
      lower: 'aäéσ',
    });
  });

  it.each(['ß', 'ẞ', 'İ', 'ı', 'ς', '\u212a', 'ǅ', 'ﬁ'])(
    'leaves %s, which has no such pair, as it is',
    (letter) => {
      expect(toLikePattern(letter, '\\', true)).toEqual({ pattern: letter, upper: '', lower: '' });
    },
  );

  it('recognises the escape character before it folds', () => {
    expect(toLikePattern('XaX%', 'X', true)?.pattern).toBe('a\\%');
    expect(toLikePattern('xaX%', 'X', true)?.pattern).toBe('xa\\%');
  });
});
