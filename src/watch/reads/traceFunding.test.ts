import { describe, expect, it } from 'vitest';
import { evmPayments } from '../../chains/evm/evmPayments.ts';
import { eventTopic } from '../../codecs/evm/abi.ts';
import { EvmLog } from '../../codecs/evm/evmLog.ts';
import { addressTopic } from '../../codecs/evm/words.ts';
import type { Block, Log, Transaction } from '../../model/block.ts';
import type { FundedAddress } from '../../store/watch/funding.ts';
import { traceFunding } from './traceFunding.ts';

const account = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
const [mixer, first, second, third, fourth, stranger, token] = [1, 2, 3, 4, 5, 6, 7].map(account) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const sources = new Map([[mixer, ['MIXER']]]);
const word = (value: bigint) => value.toString(16).padStart(64, '0');

type Sent = Partial<Transaction> & { logs?: readonly Log[] };

function blockOf(sent: readonly Sent[], timestamp = 1_000_000): Block {
  const transactions = sent.map((part, index) => {
    const transaction = {
      hash: `0x${index}`,
      index,
      from: stranger,
      to: stranger,
      value: 0n,
      input: '0x',
      callKey: '0x',
      nonce: 0,
      priorityFee: 0n,
      logs: [],
      transfers: [],
      ...part,
    };
    return {
      ...transaction,
      payments: (isSource: (address: string) => boolean) => evmPayments(transaction, isSource),
    };
  });
  return {
    chainUid: 'anvil',
    number: 10,
    hash: '0xb',
    parentHash: '0xa',
    timestamp,
    transactions,
    logs: transactions.flatMap(({ logs }) => logs),
    upgraded: [],
    used: 0n,
    limit: 0n,
    size: 0,
    receivedAt: 0,
  };
}

function log(address: string, topics: readonly string[], data: string): Log {
  return new EvmLog({ address, topics, data, index: 0, transactionHash: '0x0', transactionIndex: 0 });
}

const transfer = (from: string, to: string, amount = 5n, by = token) =>
  log(
    by,
    [eventTopic('Transfer(address,address,uint256)'), addressTopic(from), addressTopic(to)],
    `0x${word(amount)}`,
  );
const withdrawal = (by: string, to: string) =>
  log(
    by,
    [eventTopic('Withdrawal(address,bytes32,address,uint256)'), addressTopic(stranger)],
    `0x${addressTopic(to).slice(2)}${word(1n)}${word(0n)}`,
  );

const shortly = (rows: readonly FundedAddress[]) => rows.map(({ address, hops }) => [address, hops]);
const trace = (sent: readonly Sent[], known: readonly FundedAddress[] = [], timestamp?: number) =>
  traceFunding(blockOf(sent, timestamp), sources, new Map(known.map((row) => [row.address, row])));
const row = (address: string, hops: number, timestamp = 1_000_000): FundedAddress => ({
  address,
  source: mixer,
  tags: ['MIXER'],
  hops,
  transactionHash: '0xold',
  blockNumber: 5,
  timestamp,
});

describe('traceFunding', () => {
  it('notes who is paid by a source in coins, in tokens, or by its own word', () => {
    expect(
      trace([
        { from: mixer, to: first, value: 1n },
        { to: mixer, logs: [transfer(mixer, second)] },
        { to: account(9), logs: [withdrawal(mixer, third)] },
      ]),
    ).toEqual([
      expect.objectContaining({
        address: first,
        source: mixer,
        tags: ['MIXER'],
        hops: 1,
        transactionHash: '0x0',
        blockNumber: 10,
      }),
      expect.objectContaining({ address: second, hops: 1, transactionHash: '0x1' }),
      expect.objectContaining({ address: third, hops: 1, transactionHash: '0x2' }),
    ]);
  });

  it('follows plain payments of funded accounts for three hops and no further, also within a block', () => {
    expect(
      shortly(
        trace([
          { from: mixer, to: first, value: 1n },
          { from: first, to: second, value: 1n },
          { from: second, to: token, input: '0xa9059cbb', logs: [transfer(second, third)] },
          { from: third, to: fourth, value: 1n },
        ]),
      ),
    ).toEqual([
      [first, 1],
      [second, 2],
      [third, 3],
    ]);
  });

  it.each<[string, Sent]>([
    ['a transfer that a fake token tells of', { to: token, logs: [transfer(mixer, first)] }],
    ['the same event of somebody else', { to: account(9), logs: [withdrawal(account(9), first)] }],
    ['a payment of nothing', { from: mixer, to: first, value: 0n }],
    ['a transfer of no tokens', { to: mixer, logs: [transfer(mixer, first, 0n)] }],
    ['a payment into the source', { from: second, to: mixer, value: 1n }],
    ['a call with coins', { from: second, to: first, value: 1n, input: '0x12345678' }],
    ['a swap of tokens', { from: second, to: account(9), logs: [transfer(second, first)] }],
    ['tokens that a contract passes on', { to: second, logs: [transfer(second, first)] }],
    ['what a busy account pays', { from: second, to: first, value: 1n, nonce: 1000 }],
    ['the creation of a contract', { from: second, to: null, value: 1n }],
    ['a payment to oneself', { from: second, to: second, value: 1n }],
    ['burnt tokens', { to: mixer, logs: [transfer(mixer, account(0))] }],
  ])('does not follow %s', (_, sent) => {
    expect(trace([sent], [row(second, 1)])).toEqual([]);
  });

  it('keeps the nearest source, and renews it at most once an hour', () => {
    const pay = [{ from: mixer, to: first, value: 1n }];
    expect(shortly(trace(pay, [row(first, 2)]))).toEqual([[first, 1]]);
    expect(trace(pay, [row(first, 1)])).toEqual([]);
    expect(shortly(trace(pay, [row(first, 1)], 1_000_000 + 3_600_000))).toEqual([[first, 1]]);
    const pass = [{ from: second, to: first, value: 1n }];
    expect(trace(pass, [row(first, 1), row(second, 1)], 9_000_000)).toEqual([]);
  });

  it('does nothing without sources', () => {
    const block = blockOf([{ from: first, to: second, value: 1n }]);
    expect(traceFunding(block, new Map(), new Map([[first, row(first, 1)]]))).toEqual([]);
  });
});
