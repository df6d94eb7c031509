import { describe, expect, it } from 'vitest';
import { toAddress, toScript } from './script.ts';

// The witness programs of BIP-173 and BIP-350 with their scripts, and published base58 addresses.
describe('Bitcoin scripts', () => {
  it.each([
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
    ],
    ['bc1sw50qgdz25j', '6002751e'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    ['bc1pfeessrawgf', '51024e73'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
  ])('%s is the address of %s', (address, script) => {
    expect(toAddress(script)).toBe(address);
    expect(toScript(address)).toBe(script);
  });

  it.each([
    ['a bare public key', `21${'02'.repeat(33)}ac`],
    ['data', '6a0568656c6c6f'],
    ['version 0 with 16 bytes', `0010${'00'.repeat(16)}`],
    ['a length that does not fit', `5120${'00'.repeat(31)}`],
    ['nothing', ''],
  ])('%s has no address', (_what, script) => expect(toAddress(script)).toBeNull());
});
