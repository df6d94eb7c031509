import { expect, it } from 'vitest';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { createdAddress } from './createdAddress.ts';
import { findOrigin } from './findOrigin.ts';

const account = (digit: string) => `0x${digit.repeat(40)}`;
const [holder, giver, sender] = ['a', 'b', 'c'].map(account) as [string, string, string];
const token = createdAddress(giver, 3);
const head = 50_000;
const held = `0x${'5'.padStart(64, '0')}`;
const refusal = { error: { code: -32602, message: 'block range is too wide' } };
const pruned = { error: { code: -32000, message: 'missing trie node' } };

/** A node that answers for so many blocks of logs, and has so many states. */
function openNode({ range, states }: { range: number; states: number }) {
  const ranges: number[] = [];
  const answer = ({ method, params }: RpcCall): RpcReply => {
    const [first, second] = params as [unknown, string];
    if (method === 'eth_getLogs') {
      const { fromBlock, address } = first as { fromBlock: string; address: string };
      const blocks = head - Number(fromBlock);
      ranges.push(blocks);
      if (blocks > range) return refusal;
      return {
        result:
          address === token ? [{ address, transactionHash: '0x1', blockNumber: '0xc000', data: held }] : [],
      };
    }
    if (method === 'eth_getTransactionByHash') return { result: { from: giver } };
    if (method === 'eth_getTransactionCount') return { result: '0x5' };
    if (method === 'eth_getBlockByNumber') return { result: {} };
    if (head - Number(second) > states) return pruned;
    return { result: method === 'eth_getCode' ? '0x60' : method === 'eth_call' ? held : '0x1' };
  };
  const request: Endpoints['request'] = async (calls, accept) => accept(calls.map(answer), () => {});
  return { request, ranges };
}

const query = { token, holder, senders: [sender], accounts: [token] };
const ask = (node: ReturnType<typeof openNode>) =>
  findOrigin(node, 12_000, { number: head, hash: '0x' }, query);

it('looks back a day, and names who gave it and what they made', async () => {
  const node = openNode({ range: 100_000, states: 100_000 });
  expect(await ask(node)).toEqual({
    wasHeld: true,
    givers: [{ address: giver, hadCoins: true, made: [token] }],
    senders: [{ address: sender, hadCoins: true, made: [] }],
  });
  expect(new Set(node.ranges)).toEqual(new Set([7200]));
});

it('looks back less where nodes answer for fewer blocks or have fewer states', async () => {
  const node = openNode({ range: 1000, states: 128 });
  expect(await ask(node)).toMatchObject({ wasHeld: true, givers: [{ address: giver }] });
  expect(new Set(node.ranges)).toEqual(new Set([7200, 1000]));
});

it('does not say what was held where no node has a state of before', async () => {
  expect(await ask(openNode({ range: 1000, states: 0 }))).toMatchObject({
    wasHeld: undefined,
    givers: [{ hadCoins: undefined }],
  });
});

it('fails where no node shows logs of before', async () => {
  await expect(ask(openNode({ range: 0, states: 0 }))).rejects.toThrow();
});
