import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const fields = ['id', 'name', 'status', 'tenantId', 'amlRequired'];

describe('nearest', () => {
  it.each([
    ['nmae', 'name'],
    ['stauts', 'status'],
    ['TENANTID', 'tenantId'],
    ['amlRequire', 'amlRequired'],
    ['ID', 'id'],
    ['ids', 'id'],
  ])('suggests for %s the field %s', (word, field) => {
    expect(nearest(word, fields)).toBe(field);
  });

  it.each(['privateKey', 'x', '', 'q'.repeat(100_000)])(
    'suggests nothing for a word that is far from all',
    (word) => {
      expect(nearest(word, fields)).toBeUndefined();
    },
  );

  it('suggests nothing when nothing is known', () => {
    expect(nearest('name', [])).toBeUndefined();
  });

  it('prefers the closest word, and among equals the first', () => {
    expect(nearest('cat', ['cart', 'cat', 'bat'])).toBe('cat');
    expect(nearest('rat', ['cat', 'bat'])).toBe('cat');
  });
});
