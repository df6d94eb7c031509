import type { Block, Header } from '../../model/block.ts';
import { BlockUnavailable, type ClientOptions, type ConnectedClient } from '../chainClient.ts';
import { createEndpoints } from '../net/createEndpoints.ts';
import { createHeads } from '../net/createHeads.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import { readAccount, readProgramData } from './accounts.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeBlock, decodeHeader, toBlock } from './decodeBlock.ts';
import type { SolanaTransaction } from './decodeTransaction.ts';
import { confirmed, solanaHeads, solanaProtocol } from './solanaProtocol.ts';

/** Codes of nodes for a slot that has no block, or none yet. */
const withoutBlock = [-32_004, -32_007, -32_009, -32_014];
/** Search range for the next slot with a block; longer gaps appear only when the chain stands still. */
const maxGap = 500;
/** From so many on, the whole block with all instructions is fetched instead of each transaction alone. */
const wholeFrom = 48;

/** Follows a chain through the JSON-RPC of Agave, Firedancer or Jito nodes. */
export function createSolanaClient({ chain, urls, now, onCall }: ClientOptions): ConnectedClient {
  const endpoints = createEndpoints({
    ...solanaProtocol(chain),
    urls: urls.filter(takesCalls),
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const { request } = endpoints;
  const heads = createHeads(solanaHeads, urls);

  /** The first slot from this one on that has a block; null when there is none yet. */
  const findSlot = (from: number) =>
    orNull(
      request([{ method: 'getBlocks', params: [from, from + maxGap, confirmed] }], ([reply], has) => {
        const [slot] = listOf(resultOf(reply), 'slots');
        if (slot === undefined) throw new NotAvailableYet(from);
        has(numberOf(slot, 'slot'));
        if (numberOf(slot, 'slot') < from) throw new InvalidResponse('it sent an earlier slot');
        return numberOf(slot, 'slot');
      }),
    );

  type Detail = 'accounts' | 'none';
  const blockCall = (slot: number, transactionDetails: Detail | 'full') => ({
    method: 'getBlock',
    params: [
      slot,
      {
        ...confirmed,
        transactionDetails,
        encoding: 'json',
        maxSupportedTransactionVersion: 0,
        rewards: false,
      },
    ],
  });

  /** The block of this very slot. */
  const readSlot = <T>(slot: number, detail: Detail, decode: (raw: unknown) => T) =>
    orNull(
      request([blockCall(slot, detail)], ([reply], has) => {
        const decoded = decode(produced(reply));
        has(slot);
        return decoded;
      }),
    );

  /** That slot, or the first one after it with a block. Most have one, so they are not looked up first. */
  async function readFrom<T>(number: number, detail: Detail, decode: (slot: number, raw: unknown) => T) {
    if (number <= endpoints.head()) {
      const block = await readSlot(number, detail, (raw) => decode(number, raw));
      if (block) return block;
    }
    const slot = await findSlot(number);
    return slot === null ? null : readSlot(slot, detail, (raw) => decode(slot, raw));
  }

  const toHeader = (slot: number, raw: unknown): Header => decodeHeader(slot, raw, now());

  async function readNewest(commitment: 'confirmed' | 'finalized'): Promise<Header | null> {
    const slot = await request([{ method: 'getSlot', params: [{ commitment }] }], ([reply], has) => {
      const newest = numberOf(resultOf(reply), 'slot');
      if (commitment === 'confirmed') has(newest);
      return newest;
    });
    return readSlot(slot, 'none', (raw) => toHeader(slot, raw));
  }

  /** Details of a block's transactions, by their signatures; throws when the block is gone. */
  async function readDetails(
    { number, hash }: Block,
    wanted: readonly SolanaTransaction[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
    const isWhole = wanted.length >= wholeFrom;
    const options = { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const calls = isWhole
      ? [blockCall(number, 'full')]
      : wanted.map((transaction) => ({ method: 'getTransaction', params: [transaction.hash, options] }));
    const details = await orNull(
      request(calls, (replies) => {
        const raws = isWhole
          ? listOf(recordOf(produced(replies[0])).transactions, 'transactions').map(recordOf)
          : replies.map((reply) => {
              const raw = resultOf(reply);
              if (raw === null) throw new NotAvailableYet();
              if (recordOf(raw).slot !== number) throw new NotAvailableYet();
              return recordOf(raw);
            });
        const bySignature = new Map(raws.map((raw) => [signatureOf(raw), raw]));
        if (wanted.some((transaction) => !bySignature.has(transaction.hash)))
          throw new InvalidResponse('it sent other transactions');
        return bySignature;
      }),
    );
    if (details) return details;
    throw new BlockUnavailable(`No node has all transactions of block ${number} (${hash}) at the moment.`);
  }

  return {
    chainUid: chain.uid,
    keepsHistory: false,
    async block(number, parentHash) {
      const decode = (slot: number, raw: unknown): Block => decodeBlock(chain.uid, slot, raw, now());
      const block = await readFrom(number, 'accounts', decode);
      if (!block || parentHash === undefined || block.parentHash === parentHash) return block;
      // A block that continues ours is believed first when endpoints disagree.
      const fitting = await readSlot(block.number, 'accounts', (raw) => {
        const candidate = decode(block.number, raw);
        if (candidate.parentHash !== parentHash) throw new NotAvailableYet();
        return candidate;
      });
      return fitting ?? block;
    },
    async detail(block, { has: isWatched }) {
      // All blocks are of this client.
      const transactions = block.transactions as readonly SolanaTransaction[];
      const wanted = transactions.filter(
        (transaction) => !transaction.isDetailed && isTouched(transaction, isWatched),
      );
      if (wanted.length === 0) return block;
      const details = await readDetails(block, wanted);
      return toBlock(
        block,
        transactions.map((transaction) => {
          const raw = details.get(transaction.hash);
          return raw && !transaction.isDetailed ? transaction.withDetail(raw) : transaction;
        }),
      );
    },
    header: (which) =>
      typeof which === 'number'
        ? readFrom(which, 'none', toHeader)
        : readNewest(which === 'latest' ? 'confirmed' : 'finalized'),
    readState: createStateReader(endpoints),
    findImplementation: (_at, address) =>
      request(
        [{ method: 'getMultipleAccounts', params: [[address], { ...confirmed, encoding: 'base64' }] }],
        ([reply]) => {
          const [raw] = listOf(recordOf(resultOf(reply)).value, 'accounts');
          return readProgramData(readAccount(raw ?? null)) ?? null;
        },
      ),
    blockOfTransaction: (signature) =>
      orNull(
        request(
          [{ method: 'getSignatureStatuses', params: [[signature], { searchTransactionHistory: true }] }],
          ([reply]) => {
            const [status] = listOf(recordOf(resultOf(reply)).value, 'statuses');
            if (status === null || status === undefined) throw new NotAvailableYet();
            return numberOf(recordOf(status).slot, 'slot');
          },
        ),
      ),
    transactor: createTransactor(endpoints, now),
    onHead: heads.onHead,
    head: endpoints.head,
    checkEndpoints: (which) => {
      const slot = Math.max(0, endpoints.head());
      return endpoints.checkAll(which, {
        calls: [blockCall(slot, 'none')],
        accept: ([reply]) => toHeader(slot, produced(reply)),
      });
    },
    health: endpoints.health,
    setUrls(next) {
      endpoints.setUrls(next.filter(takesCalls));
      heads.setUrls(next);
    },
    close: endpoints.close,
  };
}

/** WebSocket endpoints announce slots, and answer nothing else. */
const takesCalls = (url: string) => !url.startsWith('ws');

/** A slot without a block, or without one yet, is no fault of the node. */
function produced(reply: RpcReply | undefined): unknown {
  if (reply && 'error' in reply && withoutBlock.includes(reply.error.code)) throw new NotAvailableYet();
  const raw = resultOf(reply);
  if (raw === null) throw new NotAvailableYet();
  return raw;
}

function isTouched({ parties }: SolanaTransaction, isWatched: (address: string) => boolean): boolean {
  for (const addresses of [parties.senders, parties.recipients, parties.others ?? []])
    for (const address of addresses) if (isWatched(address)) return true;
  return false;
}

function signatureOf(raw: Readonly<Record<string, unknown>>): string {
  return textOf(listOf(recordOf(raw.transaction).signatures, 'signatures')[0], 'signature');
}
