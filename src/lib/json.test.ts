import { describe, expect, it } from 'vitest';
import { storableJson } from './json.ts';

describe('JSON for the store', () => {
  it('holds neither NUL nor half a surrogate pair, in values and in names', () => {
    const value = { 'a\0': ['x\0y', '\ud83d', 'b\udc00c', { deep: '\0' }], n: 1 };
    expect(JSON.parse(storableJson(value))).toEqual({
      'a\ufffd': ['x\ufffdy', '\ufffd', 'b\ufffdc', { deep: '\ufffd' }],
      n: 1,
    });
  });

  it('leaves everything else as it is', () => {
    const value = ['\\u0000', '\\\\u0000', '\\\0', '🙂', '\u0001\n"', 'ud800', '\\ud800', null, 1.5];
    const read = JSON.parse(storableJson(value)) as unknown[];
    expect(read).toEqual([
      '\\u0000',
      '\\\\u0000',
      '\\\ufffd',
      '🙂',
      '\u0001\n"',
      'ud800',
      '\\ud800',
      null,
      1.5,
    ]);
    expect(storableJson({ a: ['🙂'] })).toBe('{"a":["🙂"]}');
  });
});
