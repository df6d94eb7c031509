import { describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { createJsonReader } from './createJsonReader.ts';
import { InvalidJson, TooManyValues } from './invalidJson.ts';
import { TextHead } from './textHead.ts';

type Json = Readonly<Record<string, unknown>>;

function read(text: string, sizes: () => number, skipped?: ReadonlySet<string>): unknown {
  const reader = createJsonReader({ maxDepth: 4096, maxValues: 1000 }, { ...(skipped && { skipped }) });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const size = sizes();
    reader.write(bytes.subarray(at, at + size));
    at += size;
  }
  return reader.end();
}

describe('createJsonReader', () => {
  const random = createRandom('createJsonReader');
  const text = () =>
    Array.from({ length: random.below(8) }, () =>
      random.pick(['a', '"', '\\', 'é', '😀', '\n', '\u2028', '0x00', ' ', '{', ']', '\\"']),
    ).join('');
  const value = (depth: number): unknown => {
    const kind = random.below(depth > 4 ? 4 : 6);
    if (kind === 0) return random.pick([0, -1.5e-7, 123456789, true, false, null]);
    if (kind < 4) return text();
    const items = Array.from({ length: random.below(5) }, () => value(depth + 1));
    return kind === 4 ? items : Object.fromEntries(items.map((item, n) => [`${text()}${n}`, item]));
  };

  it('reads what JSON.parse reads, however it is cut', () => {
    for (let round = 0; round < 300; round++) {
      const whole = value(0);
      const json = JSON.stringify(whole, null, random.pick([0, 1]));
      const most = random.pick([1, 2, 7, 1000]);
      expect(
        read(json, () => 1 + random.below(most)),
        json,
      ).toEqual(JSON.parse(json));
    }
  });

  it('refuses what JSON.parse refuses', () => {
    for (let round = 0; round < 300; round++) {
      const signs = [...JSON.stringify([value(0), value(0)])];
      signs[random.below(signs.length)] = random.pick(['', ',', ']', '}', ':', '{', 'x']);
      const broken = signs.join('');
      let isRight = true;
      try {
        JSON.parse(broken);
      } catch {
        isRight = false;
      }
      const reading = () => read(broken, () => 3);
      if (isRight) expect(reading(), broken).toEqual(JSON.parse(broken));
      else expect(reading, broken).toThrow(InvalidJson);
    }
  });

  it('passes over members, whatever is in them', () => {
    const json =
      '{"logs":[{"data":"a\\"b","from":1}],"from":"x","gas":"0x1","calls":[{"gas":{},"to":"y"}],"__proto__":{"a":1}}';
    for (const size of [1, 5, 1000])
      expect(read(json, () => size, new Set(['logs', 'gas']))).toEqual({ from: 'x', calls: [{ to: 'y' }] });
  });

  it('refuses what is nested without end', () => {
    expect(() => read('['.repeat(10_000), () => 1000)).toThrow('nested too deeply');
  });

  it('refuses more values than are allowed, but for those that it passes over', () => {
    const many = JSON.stringify({ a: Array.from({ length: 1001 }, () => 0) });
    expect(() => read(many, () => 1000)).toThrow('too many values');
    expect(read(many, () => 1000, new Set(['a']))).toEqual({});
  });

  describe('with heads', () => {
    const heads = {
      longest: 1000,
      most: 50_000,
      remaining: ({ type }: Json) => (type === 'whole' ? 1000 : 100),
    };
    const readHeads = (value: unknown, size: number) => {
      const reader = createJsonReader({ maxDepth: 10, maxValues: 100_000 }, { heads });
      const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
      for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
      return reader.end();
    };

    it.each([1, 7, 990, 100_000])(
      'keeps the beginning of long texts and their length, in pieces of %d',
      (size) => {
        const long = '0123456789'.repeat(150);
        expect(
          readHeads(
            [{ input: long, type: 'whole' }, { type: 'x', input: long.slice(0, 101) }, { a: 'b' }],
            size,
          ),
        ).toEqual([
          { input: new TextHead(long.slice(0, 1000), 1500), type: 'whole' },
          { type: 'x', input: new TextHead(long.slice(0, 100), 101) },
          { a: 'b' },
        ]);
        // The escape is not cut in two.
        expect(readHeads({ a: `ab\n${long}` }, size)).toEqual({ a: new TextHead('ab', 1504) });
        expect(() => readHeads(`[${long}]`, size)).toThrow(InvalidJson);
      },
    );

    it('counts what is kept and not what comes', () => {
      const record = { input: 'a'.repeat(900) };
      expect(
        readHeads(
          Array.from({ length: 400 }, () => record),
          64,
        ),
      ).toHaveLength(400);
      expect(() =>
        readHeads(
          Array.from({ length: 600 }, () => record),
          64,
        ),
      ).toThrow(TooManyValues);
      expect(() =>
        readHeads(
          Array.from({ length: 60 }, () => ({ ...record, type: 'whole' })),
          64,
        ),
      ).toThrow(TooManyValues);
    });
  });
});
