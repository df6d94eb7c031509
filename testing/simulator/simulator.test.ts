import { once } from 'node:events';
import { Bloom } from 'ox';
import { Agent, fetch, WebSocket } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { artifacts } from '../contracts/artifacts.ts';
import { startAnvil } from '../startAnvil.ts';
import type { WireLog } from './buildBlock.ts';
import { createSimChain } from './createSimChain.ts';
import { RpcError } from './rpcError.ts';
import { startSimulator } from './startSimulator.ts';
import { syntheticBlock } from './syntheticBlock.ts';
import { toBloom } from './toBloom.ts';

type Reply = { id?: number; result?: unknown; error?: { code: number; message: string; data?: string } };
type Options = Parameters<typeof startSimulator>[0];

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(options: Options) {
  const simulator = await startSimulator(options);
  const dispatcher = new Agent();
  stops.push(async () => {
    await dispatcher.destroy();
    await simulator.stop();
  });
  const post = (body: unknown, timeoutMs = 5_000) =>
    fetch(simulator.url, {
      method: 'POST',
      body: JSON.stringify(body),
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    });
  const ask = async (method: string, ...params: unknown[]) =>
    (await (await post({ id: 1, method, params })).json()) as Reply;
  return { ...simulator, post, ask };
}

const address = '0x00000000000000000000000000000000000000aa';
const topic = `0x${'11'.repeat(32)}`;
const log = { address, topics: [topic], data: '0x01' };

describe('createSimChain', () => {
  it('gives the same chain for the same script, linked by parent hashes', () => {
    const create = (seed: number) => {
      const chain = createSimChain({ chainId: 1, seed, startNumber: 100 });
      chain.extend(5);
      chain.fork(103, [{ logs: [log] }, {}]);
      return chain.blocks;
    };
    expect(create(7)).toEqual(create(7));
    expect(create(7).at(-1)?.hash).not.toBe(create(8).at(-1)?.hash);
    const blocks = create(7);
    expect(blocks.map(({ number }) => number)).toEqual([100, 101, 102, 103, 104, 105]);
    expect(blocks.slice(1).map(({ parentHash }) => parentHash)).toEqual(
      blocks.slice(0, -1).map(({ hash }) => hash),
    );
  });

  it('replaces what a fork drops, keeps or forgets it, and refuses to fork below what is final', () => {
    for (const forgetsOrphans of [false, true]) {
      const chain = createSimChain({ chainId: 1, forgetsOrphans });
      const hash = `0x${'77'.repeat(32)}`;
      const [, , dropped] = chain.extend([{}, {}, { txs: [{ hash }] }]);
      expect(chain.findTransaction(hash)?.block).toBe(dropped);
      const [, moved] = chain.fork(2, [{}, { txs: [{ hash }] }]);
      expect(chain.findTransaction(hash)?.block).toBe(moved);
      expect(chain.byHash(dropped!.hash)).toBe(forgetsOrphans ? undefined : dropped);
      chain.finalize(3);
      expect(() => chain.fork(2, 3)).toThrow('Block 3 is final');
    }
  });

  it('returns to a branch that it left, whose blocks are the same again', () => {
    const chain = createSimChain({ chainId: 1 });
    const left = chain.extend(3);
    chain.fork(1, 5);
    chain.adopt(left[2]!);
    expect(chain.blocks.slice(1)).toEqual(left);
    expect(chain.extend(1)[0]).toMatchObject({ number: 4, parentHash: left[2]!.hash });
  });

  it('computes the bloom that a real node computes', async () => {
    const anvil = await startAnvil();
    stops.push(() => anvil.stop());
    const victim = await anvil.deploy(artifacts.Victim);
    const { logs, blockHash } = await victim.send(anvil.accounts[1], 'pingMany', 5n);
    const block = await anvil.rpc<{ logsBloom: string }>('eth_getBlockByHash', blockHash, false);
    expect(toBloom(logs)).toBe(block.logsBloom);
  });
});

