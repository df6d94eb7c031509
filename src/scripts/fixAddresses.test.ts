import { describe, expect, it } from 'vitest';
import { fixAddresses } from './fixAddresses.ts';

const upper = `0x${'AbCd'.repeat(10)}`;
const lower = upper.toLowerCase();
const toForm = (text: string) => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text);

describe('a script has its addresses in one form', () => {
  it.each([
    [`e.to == "${upper}"`, `e.to == "${lower}"`],
    [` e.to === '${upper}' ; `, ` e.to === "${lower}" ; `],
    [`['${upper}', \`${upper}\`, "x"].includes(e.from)`, `["${lower}", "${lower}", "x"].includes(e.from)`],
    [
      `switch (e.to) { case "${upper}": return true; } return false`,
      `switch (e.to) { case "${lower}": return true; } return false`,
    ],
    [`({ "${upper}": 1 })[e.to] === 1`, `({ "${lower}": 1 })[e.to] === 1`],
    [`e.to == "${lower}"`, `e.to == "${lower}"`],
    [`"${upper}"`, `"${upper}"`],
    [`("${upper}")`, `("${upper}")`],
    [`e.input.includes("${upper.slice(2)}")`, `e.input.includes("${upper.slice(2)}")`],
    ['e.to ==', 'e.to =='],
  ])('%s', (source, fixed) => {
    expect(fixAddresses(source, toForm)).toBe(fixed);
  });
});
