import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { evmRules, toChecksumAddress } from './evmRules.ts';

const read = (text: string) => evmRules.readAddress(text, chains.ethereum);

// The examples of EIP-55.
const eip55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('EVM addresses', () => {
  it.each(eip55)('%s is read, and its capitals are the ones we write', (text) => {
    expect(read(text)).toEqual({ canonical: text.toLowerCase() });
    expect(toChecksumAddress(text.slice(2).toLowerCase())).toBe(text);
  });

  it('reads an address in one case, and gives all spellings one canonical form', () => {
    const canonical = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
    expect(read(canonical)).toEqual({ canonical });
    expect(read(`0x${canonical.slice(2).toUpperCase()}`)).toEqual({ canonical });
  });

  it('refuses capitals that do not fit the checksum', () => {
    expect(read('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed')).toEqual({
      fault: expect.stringContaining('EIP-55'),
    });
  });

  it.each([
    '',
    '0x',
    '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedd',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg',
    ' 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n',
  ])('refuses %j and says what an address looks like', (text) => {
    expect(read(text)).toEqual({ fault: expect.stringContaining(evmRules.addressForm) });
  });
});
