import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chains, type Family, seedChainUids } from './chains.ts';
import { families } from './families.ts';

const familyNames = ['evm', 'bitcoin', 'solana', 'tron', 'vechain', 'stellar', 'icp'] as const;

const hexKey = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const solanaPair = '5MaiiCavjCmn9Hs1o3eznqDEhRwxo7pXiAYez7keQUviUkauRiTMD8DrESdrNjN8zd9mTmVhRvBJeg5vhyvgrAhG';
const pem = (label: string, ...lines: string[]) =>
  `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;

/** Every form of key text, and the families that may read it. */
const keys: readonly { form: string; text: string; readBy: readonly Family[] }[] = [
  { form: 'EVM', text: `0x${hexKey}`, readBy: ['evm'] },
  { form: 'EVM in capitals', text: `0x${hexKey.toUpperCase()}`, readBy: ['evm'] },
  // Without 0x nothing tells the three apart; this is the form in which Tron and VeChain keys are really written.
  { form: 'bare hexadecimal', text: hexKey, readBy: ['evm', 'tron', 'vechain'] },
  { form: 'WIF', text: 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn', readBy: ['bitcoin'] },
  {
    form: 'uncompressed WIF',
    text: '5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf',
    readBy: ['bitcoin'],
  },
  { form: 'Solana base58', text: solanaPair, readBy: ['solana'] },
  { form: 'Solana JSON', text: `[${base58.decode(solanaPair).join(',')}]`, readBy: ['solana'] },
  { form: 'Stellar', text: 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN', readBy: ['stellar'] },
  {
    form: 'Ed25519 PEM',
    text: pem(
      'PRIVATE KEY',
      'MFMCAQEwBQYDK2VwBCIEIL9r4XBKsg4pquYBHY6rgfzuBsvCy89tgqDfDpofXRBP',
      'oSMDIQBCkE1NL4X43clXS1LFauiceiiKW9NhjVTEpU6LpH9Qcw==',
    ),
    readBy: ['icp'],
  },
  {
    form: 'secp256k1 PEM',
    text: pem(
      'EC PRIVATE KEY',
      'MHQCAQEEIAgy7nZEcVHkQ4Z1Kdqby8SwyAiyKDQmtbEHTIM+WNeBoAcGBSuBBAAK',
      'oUQDQgAEgO87rJ1ozzdMvJyZQ+GABDqUxGLvgnAnTlcInV3NuhuPv4O3VGzMGzeB',
      'N3d26cRxD99TPtm8uo2OuzKhSiq6EQ==',
    ),
    readBy: ['icp'],
  },
];

/** Every form of address, and the families that may read it. */
const addresses: readonly { form: string; text: string; readBy: readonly Family[] }[] = [
  {
    form: 'hexadecimal',
    text: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    readBy: ['evm', 'tron', 'vechain'],
  },
  { form: 'P2PKH', text: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', readBy: ['bitcoin'] },
  { form: 'P2SH', text: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', readBy: ['bitcoin'] },
  { form: 'P2WPKH', text: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', readBy: ['bitcoin'] },
  {
    form: 'P2TR',
    text: 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    readBy: ['bitcoin'],
  },
  { form: 'Solana', text: '24PNhTaNtomHhoy3fTRaMhAFCRj4uHqhZEEoWrKDbR5p', readBy: ['solana'] },
  { form: 'Tron', text: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', readBy: ['tron'] },
  {
    form: 'Stellar account',
    text: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    readBy: ['stellar'],
  },
  {
    form: 'Stellar muxed account',
    text: 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK',
    readBy: ['stellar'],
  },
  { form: 'canister', text: 'ryjl3-tyaaa-aaaaa-aaaba-cai', readBy: ['icp'] },
  {
    form: 'principal',
    text: 'emrl6-qe3wz-fh5ib-sx2r4-fbx46-6g4ql-5ro3g-zhbtm-nxdrq-q2oqo-jqe',
    readBy: ['icp'],
  },
  {
    form: 'account identifier',
    text: 'dee15d98a70029163c79ace6ec9cf33b21917355f1766f44f87b4cb9f4d3b393',
    readBy: ['icp'],
  },
];

const chainOf = (family: Family) => chains[family === 'evm' ? 'ethereum' : family];
const readKey = (family: Family, text: string) => families[family].readKey(text);
const readAddress = (family: Family, text: string) => families[family].readAddress(text, chainOf(family));

describe('chain families', () => {
  it.each(seedChainUids)('a generated key of %s gives an address that the chain reads', (uid) => {
    const rules = families[chains[uid].family];
    for (let round = 0; round < 5; round++) {
      const key = rules.generateKey();
      const address = rules.deriveAddress(key, chains[uid]);
      expect(rules.readAddress(address, chains[uid])).toEqual({ canonical: expect.any(String) });
      expect(rules.deriveAddress(key, chains[uid])).toBe(address);
      expect(rules.deriveAddress(rules.generateKey(), chains[uid])).not.toBe(address);
    }
  });

  it.each(keys)('a private key in $form form is read by its own families alone', ({ text, readBy }) => {
    expect(familyNames.filter((family) => 'key' in readKey(family, text))).toEqual(readBy);
  });

  it.each(addresses)('an address in $form form is read by its own families alone', ({ text, readBy }) => {
    expect(familyNames.filter((family) => 'canonical' in readAddress(family, text))).toEqual(readBy);
  });

  it('no private key passes for an address, and no address for a private key', () => {
    for (const family of familyNames) {
      expect(keys.filter(({ text }) => 'canonical' in readAddress(family, text))).toEqual([]);
      // 64 hexadecimal digits are all that an account identifier and a bare key are.
      const misread = addresses.filter(({ text }) => 'key' in readKey(family, text)).map(({ form }) => form);
      expect(misread).toEqual(/evm|tron|vechain/.test(family) ? ['account identifier'] : []);
    }
  });

  it('the canonical form of an address is its own canonical form', () => {
    for (const { text, readBy } of addresses) {
      for (const family of readBy) {
        const read = readAddress(family, text);
        expect('canonical' in read && readAddress(family, read.canonical)).toEqual(read);
      }
    }
  });

  it('a fault says what would be right', () => {
    for (const family of familyNames) {
      const { addressForm, keyForm } = families[family];
      expect(readKey(family, 'nonsense')).toEqual({ fault: expect.stringContaining(keyForm) });
      expect(readAddress(family, 'nonsense')).toEqual({ fault: expect.stringContaining(addressForm) });
    }
  });
});

const swapCase = (letter: string) =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

const seed = Math.floor(Math.random() * 2 ** 31);

describe(`damaged texts (seed ${seed})`, () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/-=.,:_ é\0';
  /** The text with one character replaced, so that the result differs even for readers that ignore case. */
  const damaged = (text: string) =>
    fc
      .tuple(fc.nat(text.length - 1), fc.constantFrom(...Array.from(alphabet)))
      .filter(([at, letter]) => text.charAt(at).toLowerCase() !== letter.toLowerCase())
      .map(([at, letter]) => text.slice(0, at) + letter + text.slice(at + 1));

  // Solana addresses and hexadecimal keys have no checksum, and that of EIP-55 is tested on its capitals below.
  const checksummed = addresses.filter(({ form }) => form !== 'Solana' && form !== 'hexadecimal');
  it.each(checksummed)('one wrong character in an address in $form form is found', ({ text, readBy }) => {
    fc.assert(
      fc.property(fc.constantFrom(...readBy), damaged(text), (family, wrong) => {
        expect(readAddress(family, wrong)).toEqual({ fault: expect.any(String) });
      }),
      { seed, numRuns: 300 },
    );
  });

  it('one wrong capital in an EIP-55 address is found', () => {
    const text = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
    const letters = Array.from(text.slice(2), (_digit, i) => i + 2).filter((at) =>
      /[a-f]/i.test(text.charAt(at)),
    );
    for (const at of letters) {
      const wrong = text.slice(0, at) + swapCase(text.charAt(at)) + text.slice(at + 1);
      expect(readAddress('evm', wrong)).toEqual({ fault: expect.stringContaining('EIP-55') });
    }
    expect(letters.length).toBeGreaterThan(10);
  });

  it.each(keys.filter(({ form }) => /WIF|Solana base58|Stellar/.test(form)))(
    'one wrong character in a private key in $form form is found',
    ({ text, readBy }) => {
      fc.assert(
        fc.property(fc.constantFrom(...readBy), damaged(text), (family, wrong) => {
          expect(readKey(family, wrong)).toEqual({ fault: expect.any(String) });
        }),
        { seed, numRuns: 100 },
      );
    },
  );

  it('no fault of a refused key contains a piece of it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...familyNames),
        fc.constantFrom(...keys).chain(({ text }) => fc.oneof(fc.constant(text), damaged(text))),
        (family, text) => {
          const read = readKey(family, text);
          const secret = text.replace(/-----[^-]*-----/g, '');
          const pieces = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6));
          expect('fault' in read ? pieces.filter((piece) => read.fault.includes(piece)) : []).toEqual([]);
        },
      ),
      { seed, numRuns: 500 },
    );
  });

  it('any text whatever is read or refused, never an exception', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc.base64String({ maxLength: 100 }),
      fc
        .constantFrom('bc1', '0x', 'T', 'G', 'S', '[', '-----BEGIN PRIVATE KEY-----', '1', '-')
        .chain((start) => fc.string({ maxLength: 90 }).map((rest) => start + rest)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...familyNames), anyText, (family, text) => {
        for (const read of [readKey(family, text), readAddress(family, text)])
          expect(Object.keys(read)).toHaveLength(1);
      }),
      { seed, numRuns: 1000 },
    );
  });
});