describe('startSimulator', () => {
  it('answers for blocks, logs, transactions and receipts, by number, tag and hash', async () => {
    const chain = createSimChain({ chainId: 5 });
    chain.extend([
      {},
      {
        txs: [
          { to: null, status: false },
          { to: address, logs: [log, log] },
        ],
      },
      {},
    ]);
    chain.finalize(1);
    const { ask, calls } = await start({ chain });
    expect(await ask('eth_chainId')).toMatchObject({ result: '0x5' });
    expect(await ask('eth_blockNumber')).toMatchObject({ result: '0x3' });
    const { hash } = chain.at(2)!;
    for (const [method, key] of [
      ['eth_getBlockByNumber', '0x2'],
      ['eth_getBlockByHash', hash],
    ] as const) {
      expect(await ask(method, key, true)).toMatchObject({
        result: { hash, transactions: [{ to: null }, {}] },
      });
      expect(await ask(method, key, false)).toMatchObject({
        result: { hash, transactions: chain.at(2)?.transactionHashes },
      });
    }
    expect(await ask('eth_getBlockByNumber', 'finalized', false)).toMatchObject({
      result: { number: '0x1' },
    });
    expect(await ask('eth_getBlockByNumber', '0x9', false)).toMatchObject({ result: null });
    const tx = chain.at(2)!.transactionHashes[1];
    expect(await ask('eth_getTransactionByHash', tx)).toMatchObject({
      result: { blockHash: hash, to: address },
    });
    expect(await ask('eth_getTransactionReceipt', tx)).toMatchObject({
      result: { status: '0x1', logs: [{}, {}] },
    });
    expect(await ask('eth_getBlockReceipts', '0x2')).toMatchObject({ result: [{ status: '0x0' }, {}] });
    expect((await ask('eth_mine')).error?.code).toBe(-32601);
    expect(calls.get('eth_getBlockByNumber')).toBe(4);
  });

  it('finds logs by block hash and by range, filtered by address and topics', async () => {
    const chain = createSimChain({ chainId: 1 });
    const other = { address: `0x${'bb'.repeat(20)}`, topics: [`0x${'22'.repeat(32)}`, topic] };
    chain.extend([{ logs: [log, other] }, { logs: [other] }]);
    const { ask } = await start({ chain });
    const count = async (filter: object) => ((await ask('eth_getLogs', filter)).result as WireLog[]).length;
    expect(await count({ blockHash: chain.at(1)?.hash })).toBe(2);
    expect(await count({ fromBlock: '0x0', toBlock: 'latest' })).toBe(3);
    expect(await count({ fromBlock: '0x0', toBlock: '0x63', address: [other.address] })).toBe(2);
    expect(await count({ fromBlock: '0x1', toBlock: '0x2', topics: [[topic, other.topics[0]]] })).toBe(3);
    expect(await count({ fromBlock: '0x1', toBlock: '0x2', topics: [null, topic] })).toBe(2);
    expect(await count({ fromBlock: '0x1', toBlock: '0x1', address, topics: [topic] })).toBe(1);
    expect((await ask('eth_getLogs', { blockHash: topic })).error?.message).toBe('unknown block');
  });

  it('asks the given state at the block that the call names, also as an EIP-1898 object', async () => {
    const chain = createSimChain({ chainId: 1 });
    const [one, two] = chain.extend(2);
    const { ask } = await start({
      chain,
      state: {
        call: ({ data }, { number }) => {
          if (data === '0xdead') throw new RpcError(3, 'execution reverted', '0x08c379a0');
          return `0x0${number}`;
        },
        balance: (_, { number }) => BigInt(number) * 10n,
      },
    });
    expect(await ask('eth_call', { to: address }, { blockHash: one?.hash })).toMatchObject({
      result: '0x01',
    });
    expect(await ask('eth_call', { to: address }, { blockNumber: '0x2' })).toMatchObject({ result: '0x02' });
    expect(await ask('eth_call', { data: '0xdead' }, 'latest')).toMatchObject({
      error: { code: 3, data: '0x08c379a0' },
    });
    expect(await ask('eth_getBalance', address, 'latest')).toMatchObject({ result: '0x14' });
    expect(await ask('eth_getCode', address, 'latest')).toMatchObject({ result: '0x' });
    chain.fork(1, 1);
    const orphan = { blockHash: two?.hash };
    expect(await ask('eth_call', {}, orphan)).toMatchObject({ result: '0x02' });
    expect((await ask('eth_call', {}, { ...orphan, requireCanonical: true })).error?.message).toBe(
      'header not found',
    );
  });

  it('answers a batch in its order, as one request', async () => {
    const simulator = await startSimulator({ chain: createSimChain({ chainId: 1 }) });
    stops.push(() => simulator.stop());
    const batch = ['eth_chainId', 'nothing', 'eth_blockNumber'].map((method, id) => ({
      id,
      method,
      params: [],
    }));
    const reply = await fetch(simulator.url, { method: 'POST', body: JSON.stringify(batch) });
    expect(await reply.json()).toMatchObject([{ id: 0, result: '0x1' }, { id: 1, error: {} }, { id: 2 }]);
    expect(simulator.requests).toBe(1);
    expect(simulator.calls.size).toBe(3);
  });

  it('publishes new heads over a WebSocket, the branch of a fork too, and answers calls there', async () => {
    const chain = createSimChain({ chainId: 1 });
    const { wsUrl, setFaults } = await start({ chain });
    const socket = new WebSocket(wsUrl);
    await once(socket, 'open');
    const messages: { id?: number; result?: unknown; params?: { result: { hash: string } } }[] = [];
    socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    // Longer than 65,535 bytes, for every form of a frame's length.
    socket.send(JSON.stringify({ id: 2, method: 'eth_chainId', params: ['x'.repeat(70_000)] }));
    await expect.poll(() => messages.length).toBe(2);
    expect(messages).toMatchObject([{ id: 1 }, { id: 2, result: '0x1' }]);
    const published = [...chain.extend(2), ...chain.fork(1, 2)];
    setFaults({ behind: 1 });
    chain.extend(2);
    await expect.poll(() => messages.length).toBe(7);
    expect(messages.slice(2).map(({ params }) => params?.result.hash)).toEqual([
      ...published.map(({ hash }) => hash),
      chain.at(4)?.hash,
    ]);
    socket.close();
  });
});

