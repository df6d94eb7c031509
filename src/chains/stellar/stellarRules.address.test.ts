import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { stellarRules } from './stellarRules.ts';

const read = (text: string) => stellarRules.readAddress(text, chains.stellar);

// All vectors are those of SEP-23.
describe('Stellar addresses', () => {
  it.each([
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA',
  ])('reads %s as it stands', (text) => {
    expect(read(text)).toEqual({ canonical: text });
  });

  it.each([
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
  ])('reads the account behind %s', (text) => {
    const canonical = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
    expect(read(text)).toEqual({ canonical });
  });

  it('says what to give for an asset', () => {
    expect(read('USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN')).toEqual({
      fault: expect.stringMatching(/address of its contract/),
    });
  });

  it.each([
    ['5 bytes instead of 32', 'GAAAAAAAACGC6'],
    ['an unused bit that is set', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR'],
    ['a length of 1 mod 8', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA'],
    ['36 bytes instead of 35', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI'],
    ['algorithm 7', 'G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I'],
    ['a length of 6 mod 8', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA'],
    ['44 bytes instead of 43', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAAV75I'],
    [
      'algorithm 7 of a muxed account',
      'M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
    ],
    ['padding', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUK==='],
    ['a wrong checksum', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUO'],
    ['small letters', 'ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz'],
    ['a text that is too long', 'G'.repeat(100_000)],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(read(text)).toEqual({ fault: expect.stringContaining(stellarRules.addressForm) });
  });

  it.each([
    ['a liquidity pool', 'LA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUPJN', /another kind/],
    ['a claimable balance', 'BAAD6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGR4TU', /another kind/],
    ['a secret seed', 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN', /secret seed/],
  ])('refuses %s and says what it is', (_kind, text, fault) => {
    expect(read(text)).toEqual({ fault: expect.stringMatching(fault) });
  });
});
