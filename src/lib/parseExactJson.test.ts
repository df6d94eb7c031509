import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseExactJson } from './parseExactJson.ts';

it('keeps every digit of whole numbers, and leaves all else as it is', () => {
  const text =
    '{"a":9007199254740993,"b":[1,-18446744073709551615, 12345678901234567],"c":9007199254740991,"d":1234567890123456.5,"e":0.1234567890123456,"f":1e21,"g":"x:9007199254740993,\\"9007199254740993"}';
  expect(parseExactJson(text)).toEqual({
    a: '9007199254740993',
    b: [1, '-18446744073709551615', '12345678901234567'],
    c: 9007199254740991,
    d: 1234567890123456.5,
    e: 0.1234567890123456,
    f: 1e21,
    g: 'x:9007199254740993,"9007199254740993',
  });
});

it('reads what has no large number as JSON.parse does, whatever is in its texts', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, fc.stringMatching(/^[\d\\":,[\]{}]{0,40}$/), (any, odd) => {
      const text = JSON.stringify({ large: '9007199254740993', odd, any, list: [odd] });
      const isRounded = /(?:^|[[:,])-?\d{16,}/.test(JSON.stringify(any));
      if (!isRounded) expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

it('refuses what is no JSON', () => {
  expect(() => parseExactJson('{"a":9007199254740993')).toThrow(SyntaxError);
});
