import { describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/createRandom.ts';
import { createJsonReader } from './createJsonReader.ts';
import { InvalidJson } from './invalidJson.ts';

function read(text: string, sizes: () => number, skipped?: ReadonlySet<string>): unknown {
  const reader = createJsonReader({ maxDepth: 4096, maxValues: 1000 }, skipped);
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
});
