import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { stellarRules } from './stellarRules.ts';

describe('Stellar keys', () => {
  // The first account of the first test case of SEP-5.
  it('derives the account of a secret seed', () => {
    const read = stellarRules.readKey('SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN');
    expect('key' in read && stellarRules.deriveAddress(read.key, chains.stellar)).toBe(
      'GDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ6',
    );
  });

  it.each([
    ['a wrong checksum', 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMO'],
    ['an account', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'],
    ['small letters', 'sbgwsg6btnckcob3difbgcvmupqfypa2g4o34rmtb343oypxu5djdvmn'],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(stellarRules.readKey(text)).toEqual({ fault: expect.stringContaining(stellarRules.keyForm) });
  });
});
