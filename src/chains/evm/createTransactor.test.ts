import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chains } from '../chains.ts';
import { createEvmClient } from './createEvmClient.ts';

type Call = { id: number; method: string };

const receipt = {
  blockNumber: '0x5',
  blockHash: '0xab',
  gasUsed: '0x64',
  status: '0x1',
  effectiveGasPrice: '0x7',
};
let l1Fee: string | undefined;
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const calls = (await json(request)) as Call | Call[];
  const reply = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: resultOf(method) });
  response.end(JSON.stringify(Array.isArray(calls) ? calls.map(reply) : reply(calls)));
}

function resultOf(method: string): unknown {
  if (method === 'eth_chainId') return '0x2105';
  return method === 'eth_blockNumber' ? '0x9' : { ...receipt, ...(l1Fee ? { l1Fee } : {}) };
}

it.each([
  [undefined, 700n],
  ['0x3e8', 1700n],
])('a transaction on a rollup costs what the chain below takes as well: %s', async (fee, cost) => {
  l1Fee = fee;
  const address = server.address();
  const port = typeof address === 'object' ? address!.port : 0;
  const options = {
    chain: chains.base,
    urls: [`http://127.0.0.1:${port}`],
    now: Date.now,
    onCall: () => {},
  };
  const client = createEvmClient(options);
  const { mined } = await client.transactor.progress([
    { from: '0x', hash: '0xcd', raw: '0x', place: { nonce: 0 }, signedAt: 0, validUntil: null },
  ]);
  await client.close();
  expect(mined).toEqual([{ isSuccess: true, blockNumber: 5, blockHash: '0xab', cost }]);
});
