import { expect, it } from 'vitest';
import { nameFault } from './nameFault.ts';

it.each(['Vault', 'Café', 'Cafe\u0301', '金庫 №1', 'خزانة', 'Ünïcödé', '⚠️ Vault', '👩‍💻 Ann', '👍🏽', 'a b'])(
  '%s is a name',
  (text) => {
    expect(nameFault(text)).toBeUndefined();
  },
);

it.each([
  ['Pro\u200bj', 'U+200B', 4],
  ['a\u202eb', 'U+202E', 2],
  ['😀\u2066x', 'U+2066', 2],
  ['Vault\n', 'U+000A', 6],
  ['\tVault', 'U+0009', 1],
  ['Va\u00adult', 'U+00AD', 3],
  ['Vault\ufe0f', 'U+FE0F', 6],
  ['a\u200db', 'U+200D', 2],
  ['\u3164', 'U+3164', 1],
  ['x\u{e0041}', 'U+E0041', 2],
  ['a\u2028b', 'U+2028', 2],
])('%j is none, and the fault names the character and its place', (text, code, position) => {
  expect(nameFault(text)).toMatch(
    new RegExp(`^must not contain ${code.replace('+', '\\+')}, .* position ${position}\\.$`),
  );
});
