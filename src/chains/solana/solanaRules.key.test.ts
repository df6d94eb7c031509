import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { solanaRules } from './solanaRules.ts';

// The key pair that the Solana documentation uses throughout.
const bytes = [
  174, 47, 154, 16, 202, 193, 206, 113, 199, 190, 53, 133, 169, 175, 31, 56, 222, 53, 138, 189, 224, 216, 117,
  173, 10, 149, 53, 45, 73, 251, 237, 246, 15, 185, 186, 82, 177, 240, 148, 69, 241, 227, 167, 80, 141, 89,
  240, 121, 121, 35, 172, 247, 68, 251, 226, 218, 48, 63, 176, 109, 168, 89, 238, 135,
];
const pair = Uint8Array.from(bytes);
const documented = '24PNhTaNtomHhoy3fTRaMhAFCRj4uHqhZEEoWrKDbR5p';

const address = (text: string) => {
  const read = solanaRules.readKey(text);
  return 'fault' in read ? read.fault : solanaRules.deriveAddress(read.key, chains.solana);
};

describe('Solana keys', () => {
  it.each([
    ['the base58 text that wallets export', base58.encode(pair)],
    ['the JSON array that the tools write', JSON.stringify(bytes)],
    ['a JSON array over several lines', JSON.stringify(bytes, null, 2)],
  ])('derives the documented address from %s', (_form, text) => {
    expect(address(text)).toBe(documented);
  });

  it.each([
    ['an address, although it has the length of a seed', documented],
    ['a seed alone', base58.encode(pair.subarray(0, 32))],
    ['63 bytes', JSON.stringify(bytes.slice(1))],
    ['65 bytes', JSON.stringify([...bytes, 1])],
    ['a number above 255', JSON.stringify(bytes.with(0, 256))],
    ['a negative number', JSON.stringify(bytes.with(0, -1))],
    ['a fraction', JSON.stringify(bytes.with(0, 1.5))],
    ['an array that does not end', JSON.stringify(bytes).slice(0, -1)],
    ['a huge array', `[${'1,'.repeat(100_000)}1]`],
    ['a huge text', '2'.repeat(100_000)],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(address(text)).toContain(solanaRules.keyForm);
  });

  it('refuses a key pair whose halves do not belong together', () => {
    expect(address(JSON.stringify(bytes.with(0, 1)))).toContain('do not belong together');
    expect(address(base58.encode(pair.with(63, 1)))).toContain('do not belong together');
  });
});

describe('Solana addresses', () => {
  it.each([
    documented,
    '11111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  ])('reads %s as it stands', (text) => {
    expect(solanaRules.readAddress(text, chains.solana)).toEqual({ canonical: text });
  });

  it.each([
    '',
    documented.slice(1),
    `${documented}1`,
    documented.replace('P', '0'),
    '1'.repeat(31),
    '1'.repeat(33),
  ])('refuses %j', (text) => {
    expect(solanaRules.readAddress(text, chains.solana)).toEqual({
      fault: expect.stringContaining(solanaRules.addressForm),
    });
  });
});
