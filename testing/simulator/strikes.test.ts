import { once } from 'node:events';
import type { Hex } from 'ox';
import { Agent, fetch, WebSocket } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { createMempool } from './createMempool.ts';
import { createSimChain } from './createSimChain.ts';
import type { Faults } from './faults.ts';
import { addressOf, signTransfer } from './signTransfer.ts';
import { startSimulator } from './startSimulator.ts';
import { randomStrikes, type Strike } from './strikes.ts';

const chainId = 1;
const key: Hex.Hex = `0x${'31'.repeat(32)}`;
const sender = addressOf(key);
const raws = Array.from({ length: 8 }, (_, nonce) => signTransfer({ key, chainId, nonce }));

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(faults: Faults) {
  const chain = createSimChain({ chainId });
  const mempool = createMempool(chain, { balances: { [sender]: 10n ** 20n } });
  const simulator = await startSimulator({ chain, mempool, faults });
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
  const submit = async (nonce: number, timeoutMs?: number) => {
    const reply = await post(
      { id: nonce, method: 'eth_sendRawTransaction', params: [raws[nonce]] },
      timeoutMs,
    );
    return reply.status === 200
      ? ((await reply.json()) as { result?: string; error?: object })
      : reply.status;
  };
  const outcomes = () => mempool.arrivals.map(({ outcome }) => outcome);
  return { chain, mempool, simulator, post, submit, outcomes };
}

/** Strikes the first transaction that is sent, and nothing else. */
const first = (strike: Strike) => ({
  strikes: (method: string, nth: number) =>
    method === 'eth_sendRawTransaction' && nth === 1 ? strike : undefined,
});

describe('a strike', () => {
  it('loses the request, which is not executed', async () => {
    for (const [strike, error] of [
      ['loseRequest', 'fetch failed'],
      ['swallowRequest', 'timeout'],
    ] as const) {
      const { submit, outcomes, mempool } = await start(first(strike));
      await expect(submit(0, 300)).rejects.toThrow(error);
      expect(mempool.pending(sender)).toEqual([]);
      expect(await submit(0)).toHaveProperty('result');
      expect(outcomes()).toEqual(['lost', 'accepted']);
    }
  });

  it('loses the answer to a request that is executed', async () => {
    for (const [strike, error] of [
      ['loseReply', 'fetch failed'],
      ['swallowReply', 'timeout'],
    ] as const) {
      const { submit, outcomes, mempool } = await start(first(strike));
      await expect(submit(0, 300)).rejects.toThrow(error);
      expect(mempool.pending(sender)).toHaveLength(1);
      expect(await submit(0)).toMatchObject({ error: { message: 'already known' } });
      expect(outcomes()).toEqual(['accepted', 'already known']);
    }
  });

  it('answers with a status, having executed the request behind 504 only', async () => {
    for (const status of [429, 500, 504] as const) {
      const { submit, outcomes } = await start(first(status));
      expect(await submit(0)).toBe(status);
      expect(outcomes()).toEqual([status === 504 ? 'accepted' : 'lost']);
    }
  });

  it('executes a request twice, and notifies a WebSocket twice', async () => {
    const { submit, simulator, outcomes } = await start({
      strikes: (method) => (method === 'eth_sendRawTransaction' ? 'repeat' : undefined),
    });
    expect(await submit(0)).toMatchObject({ error: { message: 'already known' } });
    const socket = new WebSocket(simulator.wsUrl);
    await once(socket, 'open');
    const messages: unknown[] = [];
    socket.addEventListener('message', ({ data }) => messages.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ id: 1, method: 'eth_sendRawTransaction', params: [raws[1]] }));
    await expect.poll(() => messages.length).toBe(2);
    expect(messages).toMatchObject([
      { id: 1, result: expect.stringMatching(/^0x/) },
      { id: 1, error: { message: 'already known' } },
    ]);
    expect(outcomes()).toEqual(['accepted', 'already known', 'accepted', 'already known']);
    socket.close();
  });

  it('lets the next request overtake, turns a batch round, and delays execution or only the answer', async () => {
    const overtaken = await start(first('overtaken'));
    await Promise.all([overtaken.submit(0), overtaken.submit(1)]);
    expect(overtaken.mempool.arrivals.map(({ tx }) => tx.nonce)).toEqual([1, 0]);

    const turned = await start(first('reverse'));
    const batch = [0, 1].map((id) => ({ id, method: 'eth_sendRawTransaction', params: [raws[id]] }));
    expect(await (await turned.post(batch)).json()).toMatchObject([{ id: 1 }, { id: 0 }]);
    expect(turned.mempool.arrivals.map(({ tx }) => tx.nonce)).toEqual([1, 0]);

    for (const [strike, nonces] of [
      [{ delayMs: 1000 }, [1, 0]],
      [{ lateMs: 1000 }, [0, 1]],
    ] as const) {
      const { submit, mempool, simulator } = await start(first(strike));
      const answered: number[] = [];
      const send = async (nonce: number) => {
        await submit(nonce);
        answered.push(nonce);
      };
      const slow = send(0);
      await expect.poll(() => simulator.calls.get('eth_sendRawTransaction')).toBe(1);
      await Promise.all([slow, send(1)]);
      expect(answered).toEqual([1, 0]);
      expect(mempool.arrivals.map(({ tx }) => tx.nonce)).toEqual(nonces);
    }
  });

  it('is drawn by chance at the shares given, the same for the same seed', () => {
    const draw = (seed: number) => {
      const strikes = randomStrikes(
        seed,
        [
          [0.2, 'loseReply'],
          [0.3, { delayMs: 10 }],
        ],
        ['eth_call'],
      );
      return Array.from({ length: 2000 }, (_, nth) => strikes('eth_call', nth));
    };
    expect(draw(4)).toEqual(draw(4));
    const drawn = draw(5);
    const share = (test: (strike: Strike | undefined) => boolean) => drawn.filter(test).length / drawn.length;
    expect(share((strike) => strike === 'loseReply')).toBeCloseTo(0.2, 1);
    expect(share((strike) => strike === undefined)).toBeCloseTo(0.5, 1);
    expect(
      drawn.every((strike) => typeof strike !== 'object' || ('delayMs' in strike && strike.delayMs < 10)),
    ).toBe(true);
    expect(randomStrikes(5, [[1, 500]], ['eth_call'])('eth_chainId', 1)).toBeUndefined();
  });
});

describe('a server with a blind mempool', () => {
  it('knows of a transaction only once it is mined', async () => {
    const { chain, mempool, post } = await start({ blindPool: true });
    const hash = mempool.submit(raws[0]!);
    const ask = async (method: string, ...params: unknown[]) =>
      ((await (await post({ id: 1, method, params })).json()) as { result: unknown }).result;
    expect(await ask('eth_getTransactionCount', sender, 'pending')).toBe('0x0');
    expect(await ask('eth_getTransactionByHash', hash)).toBeNull();
    chain.extend(1);
    expect(await ask('eth_getTransactionCount', sender, 'pending')).toBe('0x1');
    expect(await ask('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: '0x1' });
  });
});
