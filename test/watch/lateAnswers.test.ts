import { afterEach, describe, expect, it } from 'vitest';
import { BlockUnavailable } from '../../src/chains/chainClient.ts';
import { chains } from '../../src/chains/chains.ts';
import { createEvmClient } from '../../src/chains/evm/createEvmClient.ts';
import { sql } from '../../src/lib/sql.ts';
import type { StateRead } from '../../src/model/stateRead.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import type { SimState } from '../../testing/simulator/handleRpc.ts';
import { RpcError } from '../../testing/simulator/rpcError.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { startTestWatch } from '../../testing/startTestWatch.ts';

const questions: StateRead[] = [{ type: 'balance', address: `0x${'11'.repeat(20)}` }];
const pruned = new RpcError(
  -32000,
  'missing trie node 4f3c (path ) state 0x4f3c is not available, not found',
);
const unknown = new RpcError(-32000, 'header not found');

/** By how much the clock of the clients is ahead. */
let aheadMs = 0;
const now = () => Date.now() + aheadMs;

const started: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ close }) => close()));
});

/** A chain of ten blocks and servers that know it, and a client that has seen its head. */
async function start(...states: readonly SimState[]) {
  const chain = createSimChain({ chainId: 31337, forgetsOrphans: true });
  chain.extend(10);
  const servers = await Promise.all(states.map((state) => startSimulator({ chain, state })));
  const urls = servers.map(({ url }) => url);
  const client = createEvmClient({ chain: chains.anvil, urls, now, onCall: () => {} });
  started.push(client, ...servers.map((server) => ({ close: () => server.stop() })));
  const head = (await client.header('latest'))!;
  return { chain, servers, client, head };
}

function failing(error: RpcError, times = Number.POSITIVE_INFINITY): SimState & { asked: number } {
  const state = {
    asked: 0,
    balance() {
      state.asked++;
      if (state.asked <= times) throw error;
      return 5n;
    },
  };
  return state;
}

describe('a node that does not have all of a block', () => {
  it('is asked again for what it may not have yet at the head', async () => {
    const state = failing(unknown, 2);
    const { client, head } = await start(state);
    expect(await client.readState(head, questions)).toEqual([{ value: 5n }]);
    expect(state.asked).toBe(3);
  });

  it('is asked once for what it has forgotten, and once for what is missing far below the head', async () => {
    const forgetful = failing(pruned);
    const first = await start(forgetful);
    expect(await first.client.readState(first.head, questions)).toEqual([
      { missing: pruned.message, isGone: true },
    ]);
    expect(forgetful.asked).toBe(1);
    const lacking = failing(unknown);
    const second = await start(lacking);
    const old = second.chain.at(3)!;
    expect(await second.client.readState(old, questions)).toEqual([{ missing: unknown.message }]);
    expect(lacking.asked).toBe(1);
  });

  it('delays no one who catches up with a chain after an outage', async () => {
    const chain = createSimChain({ chainId: 31337 });
    const state = failing(pruned);
    const simulator = await startSimulator({ chain, state });
    chain.extend(60);
    const vigil = await startTestWatch({ anvil: { urls: [simulator.url], startBlock: 1 } });
    try {
      const contractId = await vigil.addContract(`0x${'11'.repeat(20)}`);
      await vigil.addDetector(contractId, 'wallet_balance', {
        token: 'native',
        condition: '< 1',
        when: 'block',
      });
      vigil.watch();
      await vigil.reached('anvil', 60);
      const [fault] = await vigil.store.query<{ count: number }>(sql`select count from watch_fault`);
      // Once more at its creation, for its baseline.
      expect(fault?.count).toBe(61);
      expect(state.asked).toBeLessThanOrEqual(2 * 61);
    } finally {
      await vigil.stop();
      await simulator.stop();
    }
  });
});

