import { describe, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { vechainRules } from './vechainRules.ts';

// The key and the address of the examples in VeChain's own kit.
const digits = '7582be841ca040aa940fff6c05773129e135623e41acce3e0b8ba520dc1ae26a';

describe('VeChain', () => {
  it('derives the address of a key, with the capitals of EIP-55', () => {
    const read = vechainRules.readKey(digits);
    expect('key' in read && vechainRules.deriveAddress(read.key, chains.vechain)).toBe(
      '0xd989829d88B0eD1B06eDF5C50174eCfA64F14A64',
    );
  });

  it('refuses a key with 0x in front, because that is how EVM keys are written', () => {
    expect(vechainRules.readKey(`0x${digits}`)).toEqual({ fault: expect.stringContaining('EVM key') });
  });

  it('checks the capitals of an address', () => {
    expect(vechainRules.readAddress('0xd989829d88B0eD1B06eDF5C50174eCfA64F14A64', chains.vechain)).toEqual({
      canonical: '0xd989829d88b0ed1b06edf5c50174ecfa64f14a64',
    });
    expect(vechainRules.readAddress('0xd989829d88B0eD1B06eDF5C50174eCfA64F14a64', chains.vechain)).toEqual({
      fault: expect.stringContaining('EIP-55'),
    });
  });
});
