import { expect, it } from 'vitest';
import { createdAddress } from './createdAddress.ts';
import { decodeReceipt } from './decodeBlock.ts';

it.each([
  // CryptoKitties, USDC and the deposit contract, as they were created on the main network.
  ['0xba52c75764d6f594735dc735be7f1830cdf58ddf', 3515, '0x06012c8cf97bead5deae237070f9587f8e7a266d'],
  ['0x95ba4cf87d6723ad9c0db21737d862be80e93911', 20, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
  // The first contracts of a well-known sender of test chains.
  ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 0, '0x5fbdb2315678afecb367f032d93f642f64180aa3'],
  ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 1, '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'],
])('a contract that %s creates with nonce %i has the address %s', (from, nonce, address) => {
  expect(createdAddress(from, nonce)).toBe(address);
});

it('a receipt from before Byzantium, which has no status, counts as success', () => {
  const receipt = { gasUsed: '0x5208', contractAddress: null };
  expect(decodeReceipt({ ...receipt, root: `0x${'1'.repeat(64)}` }).isSuccess).toBe(true);
  expect(decodeReceipt({ ...receipt, status: '0x0' }).isSuccess).toBe(false);
  expect(decodeReceipt(receipt).isSuccess).toBe(false);
});
