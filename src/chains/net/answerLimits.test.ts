import { expect, it } from 'vitest';
import { answerKinds, limitsOf } from './answerLimits.ts';

const MiB = 1024 * 1024;
const bytesOf = (method: string, ...params: unknown[]) => limitsOf([{ method, params }]).maxBytes;

it('allows little to what is short by its nature, and more by the kind of call', () => {
  for (const method of [
    'eth_chainId',
    'eth_blockNumber',
    'getblockcount',
    'getSlot',
    'getLatestLedger',
    'status',
    'any',
  ])
    expect(bytesOf(method), method).toBe(64 * 1024);
  expect(bytesOf('eth_getBlockByNumber', '0x1', true)).toBe(16 * MiB);
  expect(bytesOf('eth_getBlockByNumber', 'latest', false)).toBe(1 * MiB);
  expect(bytesOf('POST /wallet/getblock', '', { detail: true })).toBe(16 * MiB);
  expect(bytesOf('POST /wallet/getblock', '', { detail: false })).toBe(1 * MiB);
  expect(bytesOf('GET /blocks', '/1?expanded=true')).toBe(16 * MiB);
  expect(bytesOf('GET /blocks', '/best')).toBe(1 * MiB);
  expect(bytesOf('getBlock', 1)).toBe(64 * MiB);
});

it('allows a batch what its calls may have together, and never more than the largest answer', () => {
  const call = { method: 'eth_chainId', params: [] };
  expect(limitsOf([call, call]).maxBytes).toBe(2 * answerKinds.small.maxBytes);
  expect(limitsOf(Array.from({ length: 100 }, () => ({ method: 'eth_call', params: [] }))).maxBytes).toBe(
    64 * MiB,
  );
});
