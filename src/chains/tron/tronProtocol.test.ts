import { expect, it } from 'vitest';
import type { RpcReply } from '../net/createRpc.ts';
import { amountOf } from './amountOf.ts';
import { readSolidNumber } from './tronProtocol.ts';

const solid = (number: number): RpcReply => ({
  result: { blockID: '00', block_header: { raw_data: { number, parentHash: '00', timestamp: 1 } } },
});
const refused: RpcReply = { error: { code: 405, message: 'Not allowed' } };

it.each<[string, RpcReply[], number]>([
  ['from the solidity API', [solid(7), { result: { solidityBlock: 'Num:5,ID:00' } }], 7],
  ['from the node where that is closed', [refused, { result: { solidityBlock: 'Num:5,ID:00' } }], 5],
  ['from the node where that is empty', [{ result: {} }, { result: { solidityBlock: 'Num:0,ID:00' } }], 0],
])('reads the newest solid block of Tron %s', (_, replies, expected) => {
  expect(readSolidNumber(replies)).toBe(expected);
});

it.each<[string, RpcReply[]]>([
  ['refuses both', [refused, refused]],
  ['says nothing of it', [{ result: {} }, { result: { beginSyncNum: 1 } }]],
  ['writes it in another way', [{ result: null }, { result: { solidityBlock: '5' } }]],
])('does not guess where a node %s', (_, replies) => {
  expect(() => readSolidNumber(replies)).toThrow('it does not have it yet');
});

it('takes amounts of any size, exactly', () => {
  expect([undefined, 5, '9007199254740993'].map(amountOf)).toEqual([0n, 5n, 9_007_199_254_740_993n]);
  expect(() => amountOf(9_007_199_254_740_994)).toThrow('not a whole number');
});
