import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { tronRules } from './tronRules.ts';

const one = '1'.padStart(64, '0');

describe('Tron keys', () => {
  it('derives the known address of the key 1', () => {
    const read = tronRules.readKey(one);
    expect('key' in read && tronRules.deriveAddress(read.key, chains.tron)).toBe(
      'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC',
    );
  });

  it('refuses a key with 0x in front, because that is how EVM keys are written', () => {
    expect(tronRules.readKey(`0x${one}`)).toEqual({ fault: expect.stringContaining('EVM key') });
  });

  it.each(['', one.slice(1), `${one}0`, '0'.repeat(64), 'f'.repeat(64)])('refuses %j', (text) => {
    expect(tronRules.readKey(text)).toEqual({ fault: expect.any(String) });
  });
});

describe('Tron addresses', () => {
  it.each([
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
    'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
  ])('reads %s and shows it again', (text) => {
    const read = tronRules.readAddress(text, chains.tron);
    expect('canonical' in read && tronRules.show?.(read.canonical)).toBe(text);
  });

  it('knows the key 1 by its address in both forms', () => {
    const canonical = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
    for (const text of ['TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC', '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'])
      expect(tronRules.readAddress(text, chains.tron)).toEqual({ canonical });
  });

  it.each([
    ['a wrong checksum', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
    ['the byte 0x42 in front, which also gives a T', 'TxeQyGyJa63ho3Loe7KMVQEiAoGCbnaMqQ'],
    ['a Bitcoin address', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['the hexadecimal form, which has no checksum', '417e5f4552091a69125d5dfcb7b8c2659029395bdf'],
    ['capitals that fit no checksum', '0x7E5F4552091A69125d5DfCb7b8C2659029395BdF'],
    ['a text that is too long', 'T'.repeat(100_000)],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(tronRules.readAddress(text, chains.tron)).toEqual({
      fault: expect.stringMatching(/: (give|copy) /),
    });
  });
});
