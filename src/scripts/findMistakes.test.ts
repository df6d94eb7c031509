import { afterAll, describe, expect, it } from 'vitest';
import { findMistakes, scriptGlobals } from './findMistakes.ts';
import { createSandbox } from './sandbox.ts';
import { anything, toRecord, type ValueShape } from './valueShape.ts';

const severity: ValueShape = {
  type: 'text',
  words: ['LOW', 'HIGH', 'CRITICAL'],
  number: { member: 'numericSeverity', of: { LOW: 30, HIGH: 70, CRITICAL: 90 } },
};
const values = {
  e: toRecord({
    severity,
    numericSeverity: { type: 'number', numbers: [30, 70, 90] },
    txHash: { type: 'text' },
    blockNumber: { type: 'number' },
    tags: { type: 'list' },
    meta: toRecord({ args: anything, from: anything }),
  }),
  a: toRecord({ params: anything }),
};
const messages = (source: string) => findMistakes(source, values).map(({ message }) => message);

describe('a script is refused, with the right form,', () => {
  it.each([
    ['args.value > 100', /^args is not defined; did you mean e\.meta\.args\?/],
    ['amount > 100', /^amount is not defined; the script sees e, a/],
    [
      'e.severityName === "HIGH"',
      /^e has no member severityName; did you mean e\.severity\? It has severity, num/,
    ],
    ['e.args.value > 1', /^e has no member args; did you mean e\.meta\.args\?/],
    [
      'e.meta.form === a.params.x',
      /^e\.meta has no member form; did you mean e\.meta\.from\? It has args, from/,
    ],
    ['e["severty"] === "LOW"', /did you mean e\.severity\?/],
    [
      'e.severity >= 0.5',
      /^e\.severity is a text, never a number; write e\.numericSeverity >= 50 \(LOW 30, HIGH 70/,
    ],
    ['0.7 <= e.severity', /write e\.numericSeverity >= 70/],
    ['e.getSeverity() == 70', /is a text, never a number/],
    ['e?.severity > "LOW"', /words compare by the alphabet; write e\?\.numericSeverity > 30/],
    [
      'e.severity === "high"',
      /^e\.severity is never "high"; did you mean "HIGH"\? It is one of LOW, HIGH, CRITICAL/,
    ],
    ['["HIGH", "SEVERE"].includes(e.severity)', /is never "SEVERE"/],
    ['switch (e.severity) { case "bad": return true; } return false', /is never "bad"/],
    ['e.numericSeverity > 90', /^e\.numericSeverity > 90 is never true; .* one of 30, 70, 90/],
    ['e.blockNumber === "5"', /is a number, never the text "5"/],
    ['const { severity, who } = e; return severity > 5', /^it has no member who/],
    ['const { severity } = e; return severity > 5', /^severity is a text/],
    ['if (false) { return e.nothing } return true', /no member nothing/],
    ['const m = e.meta; return m.frm > 5', /^m has no member frm; did you mean m\.from\?/],
  ])('%s', (source, message) => {
    expect(messages(source)[0]).toMatch(message);
    expect(findMistakes(source, values)[0]?.isFault).toBe(true);
  });

  it('a script that is always true is only worth a warning', () => {
    expect(findMistakes('e.numericSeverity >= 0.5', values)).toEqual([
      { message: expect.stringContaining('is always true'), isFault: false },
    ]);
  });
});

describe('nothing is wrong with', () => {
  it.each([
    'e.severity === "HIGH" || e.numericSeverity >= 70',
    'e.getTxHash().startsWith("0x")',
    'e.meta.args.value.amount > 100n',
    'e.meta?.args?.[0] === a.params.anything',
    'e.tags.some((e) => e.whatever > 5)',
    'const { meta: { from } } = e; return from !== "0x"',
    'try { return BigInt(e.meta.args) > 5n } catch (e) { return e.message === "x" }',
    'const f = ({ x }, ...rest) => x + rest.length; function g() { return new.target } return f({ x: 1 }, g()) > 1;',
    'typeof args === "undefined"',
    'for (const [key, value] of Object.entries(e)) if (key === value) return true; label: while (false) break label; return false',
    'e.hasOwnProperty("meta") && e.txHash.length > Math.max(1, 2)',
    'e.severity',
    '({ severity: e.severity }).severity !== 5',
    'e.numericSeverity >= "70"',
    `${'('.repeat(9000)}1${')'.repeat(9000)}`,
    'e.severity >=',
  ])('%s', (source) => {
    expect(messages(source)).toEqual([]);
  });
});

describe('the names of the sandbox', () => {
  const sandbox = createSandbox();
  afterAll(() => sandbox.close());

  it('are those that a script may use', async () => {
    const [result] = await sandbox.run(1, {}, ['Object.getOwnPropertyNames(globalThis)']);
    const expected = scriptGlobals.filter((name) => name !== 'arguments').sort();
    expect(result).toEqual({ value: expect.arrayContaining(expected) });
    expect(result && 'value' in result && [...(result.value as string[])].sort()).toEqual(expected);
  });
});
