import { setTimeout as sleep } from 'node:timers/promises';
import { itemAt } from '../lib/itemAt.ts';
import type { BlockRef } from '../model/block.ts';
import type { StateRead, StateResult } from '../model/stateRead.ts';
import { BlockUnavailable, type ChainClient } from './chainClient.ts';
import type { Endpoints } from './net/createEndpoints.ts';
import type { RpcCall, RpcReply } from './net/createRpc.ts';
import { NotAvailableYet } from './net/replies.ts';

/** A node that has just got a block may not have its receipts or its state yet. */
const retryDelaysMs = [100, 300, 900];
/** Only as many blocks below the head is it worth to wait: what is missing of an older one does not come any more. */
const recentBlocks = 2;

type Reads = {
  readonly endpoints: Pick<Endpoints, 'request' | 'head'>;
  readAll(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]>;
  /** The call for a block by number, and the hash in its answer; null if the node lacks it. */
  readonly blockCall: (number: number) => RpcCall;
  readonly readHash: (reply: RpcReply | undefined) => string | null;
};

/** Reads the state of a block again for as long as nodes may still get it; throws when no node has the block itself. */
export function createPatientReader({
  endpoints,
  readAll,
  blockCall,
  readHash,
}: Reads): ChainClient['readState'] {
  return async (block, questions) => {
    const isNew = block.number >= endpoints.head() - recentBlocks;
    for (const delayMs of retryDelaysMs) {
      const answers = await readAll(block, questions);
      if (!answers.some(isMissing)) return answers;
      if ((await isAvailable(block)) && !(isNew && answers.some(isDelayed))) return answers;
      await sleep(delayMs);
    }
    const answers = await readAll(block, questions);
    // It was there a moment ago: the caller follows the chain again instead of missing what is in the block.
    if (answers.some(isMissing) && !(await isAvailable(block)))
      throw new BlockUnavailable(`No node has block ${block.number} (${block.hash}) at the moment.`);
    return answers;
  };

  /** False while no node has it. Another block in its place means that it was reorganised away, which is no fault of a node. */
  async function isAvailable(block: BlockRef): Promise<boolean> {
    let hasOther = false;
    try {
      return await endpoints.request([blockCall(block.number)], ([reply]) => {
        const hash = readHash(reply);
        if (hash === block.hash) return true;
        hasOther ||= hash !== null;
        throw new NotAvailableYet();
      });
    } catch (error) {
      if (!(error instanceof NotAvailableYet)) throw error;
      if (hasOther)
        throw new BlockUnavailable(
          `Block ${block.number} (${block.hash}) is not part of the chain any more.`,
        );
      return false;
    }
  }
}

export const isMissing = (answer: StateResult) => 'missing' in answer;

/** State that a pruning node has forgotten does not return, although the node also says "not found". */
function isDelayed(answer: StateResult): boolean {
  return (
    'missing' in answer && /not found|unknown block|has no/i.test(answer.missing) && !isForgotten(answer)
  );
}

/** The words in which nodes say that they have dropped the state of a block. */
const forgotten =
  /missing trie|state .*(not |un)available|pruned|pruning|archive|(historical|old) (state|data)/i;

function isForgotten(answer: StateResult): boolean {
  return 'missing' in answer && forgotten.test(answer.missing);
}

/** For each read the answer of the first node that has one; it is gone when every node of the chain says so. */
export function mergeAnswers(given: readonly StateResult[][], isEveryNode: boolean): StateResult[] {
  const [first = []] = given;
  return first.map((answer, n) => {
    const answers = given.map((list) => itemAt(list, n));
    const found = answers.find((answer) => !isMissing(answer));
    if (found) return found;
    return isEveryNode && answers.every(isForgotten) ? { ...answer, isGone: true } : answer;
  });
}
