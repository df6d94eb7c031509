import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonIntake } from './createJsonIntake.ts';
import { InvalidJson, TooDeep, TooManyValues } from './invalidJson.ts';
import { parseExactJson } from './parseExactJson.ts';

const limits = { maxValues: 1_000_000, maxDepth: 40 };

function intakeOf(text: string, pieceBytes: number, own = limits, parse?: (text: string) => unknown) {
  const intake = createJsonIntake(own, parse);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) intake.write(bytes.subarray(at, at + pieceBytes));
  return intake;
}

const readInParts = async (text: string, pieceBytes = 10_000) => intakeOf(text, pieceBytes).endInParts();

/** Larger than several parts, with texts that hold every sign that matters. */
const large = fc
  .array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 5 })
  .chain((values) =>
    fc.record({
      values: fc.constant(values),
      odd: fc.array(fc.stringMatching(/^[\\",:[\]{}é😀a]{0,12}$/u), { maxLength: 4 }),
      copies: fc.integer({ min: 1, max: 400 }),
      filler: fc.integer({ min: 0, max: 70_000 }),
    }),
  )
  .map(({ values, odd, copies, filler }) => ({
    first: 'x'.repeat(filler),
    list: Array.from({ length: copies }, () => [values, odd, 'y'.repeat(filler % 997)]),
    ...Object.fromEntries(odd.map((key, n) => [`${key}${n}`, values])),
    last: values,
  }));

describe('JSON that comes in pieces', () => {
  it('is read as JSON.parse reads it, at once and in parts, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        large,
        fc.constantFrom(7, 1000, 65_536),
        fc.constantFrom(0, 1),
        async (value, size, space) => {
          const text = JSON.stringify(value, null, space);
          expect(intakeOf(text, size).end()).toEqual(JSON.parse(text));
          expect(await readInParts(text, size)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is refused in parts where JSON.parse refuses it', async () => {
    const list = `[${'"0123456789",'.repeat(20_000)}`;
    const record = `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":[0]`).join()}`;
    for (const broken of [
      `${list}]`,
      `${list}1`,
      `${list}1}`,
      `${list},1]`,
      `${list}"a":1]`,
      `${list}1]]`,
      `${list}1] x`,
      `x ${list}1]`,
      `${record},]`,
      `${record},}`,
      `${record},"a"}`,
      `${record},1}`,
      `{"a" ${list}1]}`,
      `{"a":${list}1] 2}`,
      `[${list}1] ${list}1]]`,
      `[,${list}1]]`,
      `${list}"\\x"]`,
    ])
      await expect(
        readInParts(broken).then(() => broken.slice(-30)),
        broken.slice(-30),
      ).rejects.toThrow(InvalidJson);
  });

  it('keeps large numbers as its parser gives them, and changes no prototype', async () => {
    const many = '"0123456789",'.repeat(10_000);
    const text = `{"list":[${many}9007199254740993],"__proto__":{"a":1}}`;
    const value = await intakeOf(text, 65_536, limits, parseExactJson).endInParts();
    expect(value).toMatchObject({ list: expect.arrayContaining(['9007199254740993']) });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('is refused while it comes, as soon as it is nested too deeply or has too many values', () => {
    expect(() => intakeOf('['.repeat(41), 7)).toThrow(TooDeep);
    expect(() => intakeOf(`[${'0,'.repeat(1_000_001)}`, 65_536)).toThrow(TooManyValues);
    // Signs within texts count for nothing.
    expect(intakeOf(`"${'[,{'.repeat(1000)}"`, 7, { maxValues: 1, maxDepth: 0 }).end()).toHaveLength(3000);
  });

  it('is refused where one record has more members than can be put into it fast', async () => {
    const members = Array.from({ length: 70_000 }, (_, n) => `"${n}x":0`).join();
    await expect(readInParts(`{${members}}`)).rejects.toThrow(TooManyValues);
  });

  it('lets others have their turn between the parts', async () => {
    const intake = intakeOf(`[${Array.from({ length: 300_000 }, (_, n) => `{"a":"${n}"}`).join()}]`, 65_536);
    expect(intake.isLarge()).toBe(true);
    let turns = 0;
    const others = setInterval(() => {
      turns++;
    }, 1);
    await intake.endInParts();
    clearInterval(others);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
