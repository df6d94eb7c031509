import type { ChainClient } from '../../../chains/chainClient.ts';
import { findChain } from '../../../chains/chains.ts';
import { families } from '../../../chains/families.ts';
import { canonicalHash } from '../../../lib/canonicalHash.ts';
import { createBriefCache } from '../../../lib/createBriefCache.ts';
import { settleWithin } from '../../../lib/withTimeLimit.ts';
import type { Block } from '../../../model/block.ts';
import type { Call } from '../../call.ts';
import { digestTransaction, type TransactionDigest } from './digestTransaction.ts';

export type WantedTransaction = { chainUid: string; txHash: string; blockNumber: number | null };

/** Pages read a story every few seconds, and what a block did does not change. */
const keptMs = 10 * 60_000;
const keptDigests = 200;
/** An incident is read with what has come by then; the next reading has more. */
const patienceMs = 4000;

type Digests = ReturnType<typeof createBriefCache<TransactionDigest>>;
const caches = new WeakMap<ChainClient, Digests>();

/** The moves of these transactions, as far as nodes tell it in time; undefined for one that they do not. */
export async function readDigests(
  call: Call,
  wanted: readonly WantedTransaction[],
): Promise<(TransactionDigest | undefined)[]> {
  return Promise.all(
    wanted.map(async (transaction) => {
      const chain = findChain(transaction.chainUid);
      const client = chain && call.services.chains.client(chain.uid);
      if (!client || !families[chain.family].nodes?.areTraced) return undefined;
      const digests = caches.get(client) ?? createBriefCache<TransactionDigest>(keptMs, keptDigests);
      caches.set(client, digests);
      const { blockNumber, txHash } = transaction;
      const digest = digests(`${blockNumber} ${txHash}`, () => read(client, transaction));
      // A node that does not answer costs the picture, not the story.
      return settleWithin(
        patienceMs,
        digest.catch(() => undefined),
        () => undefined,
      );
    }),
  );
}

async function read(
  client: ChainClient,
  { txHash, blockNumber }: WantedTransaction,
): Promise<TransactionDigest> {
  const hash = canonicalHash(txHash);
  const number = blockNumber ?? (await client.blockOfTransaction(hash));
  const block = number === null ? null : await client.block(number);
  const transaction = block?.transactions.find((candidate) => candidate.hash === hash);
  if (!block || !transaction) throw new Error('The chain has no such transaction.');
  const frames = await client.tracer?.transaction(block, transaction).catch(() => undefined);
  const isReverted = frames ? frames[0]?.isReverted === true : !(await isSuccess(client, block, hash));
  return digestTransaction(block, transaction, frames, isReverted);
}

async function isSuccess(client: ChainClient, block: Block, hash: string): Promise<boolean> {
  const receipt = block.receiptOf?.(hash);
  if (receipt) return receipt.isSuccess;
  const [answer] = await client.readState(block, [{ type: 'receipt', hash }]);
  const value = answer && 'value' in answer ? answer.value : undefined;
  return typeof value !== 'object' || !('isSuccess' in value) || value.isSuccess;
}
