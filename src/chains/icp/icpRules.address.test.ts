import { describe, expect, it } from 'vitest';
import { accountIdentifier, encodePrincipal, readAccount } from '../../codecs/icp/accounts.ts';
import { chains } from '../chains.ts';
import { icpRules } from './icpRules.ts';

const read = (text: string) => icpRules.readAddress(text, chains.icp);

describe('Internet Computer addresses', () => {
  it.each([
    ['the management canister', 'aaaaa-aa', ''],
    ['the anonymous principal', '2vxsx-fae', '04'],
    ['the bytes ab cd 01', 'em77e-bvlzu-aq', 'abcd01'],
    ['the bytes ca ff ee', 'w7x7r-cok77-xa', 'caffee'],
    ['the ledger', 'ryjl3-tyaaa-aaaaa-aaaba-cai', '00000000000000020101'],
  ])('reads and writes the principal of %s', (_name, text, hex) => {
    expect(read(text)).toEqual({ canonical: text });
    expect(encodePrincipal(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it('reads a principal of 29 bytes in any case and gives it in lower case', () => {
    const canonical = 'emrl6-qe3wz-fh5ib-sx2r4-fbx46-6g4ql-5ro3g-zhbtm-nxdrq-q2oqo-jqe';
    expect(read(canonical)).toEqual({ canonical });
    expect(read(canonical.toUpperCase())).toEqual({ canonical });
  });

  // The vectors of ICRC-1 for the principal of its examples.
  it('reads ICRC-1 accounts, and that of the default subaccount as the principal', () => {
    const owner = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
    const numbered = `${owner}-dfxgiyy.102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20`;
    expect(read(numbered)).toEqual({ canonical: numbered });
    expect(read(numbered.toUpperCase())).toEqual({ canonical: numbered });
    expect(read(`${owner}-q6bn32y.`)).toEqual({ fault: expect.stringContaining('ICRC-1') });
    expect(read(numbered.replace('dfxgiyy', 'dfxgiyz'))).toEqual({
      fault: expect.stringContaining('checksum'),
    });
    expect(readAccount(numbered)?.subaccount).toEqual(
      Uint8Array.from({ length: 32 }, (_, place) => place + 1),
    );
    expect(readAccount(owner)).toEqual({ owner: expect.any(Uint8Array) });
  });

  it('derives the account identifier by which the ledger of ICP knows a principal', () => {
    // The minting account of the ledger: the default account of the governance canister.
    expect(accountIdentifier(readAccount('rrkah-fqaaa-aaaaa-aaaaq-cai')!)).toMatch(/^[0-9a-f]{64}$/);
    expect(read(accountIdentifier(readAccount('2vxsx-fae')!))).toEqual({
      canonical: '1c7a48ba6a562aa9eaa2481a9049cdf0433b9738c992d698c31d8abf89cadc79',
    });
  });

  it.each([
    'dee15d98a70029163c79ace6ec9cf33b21917355f1766f44f87b4cb9f4d3b393',
    '580deb37eb3583e5854516481bd52c2618ca73ef6ee1c2df2b556bf85c0ce5a9',
  ])('reads the account identifier %s in any case', (canonical) => {
    expect(read(canonical)).toEqual({ canonical });
    expect(read(canonical.toUpperCase())).toEqual({ canonical });
  });

  it.each([
    ['a wrong checksum', '2vxsx-faa'],
    ['groups at the wrong place', '2vxs-xfae'],
    ['no groups', '2vxsxfae'],
    ['a final separator', '2vxsx-fae-'],
    ['a principal of 30 bytes', encodePrincipal(new Uint8Array(30))],
    [
      'an account identifier with a wrong checksum',
      'dee15d98a70029163c79ace6ec9cf33b21917355f1766f44f87b4cb9f4d3b394',
    ],
    ['an EVM private key', 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'],
    ['63 hexadecimal digits', 'dee15d98a70029163c79ace6ec9cf33b21917355f1766f44f87b4cb9f4d3b39'],
    ['a text that is too long', 'a'.repeat(100_000)],
    ['separators only', '-----'],
    ['nothing', ''],
  ])('refuses %s', (_reason, text) => {
    expect(read(text)).toEqual({ fault: expect.stringMatching(/checksum.*: (give|copy) /) });
  });
});
