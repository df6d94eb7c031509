import { describe, expect, it } from 'vitest';
import { base58check } from '../../lib/encodings.ts';
import { chains } from '../chains.ts';
import { bitcoinRules } from './bitcoinRules.ts';

const address = (text: string) => {
  const read = bitcoinRules.readKey(text);
  return 'fault' in read ? read.fault : bitcoinRules.deriveAddress(read.key, chains.bitcoin);
};

describe('Bitcoin keys', () => {
  it('derives the native segwit address of a compressed key', () => {
    expect(address('KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn')).toBe(
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    );
  });

  it('derives the legacy address of an uncompressed key, which segwit forbids', () => {
    expect(address('5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf')).toBe(
      '1EHNa6Q4Jz2uvNExL497mE43ikXhwF6kZm',
    );
  });

  it('generates compressed keys', () => {
    expect(bitcoinRules.deriveAddress(bitcoinRules.generateKey(), chains.bitcoin)).toMatch(/^bc1q/);
  });

  it.each([
    ['a testnet key', 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA'],
    ['a key of 31 bytes', base58check.encode(new Uint8Array(32).fill(1).with(0, 0x80))],
    ['a mark other than 1', base58check.encode(new Uint8Array(34).fill(2).with(0, 0x80))],
    ['bare hexadecimal', 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'],
    ['an address', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(address(text)).toContain(bitcoinRules.keyForm);
  });

  it('refuses the numbers 0 and n, which are no keys', () => {
    const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
    for (const number of [Buffer.alloc(32), order])
      expect(address(base58check.encode(Buffer.concat([Uint8Array.of(0x80), number])))).toContain(
        'No such private key',
      );
  });
});
