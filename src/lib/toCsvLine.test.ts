import { expect, it } from 'vitest';
import { readCsv } from './csv.ts';
import { toCsvLine } from './toCsvLine.ts';

it('quotes what RFC 4180 wants quoted, so that every text is read back', async () => {
  const texts = ['plain', 'a,b', 'say "no"', 'two\nlines', 'cr\rlf\r\n', '', '"', 'ünï 中', ' spaced '];
  const rows: string[][] = [];
  for await (const page of readCsv([toCsvLine(texts)])) rows.push(...page.map(({ cells }) => cells));
  expect(rows).toEqual([texts]);
  expect(toCsvLine(['a', 'b,c'])).toBe('a,"b,c"\r\n');
});

it('makes text of what a spreadsheet would run as a formula', () => {
  for (const text of ['=1+1', '+A1', '-A1', '@SUM(A1)', '\t=1', ' =1', '＝1', "=cmd|' /C calc'!A0"])
    expect(toCsvLine([text]).replaceAll('"', '')).toBe(`'${text}\r\n`);
  expect(toCsvLine(['\r=1'])).toBe(`"'\r=1"\r\n`);
  expect(toCsvLine(['-12.5', '+3', 'a=b', "'x"])).toBe("-12.5,+3,a=b,'x\r\n");
});

it('writes numbers and flags plainly, nothing as nothing, and the rest as JSON', () => {
  expect(toCsvLine([1, -2.5, true, null, undefined])).toBe('1,-2.5,true,,\r\n');
  expect(toCsvLine([['a', '=b'], { c: 1 }])).toBe('"[""a"",""=b""]","{""c"":1}"\r\n');
});
