import { describe, expect, it } from 'vitest';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { createTransactor } from './createTransactor.ts';

describe('the progress of transactions on Solana', () => {
  const sent = [{ from: 'A', hash: 'S', raw: '', place: { anchor: 'B 100' }, signedAt: 0, validUntil: 100 }];
  const found = { slot: 90, meta: { err: null, preBalances: [10], postBalances: [4] } };

  function progressOf(status: unknown, transaction: unknown) {
    const results: Readonly<Record<string, unknown>> = {
      getBlockHeight: 150,
      getSlot: 170,
      getSignatureStatuses: { value: [status] },
      getTransaction: transaction,
      getBlock: { blockhash: 'H' },
    };
    const request: Endpoints['request'] = async (calls, accept) =>
      accept(
        calls.map(({ method }): RpcReply => ({ result: results[method] })),
        () => {},
      );
    return createTransactor({ request } as Endpoints, () => 0).progress(sent);
  }

  it('is that it is in a block, or in none', async () => {
    const mined = { isSuccess: true, blockNumber: 90, blockHash: 'H', cost: 6n };
    expect(await progressOf({ slot: 90, confirmationStatus: 'finalized' }, found)).toEqual({
      head: 170,
      final: 150,
      mined: [mined],
    });
    expect((await progressOf(null, null)).mined).toEqual([null]);
  });

  it.each([
    ['has it in a block that it cannot read', null],
    ['has it in two slots', { ...found, slot: 91 }],
  ])('is not known while a node %s', async (_, transaction) => {
    await expect(progressOf({ slot: 90, confirmationStatus: 'finalized' }, transaction)).rejects.toThrow(
      'it does not have it yet',
    );
  });
});
