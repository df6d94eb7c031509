import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSubscriptionIndex } from '../../../matching/createSubscriptionIndex.ts';
import type { Subscriber } from '../../../matching/subscriber.ts';
import type { PendingTransaction } from '../../../model/pending.ts';
import { createPendingFilter } from '../../../watch/pending/createPendingFilter.ts';
import { outbid } from '../chooseFees.ts';
import { createBroadcaster } from './createBroadcaster.ts';
import { createPendingFeed } from './createPendingFeed.ts';
import { decodeSimulatedCall, decodeTracedCall } from './decodeSimulation.ts';

type Call = { id: number; method: string; params: unknown[]; signature: unknown };
const address = (digit: string) => `0x${digit.repeat(40)}`;
const [sender, vault, router] = ['1', '2', '3'].map(address) as [string, string, string];
const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const rawOf = (n: number) => ({
  hash: hash(n),
  from: sender,
  to: router,
  nonce: '0x1',
  input: '0x12345678',
  value: '0x0',
  gas: '0x5208',
  maxFeePerGas: '0x10',
  maxPriorityFeePerGas: '0x2',
  blockHash: null,
});

const calls: Call[] = [];
let announced: string[] = [];
/** What every endpoint announces all the time. */
let repeated: string[] = [];
const server = createServer((request, response) => {
  text(request)
    .then((body) => {
      const asked = JSON.parse(body) as Call | Call[];
      const signature = request.headers['x-flashbots-signature'];
      const answer = ({ id, method, params }: Call) => {
        calls.push({ id, method, params, signature });
        const isBlind = request.url === '/blind' && method === 'eth_getTransactionByHash';
        return { jsonrpc: '2.0', id, ...(isBlind ? { result: null } : reply(method, params)) };
      };
      response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
    })
    .catch((error: unknown) => response.destroy(error as Error));
});
let url: string;

