import { messageOf } from '../../lib/messageOf.ts';
import { zip } from '../../lib/zip.ts';
import type { Block, Header } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ClientOptions, ConnectedClient } from '../chainClient.ts';
import { createEndpoints, EndpointsFailed } from '../net/createEndpoints.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { InvalidResponse, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import { bitcoinProtocol } from './bitcoinProtocol.ts';
import { createBalances } from './createBalances.ts';
import { createMempool } from './createMempool.ts';
import { createScan } from './createScan.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeBlock, decodeHeader } from './decodeBlock.ts';
import { networkOf } from './networks.ts';

/** Codes of the node: a height beyond its newest block, and a hash that it does not know. */
const outOfRange = -8;
const notFound = -5;

/** Follows a chain through Bitcoin Core 28 or newer, or a node with the same JSON-RPC. */
export function createBitcoinClient({ chain, urls, now, onCall }: ClientOptions): ConnectedClient {
  const endpoints = createEndpoints({
    ...bitcoinProtocol(chain),
    urls,
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const { request } = endpoints;
  const network = networkOf(chain);
  const scan = createScan(endpoints);
  const balances = createBalances(scan);
  const hashCall = (number: number) => ({ method: 'getblockhash', params: [number] });

  /** The hash of the block of this height; with a parent, only of one that has it. */
  const findHash = (number: number, parentHash?: string) =>
    orNull(
      request(
        [hashCall(number), ...(parentHash === undefined ? [] : [hashCall(number - 1)])],
        ([reply, parent], has) => {
          const hash = knownText(reply, number);
          has(number);
          if (parentHash !== undefined && knownText(parent) !== parentHash) throw new NotAvailableYet();
          return hash;
        },
      ),
    );

  const readHeader = (hash: string) =>
    orNull(
      request([{ method: 'getblockheader', params: [hash, true] }], ([reply], has): Header => {
        const header = decodeHeader(known(reply));
        if (header.hash !== hash) throw new InvalidResponse('it sent another block');
        has(header.number);
        return header;
      }),
    );

  const readBlock = (hash: string) =>
    orNull(
      request([{ method: 'getblock', params: [hash, 3] }], ([reply]): Block => {
        const block = decodeBlock(chain.uid, known(reply), now(), network);
        if (block.hash !== hash) throw new InvalidResponse('it sent another block');
        balances.add(block);
        return block;
      }),
    );

  async function answer(block: { number: number; hash: string }, questions: readonly StateRead[]) {
    const asked = questions.flatMap((question) => (question.type === 'balance' ? [question.address] : []));
    const amounts = await balances.read(block, asked).catch((error: unknown) => {
      if (error instanceof EndpointsFailed) throw error;
      return messageOf(error);
    });
    const found = typeof amounts === 'string' ? undefined : new Map(zip(asked, amounts));
    return questions.map((question): StateResult => {
      if (question.type !== 'balance')
        return { missing: `Bitcoin has no ${question.type} to read`, isGone: true };
      const amount = found?.get(question.address);
      return amount === undefined ? { missing: String(amounts) } : { value: amount };
    });
  }

  return {
    chainUid: chain.uid,
    async block(number, parentHash) {
      const hash = await findHash(number);
      const block = hash === null ? null : await readBlock(hash);
      if (!block || parentHash === undefined || block.parentHash === parentHash) return block;
      // A block that continues ours is believed first when endpoints disagree.
      const fitting = await findHash(number, parentHash);
      return (fitting === null || fitting === hash ? null : await readBlock(fitting)) ?? block;
    },
    async header(which) {
      // No node says what is final.
      if (which === 'finalized') return null;
      const hash =
        which === 'latest'
          ? await request([{ method: 'getbestblockhash', params: [] }], ([reply]) => knownText(reply))
          : await findHash(which);
      return hash === null ? null : readHeader(hash);
    },
    readState: answer,
    findWaiting: createMempool(endpoints, now, network),
    findImplementation: async () => null,
    async blockOfTransaction(hash) {
      const block = await orNull(
        request([{ method: 'getrawtransaction', params: [hash, true] }], ([reply]) => {
          const raw = known(reply);
          const blockHash = typeof raw === 'object' && raw !== null && 'blockhash' in raw && raw.blockhash;
          if (typeof blockHash !== 'string') throw new NotAvailableYet();
          return blockHash;
        }),
      );
      return block === null ? null : ((await readHeader(block))?.number ?? null);
    },
    transactor: createTransactor(endpoints, scan),
    // Blocks are polled for: they are rare, and to ask for the hash of a height costs a node nothing.
    onHead: () => ({ appeared: () => {}, stop: () => {} }),
    head: endpoints.head,
    checkEndpoints: (which) =>
      endpoints.checkAll(which, { calls: [hashCall(0)], accept: ([reply]) => knownText(reply) }),
    health: endpoints.health,
    setUrls: endpoints.setUrls,
    close: endpoints.close,
  };
}

/** A block that this node lacks is no fault of it, and another may have it. */
function known(reply: RpcReply | undefined, number?: number): unknown {
  if (reply && 'error' in reply && [outOfRange, notFound].includes(reply.error.code))
    throw new NotAvailableYet(number);
  return resultOf(reply);
}

function knownText(reply: RpcReply | undefined, number?: number): string {
  const result = known(reply, number);
  if (typeof result !== 'string') throw new InvalidResponse('it sent a hash that is no text');
  return result;
}
