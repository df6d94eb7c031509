import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, readCsv } from './csv.ts';

async function rowsOf(pieces: readonly string[]): Promise<[number, ...string[]][]> {
  const rows: [number, ...string[]][] = [];
  for await (const some of readCsv(pieces)) for (const { line, cells } of some) rows.push([line, ...cells]);
  return rows;
}

describe('CSV', () => {
  it.each<[string, [number, ...string[]][]]>([
    [
      'a,b\n1,2\n',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        [1, 'a', 'b'],
        [2, '1', '2'],
      ],
    ],
    ['\ufeffa\n', [[1, 'a']]],
    [
      'a\n\n\r\nb\n',
      [
        [1, 'a'],
        [4, 'b'],
      ],
    ],
    ['a,,\n', [[1, 'a', '', '']]],
    ['"a,1","say ""hi""",""\n', [[1, 'a,1', 'say "hi"', '']]],
    [
      '"two\r\nlines",x\nnext',
      [
        [1, 'two\r\nlines', 'x'],
        [3, 'next'],
      ],
    ],
    ['a"b"c,d\n', [[1, 'a"b"c', 'd']]],
    ['', []],
  ])('%j has the rows %j', async (text, rows) => {
    expect(await rowsOf([text])).toEqual(rows);
  });

  it.each([
    ['a\n"open', 'Line 2: the quoted text that begins here is not closed.'],
    ['"a"b\n', 'Line 1: text follows a closing quote'],
    [`a\n"${'x'.repeat(200_000)}`, 'Line 2: the row has more than 100,000 characters'],
    [`${'x'.repeat(200_000)}\n`, 'Line 1: the row has more than 100,000 characters'],
  ])('a CSV with a fault is refused and the line named', async (text, message) => {
    const reading = rowsOf([text]);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toBeInstanceOf(CsvError);
  });

  it('reads back what was written, in whatever pieces it comes', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', ' ', '\r') });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 7 }), async (rows, size) => {
        const text = rows
          .map((cells) => cells.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
          .join('\r\n');
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        expect((await rowsOf(pieces)).map(([, ...cells]) => cells)).toEqual(rows);
      }),
    );
  });
});
