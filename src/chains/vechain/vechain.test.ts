import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import recorded from '../../../testing/recorded/thorSolo.json' with { type: 'json' };
import { chains, withNetwork } from '../chains.ts';
import { createVechainClient } from './createVechainClient.ts';
import { decodeBlock } from './decodeBlock.ts';
import { encodeTransaction } from './encodeTransaction.ts';
import { endpointFault } from './vechainProtocol.ts';

const { multi, failed, token, owner, friend, payer } = recorded;
const chain = withNetwork(chains.vechain, recorded.genesis);

describe('a recorded block', () => {
  const block = decodeBlock('vechain', multi, 0);

  it('has one entry for each clause, with its own logs, coins and contract', () => {
    const { id } = multi.transactions[0]!;
    expect(block.transactions.map(({ index, part, to, value }) => [index, part, to, value])).toEqual([
      [0, 'clause0', token, 0n],
      [1, 'clause1', friend, 2n * 10n ** 18n],
      [2, 'clause2', '0x0000000000000000000000000000456e65726779', 0n],
      [3, 'clause3', null, 0n],
    ]);
    expect(block.transactions.every(({ hash, from }) => hash === id && from === owner)).toBe(true);
    expect(block.logs.map(({ index, transactionIndex }) => [index, transactionIndex])).toEqual([
      [0, 0],
      [1, 2],
      [2, 3],
    ]);
    expect(block.transactions[1]?.transfers).toEqual([
      { asset: 'native', from: owner, to: friend, amount: 2n * 10n ** 18n },
    ]);
    expect([...(block.transactions[0]?.others ?? [])]).toEqual([payer]);
    expect(block.transactions[3]?.created).toBe('0x3363082fbaf643dcb553b1f5545d25930e710537');
    expect(block.receiptOf?.(id)).toMatchObject({
      isSuccess: true,
      used: 1_279_253n,
      price: 11_000_000_000_000n,
    });
  });

  it('tells what failed; an answer without what clauses did, or with the id of another block, is refused', () => {
    const { transactions, receiptOf } = decodeBlock('vechain', failed, 0);
    expect(transactions).toMatchObject([{ part: undefined, to: token, logs: [], transfers: [] }]);
    expect(receiptOf?.(transactions[0]!.hash)).toMatchObject({ isSuccess: false });
    const cut = { ...multi, transactions: multi.transactions.map((each) => ({ ...each, outputs: [] })) };
    expect(() => decodeBlock('vechain', cut, 0)).toThrow('lacks what its clauses did');
    expect(() => decodeBlock('vechain', { ...multi, id: failed.id }, 0)).toThrow('names another block');
  });

  it('has the transaction ids that our encoding gives', () => {
    const [sent] = failed.transactions;
    const { id } = encodeTransaction({
      chainTag: sent!.chainTag,
      blockRef: sent!.blockRef,
      expiration: sent!.expiration,
      clauses: sent!.clauses.map(({ to, value, data }) => ({ to, value: BigInt(value), data })),
      maxPriorityFeePerGas: BigInt(sent!.maxPriorityFeePerGas),
      maxFeePerGas: BigInt(sent!.maxFeePerGas),
      gas: BigInt(sent!.gas),
      nonce: BigInt(sent!.nonce),
    }).finish(sent!.origin, new Uint8Array(65));
    expect(id).toBe(sent!.id);
  });
});

describe('the client', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  type Answer = (path: string, clauses: readonly { data: string }[]) => [number, unknown] | undefined;

  /** A node behind a path with a key, which knows the recorded block and answers null for any other, as thor does. */
  async function serve(answer: Answer = () => undefined) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = String(request.url).replace('/key/', '/');
        asked.push(path);
        const text = Buffer.concat(chunks).toString();
        const known = [`/blocks/${multi.number}`, `/blocks/${multi.number}?expanded=true`].includes(path);
        const [status, body] = answer(path, text === '' ? [] : JSON.parse(text).clauses) ?? [
          200,
          path === '/blocks/0' ? { id: recorded.genesis } : known ? multi : null,
        ];
        response.writeHead(status).end(status === 200 ? JSON.stringify(body) : String(body));
      });
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key/`, asked };
  }

  const open = (...urls: string[]) => createVechainClient({ chain, urls, now: Date.now, onCall: () => {} });

  it('takes a block from the node that has it, and none that no node has yet', async () => {
    const busy = await serve(() => [429, 'slow down']);
    const broken = await serve(() => [502, 'bad gateway']);
    const other = await serve((path) => (path === '/blocks/0' ? [200, { id: '0x00' }] : undefined));
    const good = await serve();
    const client = open(busy.url, broken.url, other.url, good.url);
    expect((await client.block(multi.number))?.hash).toBe(multi.id);
    expect(await client.block(multi.number + 1)).toBeNull();
    expect(client.health().map(({ state }) => state)).toEqual(['failing', 'failing', 'wrong-chain', 'ok']);
    expect(await endpointFault(other.url, chain)).toMatch(/its first block is 0x00/);
    await client.close();
  });

  it('asks calls together, and alone those that one which fails has kept from running', async () => {
    const balance = '0x70a08231';
    const transfer = '0xa9059cbb';
    const [found, reverted] = recorded.calls;
    const node = await serve((path, clauses) => {
      if (!path.startsWith(`/accounts/*?revision=${multi.id}`)) return undefined;
      if (clauses.length > 1) return [200, recorded.calls];
      return [200, [clauses[0]?.data === balance ? found : reverted]];
    });
    const client = open(node.url);
    const at = { number: multi.number, hash: multi.id };
    const calls = [balance, transfer, balance].map((data) => ({ type: 'call', to: token, data }) as const);
    expect(await client.readState(at, calls)).toEqual([
      { value: { data: found?.data } },
      { value: { failure: 'custom error 0x96c6fd1e' } },
      { value: { data: found?.data } },
    ]);
    expect(node.asked.filter((path) => path.startsWith('/accounts/*'))).toHaveLength(3);
    await client.close();
  });
});
