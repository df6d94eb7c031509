import { base58, base64 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { chains } from './chains.ts';
import { createEndpoints } from './net/createEndpoints.ts';
import { type Rpc, RpcFailure } from './net/createRpc.ts';
import { createTransactor as createSolanaTransactor } from './solana/createTransactor.ts';
import { encodeMessage, encodeTransaction } from './solana/message.ts';
import type { Expiry, SentTransaction } from './transactor.ts';
import { createTransactor as createTronTransactor } from './tron/createTransactor.ts';
import { createTransactor as createVechainTransactor } from './vechain/createTransactor.ts';

/** What one node says: its final block, and whether it has the transaction. */
type Node = { final: number; isMined?: boolean; isValid?: boolean } | 'dead' | 'behind';

function connect(
  nodes: readonly Node[],
  answer: (node: Exclude<Node, string>, method: string, rest: unknown) => unknown,
) {
  return createEndpoints({
    urls: nodes.map((_, place) => `http://node/${place}`),
    connect: (url): Rpc => ({
      name: url,
      async batch(calls) {
        const node = nodes[Number(new URL(url).pathname.slice(1))] ?? 'dead';
        if (node === 'dead') throw new RpcFailure('the connection failed');
        return calls.map(({ method, params }) => {
          if (node === 'behind') return { error: { code: -1, message: 'it is not ready' } };
          const [path, body] = params as readonly unknown[];
          return { result: answer(node, method, path ?? body) };
        });
      },
      blame: () => {},
      close: async () => {},
    }),
    newest: { call: { method: 'newest', params: [] }, read: Number },
    blockTimeMs: 1000,
    now: () => 0,
    onCall: () => {},
  });
}

const blockhash = base58.encode(new Uint8Array(32).fill(3));
const owner = base58.encode(new Uint8Array(32).fill(9));
const { bytes } = encodeMessage(owner, blockhash, [{ program: owner, accounts: [], data: new Uint8Array() }]);
const sent: SentTransaction = {
  from: owner,
  hash: 'H',
  raw: base64.encode(encodeTransaction([new Uint8Array(64)], bytes)),
  place: { anchor: '' },
  signedAt: 0,
  validUntil: 100,
};

const families: Record<string, (nodes: readonly Node[]) => Promise<Expiry[]>> = {
  solana: (nodes) =>
    createSolanaTransactor(
      connect(nodes, ({ final, isMined, isValid = final <= 100 }, method, first) => {
        if (method === 'getBlockHeight' || method === 'getSlot') return final;
        if (method === 'isBlockhashValid') return { value: first === blockhash ? isValid : false };
        if (method === 'getBlock') return { blockhash: 'B' };
        if (method === 'getTransaction')
          return { slot: 90, meta: { err: null, preBalances: [2], postBalances: [1] } };
        return { value: [isMined ? { slot: 90, confirmationStatus: 'finalized' } : null] };
      }),
      () => 0,
    ).findExpired([sent]),
  vechain: (nodes) =>
    createVechainTransactor(
      connect(nodes, ({ final, isMined }, method) => {
        const block = { number: final, id: '0x1', parentID: '0x0', timestamp: 1 };
        if (!method.endsWith('/transactions')) return block;
        return isMined ? { reverted: false, paid: '0x1', meta: { blockNumber: 90, blockID: '0x2' } } : null;
      }),
      chains.vechain,
    ).findExpired([sent]),
  tron: (nodes) =>
    createTronTransactor(
      connect(nodes, ({ final, isMined }, method) => {
        const header = { number: 7, parentHash: '00', timestamp: final };
        if (method.endsWith('gettransactioninfobyid'))
          return isMined ? { blockNumber: 7, fee: 1, receipt: {} } : {};
        return { blockID: '01', block_header: { raw_data: header } };
      }),
      chains.tron,
    ).findExpired([sent]),
};

describe.each(Object.entries(families))(
  'a transaction of %s that nodes are asked about',
  (_name, findExpired) => {
    it.each<[string, readonly Node[], unknown]>([
      ['has expired when all say so', [{ final: 101 }, { final: 150 }], 'expired'],
      ['has expired when the only node says so', [{ final: 101 }], 'expired'],
      [
        'is in a block when one has it there',
        [{ final: 101 }, { final: 101, isMined: true }],
        { mined: { isSuccess: true } },
      ],
      ['has not when one is not as far', [{ final: 9_999_999 }, { final: 100 }], 'open'],
      ['has expired when all that can be reached say so', ['dead', { final: 101 }], 'expired'],
    ])('%s', async (_why, nodes, expected) => {
      expect(await findExpired(nodes)).toMatchObject([expected]);
    });

    it('is waited for when a node answers with an error, or none answers', async () => {
      await expect(findExpired([{ final: 101 }, 'behind'])).rejects.toThrow();
      await expect(findExpired(['dead'])).rejects.toThrow('No endpoint of the chain answers');
    });
  },
);

it('a blockhash that one node still takes has not expired, until when it was said to be valid or not', async () => {
  expect(await families.solana?.([{ final: 101 }, { final: 101, isValid: true }])).toEqual(['open']);
});
