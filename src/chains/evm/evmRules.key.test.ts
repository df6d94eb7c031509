import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { evmRules } from './evmRules.ts';

const address = (text: string) => {
  const read = evmRules.readKey(text);
  return 'fault' in read ? read.fault : evmRules.deriveAddress(read.key, chains.ethereum);
};

const hex = (number: bigint) => `0x${number.toString(16).padStart(64, '0')}`;

describe('EVM keys', () => {
  it('derives the first account of anvil from its key, with and without 0x', () => {
    const digits = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
    expect(address(`0x${digits}`)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    expect(address(digits.toUpperCase())).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  });

  it('accepts the smallest and the largest key and refuses the numbers beyond them', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    expect(address(hex(1n))).toBe('0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf');
    expect(address(hex(order - 1n))).toBe('0x80C0dbf239224071c59dD8970ab9d542E3414aB2');
    for (const number of [0n, order, order + 1n, 2n ** 256n - 1n])
      expect(address(hex(number))).toContain('at least 1 and below the order');
  });

  it.each([
    '',
    '0x',
    '0x1',
    `0x${'0'.repeat(63)}`,
    `0x${'1'.repeat(65)}`,
    `0x${'g'.repeat(64)}`,
    `0X${'1'.repeat(64)}`,
  ])('refuses %j', (text) => expect(address(text)).toContain(evmRules.keyForm));
});