function reply(method: string, params: unknown[]): object {
  if (method === 'eth_newPendingTransactionFilter') return { result: '0x1' };
  if (method === 'eth_getFilterChanges') return { result: [...repeated, ...announced.splice(0)] };
  if (method === 'eth_getTransactionByHash') return { result: rawOf(Number(params[0])) };
  if (method === 'eth_sendRawTransaction')
    return params[0] === '0x01' ? { result: hash(1) } : { error: { code: -32000, message: 'nonce too low' } };
  return { error: { code: -32601, message: 'method not found' } };
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

it('takes each pending transaction once, whole, however often and by however many endpoints it is announced', async () => {
  const seen: string[] = [];
  announced = [1, 2, 1].map(hash);
  await new Promise<void>((resolve) => {
    const feed = createPendingFeed(
      [url, url],
      (transaction) => {
        seen.push(transaction.hash);
        if (seen.length === 2) announced = [2, 3].map(hash);
        if (seen.length < 3) return;
        expect(feed.kinds()).toEqual(['hashes']);
        expect(feed.counts()).toEqual({ seen: 3, dropped: 0 });
        feed.stop();
        resolve();
      },
      () => {},
    );
  });
  expect(seen.toSorted((a, b) => a.localeCompare(b))).toEqual([1, 2, 3].map(hash));
});

it('asks another endpoint for what the one that announced it does not have', async () => {
  repeated = [hash(4)];
  const taken = new Promise<string>((resolve) => {
    const feed = createPendingFeed(
      [`${url}/blind`, url],
      (transaction) => {
        feed.stop();
        resolve(transaction.hash);
      },
      () => {},
    );
  });
  expect(await taken).toBe(hash(4));
  repeated = [];
});

it('sends what is urgent to every endpoint and to relays, signed by a key of its own', async () => {
  calls.length = 0;
  const relayed = () => calls.filter(({ method }) => /Private|Bundle/.test(method));
  const broadcaster = createBroadcaster({ urls: [url, url], relays: [url], head: () => 7, onCall: () => {} });
  const replies = await broadcaster.send(['0x01', '0x02']);
  expect(replies).toHaveLength(2);
  await expect.poll(() => relayed().length, { timeout: 60_000 }).toBe(8);
  expect(relayed().every(({ signature }) => /^0x\w{40}:0x\w{130}$/.test(String(signature)))).toBe(true);
  const blocks = relayed().flatMap(({ params }) => (params[0] as { blockNumber?: string }).blockNumber ?? []);
  expect(new Set(blocks)).toEqual(new Set(['0x8', '0x9', '0xa']));
  await broadcaster.close();
});

const transaction = (input: string, members: Partial<PendingTransaction> = {}): PendingTransaction => ({
  hash: hash(9),
  from: sender,
  to: router,
  nonce: 1,
  input,
  maxFee: 16n,
  tip: 2n,
  raw: rawOf(9),
  ...members,
});

it('finds whose contract a pending transaction names, also in a call that is passed on', () => {
  const index = createSubscriptionIndex();
  const subscriber = { interests: [{ on: 'trace', address: vault }], contract: { tenantId: 5 } };
  index.add(subscriber as unknown as Subscriber);
  const { judge } = createPendingFilter(index);
  const word = (text: string) => text.padStart(64, '0');
  expect(judge(transaction('0x', { to: vault }))).toBe(5);
  expect(judge(transaction('0x', { from: vault }))).toBe(5);
  expect(judge(transaction(`0x12345678${word('de0b6b3a7640000')}${word(vault.slice(2))}`))).toBe(5);
  expect(judge(transaction(`0x12345678abcdef01${word(vault.slice(2))}`))).toBe(5);
  expect(judge(transaction(`0x12345678${word('5')}`))).toBe('unknown');
  expect(judge(transaction('0x'))).toBeUndefined();
});

it('reads logs in the order in which they were emitted, and nothing of what failed', () => {
  const log = (data: string, position: string) => ({ address: vault, topics: [], data, position });
  const call = { type: 'CALL', from: router, to: vault, input: '0x', value: '0x1' };
  const { logs, frames, isSuccess } = decodeTracedCall(transaction('0x'), {
    ...call,
    from: sender,
    to: router,
    value: '0x0',
    logs: [log('0x01', '0x0'), log('0x03', '0x1'), log('0x04', '0x2')],
    calls: [
      { ...call, logs: [log('0x02', '0x0')] },
      { ...call, error: 'execution reverted', logs: [log('0x09', '0x0')] },
    ],
  });
  expect(isSuccess).toBe(true);
  expect(logs.map(({ data, index }) => [data, index])).toEqual([
    ['0x01', 0],
    ['0x02', 1],
    ['0x03', 2],
    ['0x04', 3],
  ]);
  expect(frames.map(({ isReverted }) => isReverted)).toEqual([false, false, true]);
});

it('takes coins that move within from a simulation without traces', () => {
  const topic = (text: string) => `0x${text.slice(2).padStart(64, '0')}`;
  const coins = (from: string, to: string, value: string) => ({
    address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
    topics: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', topic(from), topic(to)],
    data: `0x${value.padStart(64, '0')}`,
  });
  const { logs, frames } = decodeSimulatedCall(transaction('0x'), {
    status: '0x1',
    logs: [coins(vault, sender, '5'), { address: vault, topics: [], data: '0x07' }],
  });
  expect(logs.map(({ data, index }) => [data, index])).toEqual([['0x07', 0]]);
  expect(frames.map(({ from, to, value }) => [from, to, value])).toEqual([
    [sender, router, 0n],
    [vault, sender, 5n],
  ]);
});

it('pays more than what it must come before, within the cap, and never chases a fee that no one pays', () => {
  const own = { maxFee: 30n, tip: 2n };
  const fees = { baseFee: 10n };
  expect(outbid(own, { maxFee: 50n, tip: 20n }, fees, 100n)).toEqual({ maxFee: 58n, tip: 24n });
  expect(outbid(own, { maxFee: 50n, tip: null }, fees, 100n)).toEqual({ maxFee: 77n, tip: 47n });
  expect(outbid(own, { maxFee: 50n, tip: 20n }, fees, 33n)).toBeUndefined();
  expect(outbid(own, { maxFee: 10_000n, tip: 20n }, fees, undefined)).toEqual({ maxFee: 136n, tip: 24n });
  expect(outbid({ maxFee: 30n, tip: null }, { maxFee: 50n, tip: null }, { baseFee: null }, 60n)).toEqual({
    maxFee: 58n,
    tip: null,
  });
});
