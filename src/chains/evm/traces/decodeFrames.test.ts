import { describe, expect, it } from 'vitest';
import { TextHead } from '../../../lib/textHead.ts';
import type { Block } from '../../../model/block.ts';
import { decodeFrames } from './decodeFrames.ts';

const [sender, router, vault, maker] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const block = {
  hash: '0xblock',
  transactions: [{ hash: '0xone', index: 0, from: sender, to: router, logs: [] }],
} as unknown as Block;

const tree = {
  type: 'CALL',
  from: sender,
  to: router,
  input: '0x11111111',
  value: '0x5',
  calls: [
    {
      type: 'CALL',
      from: router,
      to: vault,
      input: '0x22222222',
      value: '0x5',
      error: 'execution reverted',
      calls: [{ type: 'DELEGATECALL', from: vault, to: maker, input: '0x22222222', value: '0x5' }],
    },
    { type: 'CREATE2', from: router, to: maker, input: `0x73${vault.slice(2)}` },
  ],
};
const flat = [
  {
    type: 'call',
    action: { callType: 'call', from: sender, to: router, input: '0x11111111', value: '0x5' },
    traceAddress: [],
  },
  {
    type: 'call',
    action: { callType: 'call', from: router, to: vault, input: '0x22222222', value: '0x5' },
    traceAddress: [0],
    error: 'execution reverted',
  },
  {
    type: 'call',
    action: { callType: 'delegatecall', from: vault, to: maker, input: '0x22222222', value: '0x5' },
    traceAddress: [0, 0],
  },
  {
    type: 'create',
    action: { creationMethod: 'create2', from: router, init: `0x73${vault.slice(2)}`, value: '0x0' },
    result: { address: maker },
    traceAddress: [1],
  },
].map((item) => ({ ...item, blockHash: '0xblock', transactionHash: '0xone' }));

const frames = [
  { type: 'CALL', depth: 0, parent: -1, from: sender, to: router, value: 5n, isReverted: false },
  { type: 'CALL', depth: 1, parent: 0, from: router, to: vault, value: 5n, isReverted: true },
  // Borrowed code moves nothing, and what it does is reverted with its caller.
  { type: 'DELEGATECALL', depth: 2, parent: 1, from: vault, to: maker, value: 0n, isReverted: true },
  { type: 'CREATE2', depth: 1, parent: 0, from: router, to: maker, value: 0n, isReverted: false },
];

describe('frames', () => {
  it('are the same from trees and from flat lists', async () => {
    const [fromTree] = await decodeFrames('debug', [{ txHash: '0xone', result: tree }], block);
    const [fromList] = await decodeFrames('trace', flat, block);
    expect(fromTree).toMatchObject(frames);
    expect(fromList).toMatchObject(frames);
    expect(fromTree?.at(-1)?.mentions?.()).toEqual([vault]);
  });

  it.each([
    ['a transaction is missing', 'debug', []],
    ['another transaction', 'debug', [{ txHash: '0xtwo', result: tree }]],
    ['another sender', 'debug', [{ result: { ...tree, from: vault } }]],
    ['another recipient', 'debug', [{ result: { ...tree, to: vault } }]],
    ['a transaction could not be traced', 'debug', [{ txHash: '0xone', error: 'timeout' }]],
    ['an unknown kind of frame', 'debug', [{ result: { ...tree, type: 'JUMP' } }]],
    ['no list', 'debug', { result: tree }],
    ['another block', 'trace', flat.map((item) => ({ ...item, blockHash: '0xother' }))],
    ['a gap', 'trace', flat.filter((_, place) => place !== 1)],
    ['nothing of the transaction', 'trace', []],
  ] as const)('are refused with %s', async (_, kind, raw) => {
    await expect(decodeFrames(kind, raw, block)).rejects.toThrow();
  });

  it('are refused when they fail although the transaction has logs', async () => {
    const logged = { ...block, transactions: [{ ...block.transactions[0], logs: [{}] }] } as unknown as Block;
    const failed = [{ result: { ...tree, error: 'out of gas' } }];
    await expect(decodeFrames('debug', failed, logged)).rejects.toThrow(/logs/);
  });

  it('frames of a call that goes as deep as it can are read without recursion', async () => {
    let deep: object = { type: 'CALL', from: router, to: vault, input: '0x' };
    for (let depth = 0; depth < 20_000; depth++)
      deep = { type: 'CALL', from: router, to: vault, calls: [deep] };
    const [found] = await decodeFrames('debug', [{ result: { ...tree, calls: [deep] } }], block);
    expect(found).toHaveLength(20_002);
  });

  it('frames of which texts were cut keep what they say: an error stays one, and the input its length', async () => {
    const cut = {
      ...tree,
      input: new TextHead('0x11111111aa', 900_000),
      error: new TextHead('out of', 9000),
    };
    const [found] = await decodeFrames('debug', [{ result: cut }], block);
    expect(found![0]).toMatchObject({
      input: '0x11111111aa',
      inputLength: 900_000,
      isReverted: true,
      error: 'out of',
    });
    expect(found![1]).toMatchObject({ isReverted: true });
    expect(found![1]).not.toHaveProperty('inputLength');
  });
});
