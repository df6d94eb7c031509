import { describe, expect, it } from 'vitest';
import { decodeBlock } from './decodeBlock.ts';

const hash = (digit: string) => `0x${digit.repeat(64)}`;

function priorityFee(fees: object, baseFeePerGas?: string): bigint | undefined {
  const transaction = {
    hash: hash('3'),
    transactionIndex: '0x0',
    from: `0x${'4'.repeat(40)}`,
    to: null,
    input: '0x',
    value: '0x0',
    nonce: '0x0',
    ...fees,
  };
  const block = {
    number: '0x1',
    hash: hash('1'),
    parentHash: hash('2'),
    timestamp: '0x1',
    gasUsed: '0x0',
    gasLimit: '0x0',
    transactions: [transaction],
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
  };
  return decodeBlock('anvil', block, [], 0, () => undefined).transactions[0]?.priorityFee;
}

describe('the priority fee of a transaction', () => {
  it('is what it offers above the base fee, in the older form as in the newer one', () => {
    expect(priorityFee({ maxPriorityFeePerGas: '0x5', gasPrice: '0x69' }, '0x64')).toBe(5n);
    expect(priorityFee({ gasPrice: '0x69' }, '0x64')).toBe(5n);
  });

  it('is the whole price where there is no base fee, and never below nothing', () => {
    expect(priorityFee({ gasPrice: '0x69' })).toBe(105n);
    expect(priorityFee({ gasPrice: '0x0' }, '0x64')).toBe(0n);
    expect(priorityFee({}, '0x64')).toBe(0n);
  });
});