describe('a question that no node survives', () => {
  const deadly = `0x${'22'.repeat(20)}`;
  const together: StateRead[] = [
    ...questions,
    { type: 'balance', address: deadly },
    { type: 'balance', address: `0x${'33'.repeat(20)}` },
  ];
  const all = [{ value: 5n }, { value: 5n }, { value: 5n }];

  it('fails alone, and rests for ever longer while no node survives it', async () => {
    let isDeadly = true;
    const { client, head } = await start({
      balance(address) {
        if (isDeadly && address === deadly) throw new Error('The whole request fails.');
        return 5n;
      },
    });
    const missing = { missing: expect.stringContaining('every node fails') };
    expect(await client.readState(head, together)).toEqual([all[0], missing, all[2]]);
    aheadMs += 10_000;
    expect(await client.readState(head, together)).toEqual([all[0], missing, all[2]]);
    isDeadly = false;
    aheadMs += 10_000;
    expect(await client.readState(head, together)).toEqual([all[0], missing, all[2]]);
    aheadMs += 10_000;
    expect(await client.readState(head, together)).toEqual(all);
  });

  it('is missing with its kind alone while nodes refuse that, and not blamed for it afterwards', async () => {
    let isOut = true;
    const { client, head } = await start({
      balance: () => 5n,
      call() {
        if (isOut) throw new Error('The whole request fails.');
        return '0x';
      },
    });
    const call: StateRead = { type: 'call', to: deadly, data: '0x' };
    for (let n = 0; n < 8; n++) {
      const missing = { missing: 'no node answers a call at the moment' };
      expect(await client.readState(head, [...together, call])).toEqual([...all, missing]);
      aheadMs += 10_000;
    }
    isOut = false;
    expect(await client.readState(head, [...together, call])).toEqual([...all, { value: { data: '0x' } }]);
  });

  it('is missing for as long as it is only asked too often', async () => {
    const limit = new RpcError(-32005, 'too many requests');
    const { client, head } = await start(failing(limit, 3 * 8));
    for (let n = 0; n < 8; n++) {
      const missing = { missing: 'nodes limit how often they are asked this' };
      expect(await client.readState(head, together)).toEqual([missing, missing, missing]);
      aheadMs += 10_000;
    }
    expect(await client.readState(head, together)).toEqual(all);
  });
});

it('gets receipts one by one from a node that fails at those of a whole block', async () => {
  const { chain, client, servers } = await start({});
  const [block] = chain.extend({ txs: [{}, {}, {}] });
  servers[0]!.setFaults({ methods: ['eth_getBlockReceipts'], emptyReply: true });
  const receipts = block!.transactionHashes.map((hash): StateRead => ({ type: 'receipt', hash }));
  const answers = await client.readState(block!, receipts);
  expect(answers).toEqual(receipts.map(() => ({ value: expect.objectContaining({ isSuccess: true }) })));
});

it('asks for any number of things in requests of a size that nodes take', async () => {
  const { client, head, servers } = await start({ balance: () => 5n });
  const before = servers[0]!.requests;
  const many = Array.from({ length: 1050 }, (_, n): StateRead => {
    return { type: 'balance', address: `0x${n.toString(16).padStart(40, '0')}` };
  });
  expect(await client.readState(head, many)).toEqual(many.map(() => ({ value: 5n })));
  // One more looks for the contract that reads many in one call.
  expect(servers[0]!.requests - before).toBe(11 + 1);
});

describe('a node that is behind', () => {
  it('is waited for, and its block not taken for one that was reorganised away', async () => {
    const { client, head, servers } = await start({ balance: () => 5n });
    servers[0]!.setFaults({ behind: 1 });
    setTimeout(() => servers[0]!.setFaults({}), 300);
    expect(await client.readState(head, questions)).toEqual([{ value: 5n }]);
  });

  it('does not make a block gone that another node has', async () => {
    const { client, head, servers } = await start({ balance: () => 5n }, failing(pruned));
    servers[0]!.setFaults({ behind: 1 });
    expect(await client.readState(head, questions)).toEqual([{ missing: expect.any(String) }]);
  });

  it('costs no block what is in it: while no node has it, the chain is looked at again', async () => {
    const { client, head, servers } = await start({ balance: () => 5n });
    servers[0]!.setFaults({ behind: 1 });
    await expect(client.readState(head, questions)).rejects.toThrow(BlockUnavailable);
  });
});

it('says at once that a block is gone when another stands in its place', async () => {
  const { chain, client, head, servers } = await start({ balance: () => 5n });
  chain.fork(8, 4);
  const before = servers[0]!.requests;
  await expect(client.readState(head, questions)).rejects.toThrow('is not part of the chain any more');
  // The question, and which block stands there; nothing is asked again.
  expect(servers[0]!.requests - before).toBe(2);
});