describe('faults', () => {
  const chain = createSimChain({ chainId: 1 });
  chain.extend([{}, { logs: [log] }, { logs: [log, log] }]);
  const latest = { fromBlock: 'latest', toBlock: 'latest' };

  it('strike one server of a chain and not another, and can be taken back', async () => {
    const good = await start({ chain });
    const bad = await start({ chain, faults: { dead: true } });
    await expect(bad.ask('eth_chainId')).rejects.toThrow();
    expect(await good.ask('eth_chainId')).toMatchObject({ result: '0x1' });
    bad.setFaults({});
    expect(await bad.ask('eth_chainId')).toMatchObject({ result: '0x1' });
    bad.setFaults({ hang: true });
    await expect(bad.post({ id: 1, method: 'eth_chainId' }, 100)).rejects.toThrow('timeout');
    bad.setFaults({ hang: true, methods: ['eth_getLogs'] });
    expect(await bad.ask('eth_chainId')).toMatchObject({ result: '0x1' });
  });

  it('spoil the transport: 429, an empty body, half an answer, errors and delay', async () => {
    const { post, ask, setFaults } = await start({ chain });
    const request = { id: 1, method: 'eth_chainId' };
    setFaults({ rateLimit: 1 });
    expect((await post(request)).status).toBe(429);
    setFaults({ emptyReply: true });
    expect(await (await post(request)).text()).toBe('');
    setFaults({ badJson: true });
    await expect(ask('eth_chainId')).rejects.toThrow('JSON');
    setFaults({ errorRate: 0.5 });
    const replies = await Promise.all(Array.from({ length: 40 }, () => ask('eth_chainId')));
    const failed = replies.filter(({ error }) => error?.code === -32603).length;
    expect(failed).toBeGreaterThan(5);
    expect(failed).toBeLessThan(35);
    setFaults({ latencyMs: [60, 80] });
    const before = performance.now();
    await ask('eth_chainId');
    expect(performance.now() - before).toBeGreaterThan(55);
  });

  it('lie about the chain: wrong id, an old head, logs missing, of another block, too few or too many', async () => {
    const { ask, setFaults } = await start({ chain, faults: { wrongChainId: 9 } });
    expect(await ask('eth_chainId')).toMatchObject({ result: '0x9' });
    setFaults({ stuckAt: 1 });
    expect(await ask('eth_getBlockByNumber', 'latest', true)).toMatchObject({ result: { number: '0x1' } });
    expect(await ask('eth_getBlockByHash', chain.head.hash, true)).toMatchObject({ result: null });
    setFaults({ behind: 2 });
    expect(await ask('eth_blockNumber')).toMatchObject({ result: '0x1' });
    setFaults({ missingLogs: true });
    expect(await ask('eth_getLogs', latest)).toMatchObject({ result: [] });
    const { result } = await ask('eth_getBlockByNumber', 'latest', false);
    expect(Bloom.contains((result as { logsBloom: `0x${string}` }).logsBloom, address)).toBe(true);
    setFaults({ lyingLogs: 'otherBlock' });
    expect(((await ask('eth_getLogs', latest)).result as WireLog[])[0]?.blockHash).not.toBe(chain.head.hash);
    for (const [lyingLogs, length] of [
      ['truncated', 1],
      ['invented', 3],
    ] as const) {
      setFaults({ lyingLogs });
      expect((await ask('eth_getLogs', latest)).result).toHaveLength(length);
    }
  });
});

describe('syntheticBlock', () => {
  it('is like a block of mainnet, the same for the same seed, with the hits in it', async () => {
    expect(syntheticBlock(1, 2)).toEqual(syntheticBlock(1, 2));
    expect(syntheticBlock(1, 2)).not.toEqual(syntheticBlock(1, 3));
    const chain = createSimChain({ chainId: 1, startNumber: 20_000_000 });
    chain.extend(syntheticBlock(1, 2, { hits: [log, log, log] }));
    const { ask } = await start({ chain });
    const { result: block } = await ask('eth_getBlockByNumber', 'latest', true);
    const { result } = await ask('eth_getLogs', { blockHash: chain.head.hash });
    const logs = result as WireLog[];
    expect((block as { transactions: unknown[] }).transactions).toHaveLength(180);
    expect(logs).toHaveLength(450);
    expect(logs.filter((one) => one.address === address)).toHaveLength(3);
    expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual(Array.from({ length: 450 }, (_, at) => at));
    expect(new Set(logs.map((one) => one.address)).size).toBeGreaterThan(150);
  });
});
