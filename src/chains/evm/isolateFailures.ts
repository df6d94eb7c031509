import { itemAt } from '../../lib/itemAt.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import { zeroAddress } from './abi/words.ts';
import { EndpointsFailed } from './createEndpoints.ts';
import { InvalidResponse } from './decodeBlock.ts';

type ReadState = (block: BlockRef, questions: readonly StateRead[]) => Promise<StateResult[]>;

/** So long does a block wait for nodes that fail; most outages are over by then, or the nodes answer nothing at all. */
const waitMs = 15_000;
/** So long is not asked again what no node could answer. */
const retryAfterMs = 600_000;

const simplestRead: StateRead = { type: 'call', to: zeroAddress, data: '0x' };

/** A limit passes by itself, so that it is always waited for. */
export class LimitReached extends InvalidResponse {}

/**
 * One question can make nodes fail, such as a call that takes too long, and those asked with it, and so hold up a chain for
 * ever: asked in ever smaller parts it fails alone.
 */
export function isolateFailures(ask: ReadState, now: () => number): ReadState {
  const failingSince = new Map<string, number>();
  const unanswerable = new Map<string, { answer: StateResult; until: number }>();

  async function readParts(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]> {
    try {
      return questions.length === 0 ? [] : await ask(block, questions);
    } catch (error) {
      if (!isFailure(error) || !hasWaited(block) || !(await isResponding(block))) throw error;
      const [first] = questions;
      if (first && questions.length === 1) return [markUnanswerable(first)];
      const half = Math.ceil(questions.length / 2);
      const answers = await readParts(block, questions.slice(0, half));
      return [...answers, ...(await readParts(block, questions.slice(half)))];
    }
  }

  /** Whether calls are answered at all; where they are not, no question is to blame. */
  async function isResponding(block: BlockRef): Promise<boolean> {
    const [answer] = await ask(block, [simplestRead]);
    return answer !== undefined && 'value' in answer;
  }

  function hasWaited({ hash }: BlockRef): boolean {
    const since = failingSince.get(hash) ?? now();
    // Blocks that were answered about in the end are not asked about again.
    if (failingSince.size > 100) failingSince.clear();
    failingSince.set(hash, since);
    return now() >= since + waitMs;
  }

  function markUnanswerable(question: StateRead): StateResult {
    const answer = {
      missing: 'every node fails when it is asked this, and will be asked again in ten minutes',
    };
    if (unanswerable.size > 1000) unanswerable.clear();
    unanswerable.set(keyOf(question), { answer, until: now() + retryAfterMs });
    return answer;
  }

  /** The stored result of a read that no node could answer lately. */
  function recall(question: StateRead): StateResult | undefined {
    if (unanswerable.size === 0) return undefined;
    const known = unanswerable.get(keyOf(question));
    if (known && known.until > now()) return known.answer;
    unanswerable.delete(keyOf(question));
    return undefined;
  }

  return async (block, questions) => {
    const known = questions.map(recall);
    const answers = await readParts(
      block,
      questions.filter((_, place) => !known[place]),
    );
    let next = 0;
    return known.map((answer) => answer ?? itemAt(answers, next++));
  };
}

const keyOf = (question: StateRead) => JSON.stringify(question);

function isFailure(error: unknown): boolean {
  return error instanceof EndpointsFailed && !error.faults.some((fault) => fault instanceof LimitReached);
}
