import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTransactor as createBitcoinTransactor } from './bitcoin/createTransactor.ts';
import { chains } from './chains.ts';
import { createTransactor as createEvmTransactor } from './evm/createTransactor.ts';
import { createTransactor as createIcpTransactor } from './icp/createTransactor.ts';
import { createEndpoints, type Endpoints } from './net/createEndpoints.ts';
import { type Rpc, RpcFailure, type RpcReply } from './net/createRpc.ts';
import { createTransactor as createSolanaTransactor } from './solana/createTransactor.ts';
import { createTransactor as createStellarTransactor } from './stellar/createTransactor.ts';
import { createNetwork } from './stellar/network.ts';
import { encodeXdr } from './stellar/xdr.ts';
import type { Transactor } from './transactor.ts';
import { createTransactor as createTronTransactor } from './tron/createTransactor.ts';
import { createTransactor as createVechainTransactor } from './vechain/createTransactor.ts';

type Node = 'takes' | 'refuses' | 'dead' | 'silent';

const refusal = { error: { code: -1, message: 'the pool is full' } };
const notAsked = () => Promise.reject(new Error('It is not asked.'));
/** Two transactions of Stellar that differ in their number. */
const envelopes = ['1', '2'].map((seq_num) =>
  encodeXdr('TransactionEnvelope', {
    tx: {
      tx: {
        source_account: 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7',
        fee: 100,
        seq_num,
        cond: 'none',
        memo: 'none',
        operations: [],
        ext: 'v0',
      },
      signatures: [],
    },
  }),
);
type Row = {
  make: (endpoints: Endpoints) => Transactor;
  refusal: RpcReply;
  taken?: RpcReply;
  reason?: string;
  raws?: readonly string[];
};
const families: Record<string, Row> = {
  evm: { make: (endpoints) => createEvmTransactor(endpoints, chains.ethereum), refusal },
  vechain: { make: (endpoints) => createVechainTransactor(endpoints, chains.vechain), refusal },
  tron: {
    make: (endpoints) => createTronTransactor(endpoints, chains.tron),
    refusal: { result: { code: 'the pool is full' } },
  },
  bitcoin: {
    make: (endpoints) => createBitcoinTransactor(endpoints, notAsked),
    refusal,
  },
  solana: { make: (endpoints) => createSolanaTransactor(endpoints, () => 0), refusal },
  stellar: {
    make: (endpoints) => createStellarTransactor(endpoints, createNetwork('Test'), notAsked, () => 0),
    taken: { result: { status: 'PENDING' } },
    refusal: { result: { status: 'TRY_AGAIN_LATER' } },
    reason: 'another transaction of the account waits for its ledger',
    raws: envelopes,
  },
  icp: {
    make: (endpoints) =>
      createIcpTransactor(
        endpoints,
        () => 0,
        () => {
          throw new Error('It is not asked.');
        },
      ),
    refusal,
    raws: ['0a0b', '0a0bff'].map((call) => JSON.stringify({ canister: 'aaaaa-aa', call })),
  },
};

afterEach(() => {
  vi.useRealTimers();
});

describe.each(Object.entries(families))('a transaction of %s', (_family, row) => {
  const { make, refusal, taken = { result: { result: true } }, reason = 'the pool is full' } = row;
  const raws = row.raws ?? ['0a0b', '0a0bff'];

  /** The outcome, and which nodes were sent the transactions. */
  async function broadcast(...nodes: Node[]) {
    const reached: number[] = [];
    const endpoints = createEndpoints({
      urls: nodes.map((_, place) => `http://node/${place}`),
      connect: (url): Rpc => ({
        name: url,
        async batch(calls) {
          const place = Number(new URL(url).pathname.slice(1));
          // Whether it is in a ledger already.
          if (calls[0]?.method === 'getTransaction')
            return calls.map(() => ({ result: { status: 'NOT_FOUND' } }));
          expect(calls).toHaveLength(raws.length);
          reached.push(place);
          if (nodes[place] === 'dead') throw new RpcFailure('the connection failed');
          if (nodes[place] === 'silent') return new Promise(() => {});
          return calls.map(() => (nodes[place] === 'refuses' ? refusal : taken));
        },
        blame: () => {},
        close: async () => {},
      }),
      newest: { call: { method: 'newest', params: [] }, read: Number },
      blockTimeMs: 1000,
      now: () => 0,
      onCall: () => {},
    });
    vi.useFakeTimers();
    const outcome = make(endpoints).broadcast(raws);
    await vi.advanceTimersByTimeAsync(1000);
    return { reached, outcome };
  }

  it('is sent to every endpoint, of which one may swallow it', async () => {
    const { reached, outcome } = await broadcast('takes', 'takes', 'dead', 'refuses');
    expect(reached).toEqual([0, 1, 2, 3]);
    expect(await outcome).toEqual([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
  });

  it('does not wait for an endpoint that is silent', async () => {
    const { reached, outcome } = await broadcast('silent', 'takes');
    expect(reached).toEqual([0, 1]);
    expect(await outcome).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
  });

  it('is refused when all that answer refuse it', async () => {
    const { outcome } = await broadcast('refuses', 'dead', 'refuses');
    expect(await outcome).toMatchObject([{ reason }, { reason }]);
  });
});

it('a transaction that no endpoint answers is tried again later', async () => {
  const { make } = families.solana!;
  const endpoints = createEndpoints({
    urls: ['http://node/'],
    connect: (): Rpc => ({
      name: 'node',
      batch: () => Promise.reject(new RpcFailure('the connection failed')),
      blame: () => {},
      close: async () => {},
    }),
    newest: { call: { method: 'newest', params: [] }, read: Number },
    blockTimeMs: 1000,
    now: () => 0,
    onCall: () => {},
  });
  await expect(make(endpoints).broadcast(['0a0b'])).rejects.toThrow(
    'No endpoint of the chain answers. node: the connection failed',
  );
});
