import { expect, it } from 'vitest';
import { splitAtWords } from '../../web/src/parts/splitAtWords.ts';

it('marks whole words in any case, and the longest where words overlap', () => {
  expect(splitAtWords('Transfer of transfers: TRANSFER', ['transfer'])).toEqual([
    '',
    'Transfer',
    ' of transfers: ',
    'TRANSFER',
    '',
  ]);
  expect(splitAtWords('vault.eth and vault', ['vault', 'vault.eth'])).toEqual([
    '',
    'vault.eth',
    ' and ',
    'vault',
    '',
  ]);
  expect(splitAtWords('日本語', ['本'])).toEqual(['日', '本', '語']);
});

it('takes words as texts, whatever signs they have', () => {
  const words = ['(', '[a-', '.*', '\\', '$1', 'x-y', 'a/b', '^', '{2}', '\ud800', '<script>', ''];
  const text = `(.* [a- \\ $1 x-y a/b ^ {2} <script>`;
  expect(splitAtWords(text, words).join('')).toBe(text);
  expect(splitAtWords('(a)', ['('])).toEqual(['', '(', 'a)']);
});
