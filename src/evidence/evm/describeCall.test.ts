import { expect, it } from 'vitest';
import { chains } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { encodeCall, parseFunction } from '../../codecs/evm/abi.ts';
import { decimalsData } from '../../codecs/evm/tokenMetadata.ts';
import type { Reader } from '../../model/detection.ts';
import { describeCall, functionName } from './describeCall.ts';

const [token, who] = ['a', 'b'].map((digit) => `0x${digit.repeat(40)}`) as [string, string];
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const read = {
  call: (_to: string, data: string) => ({
    data:
      data === decimalsData ? `0x${word(6n)}` : `0x${Buffer.from('USDC').toString('hex').padEnd(64, '0')}`,
  }),
  optional: (question: () => unknown) => question(),
  degradable: (question: () => unknown) => question(),
  all: (questions: readonly (() => unknown)[]) => questions.map((question) => question()),
} as unknown as Reader;
const own = parseFunction('rebalance(uint256 pool)');
const context = { read, chain: toChainFacts(chains.ethereum), abi: [own] };
const call = (signature: string, ...values: unknown[]) => encodeCall(parseFunction(signature), values);

it.each<[string, bigint, string, string]>([
  ['a payment', 10n ** 18n, '0x', `a payment with 1 ETH to ${token}`],
  ['nothing', 0n, '0x', `an empty call to ${token}`],
  [
    'a transfer of tokens',
    0n,
    call('transfer(address,uint256)', who, 1_500_000n),
    `transfer(to: ${who}, amount: 1.5 USDC) of ${token}`,
  ],
  [
    'an endless approval',
    0n,
    call('approve(address,uint256)', who, 2n ** 256n - 1n),
    `approve(spender: ${who}, amount: 2^256 − 1) of ${token}`,
  ],
  [
    'a function of the ABI',
    5n * 10n ** 17n,
    call('rebalance(uint256)', 7n),
    `rebalance(pool: 7) of ${token} with 0.5 ETH`,
  ],
  ['an unknown function', 0n, '0x12345678ff', `the function 0x12345678 of ${token}`],
  ['data that does not fit', 0n, '0xa9059cbb00', `the function 0xa9059cbb of ${token}`],
])('describes %s', (_name, value, data, words) => {
  expect(describeCall(context, { to: token, value, data })).toBe(words);
});

it('knows functions by name', () => {
  expect(['0x3f4ba83a', '0x12345678'].map((selector) => functionName(selector, []))).toEqual([
    'unpause()',
    '0x12345678',
  ]);
});
