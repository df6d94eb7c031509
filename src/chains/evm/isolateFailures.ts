import { zeroAddress } from '../../codecs/evm/words.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { getOrThrow } from '../../lib/getOrThrow.ts';
import { groupBy } from '../../lib/groupBy.ts';
import { itemAt } from '../../lib/itemAt.ts';
import { zip } from '../../lib/zip.ts';
import type { BlockRef } from '../../model/block.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import { EndpointsFailed } from '../net/createEndpoints.ts';

type ReadState = (block: BlockRef, questions: readonly StateRead[]) => Promise<StateResult[]>;

/** So long is not asked again what no node could answer; each further time four times as long, up to ten minutes. */
const firstRestMs = 5000;
const maxRestMs = 600_000;
/** Into so many parts are reads divided that fail together, all asked at once, because each may take until its timeout. */
const parts = 8;

const simplestRead: StateRead = { type: 'call', to: zeroAddress, data: '0x' };

/**
 * Divides failing batches until a bad question fails alone, so that it does not stop the chain. A refused kind of read
 * is missing alone. If nodes answer nothing at all, the block waits.
 */
export function isolateFailures(
  ask: ReadState,
  now: () => number,
  isServing: (block: BlockRef) => Promise<boolean> = () => Promise.resolve(false),
): ReadState {
  const unanswerable = createBoundedMap<string, { answer: StateResult; restMs: number; until: number }>(1000);

  async function readParts(block: BlockRef, questions: readonly StateRead[]): Promise<StateResult[]> {
    try {
      return questions.length === 0 ? [] : await ask(block, questions);
    } catch (error) {
      if (!(error instanceof EndpointsFailed)) throw error;
      if (!(await isResponding(block))) return readKinds(block, questions, error);
      const [first] = questions;
      if (first && questions.length === 1) return [markUnanswerable(first)];
      const size = Math.ceil(questions.length / parts);
      const starts = Array.from({ length: Math.ceil(questions.length / size) }, (_, n) => n * size);
      const answers = await Promise.all(
        starts.map((start) => readParts(block, questions.slice(start, start + size))),
      );
      return answers.flat();
    }
  }

  /** True if calls are answered at all; if not, no question is to blame. */
  async function isResponding(block: BlockRef): Promise<boolean> {
    try {
      const [answer] = await ask(block, [simplestRead]);
      return answer !== undefined && ('value' in answer || answer.isGone === true);
    } catch (error) {
      if (error instanceof EndpointsFailed) return false;
      throw error;
    }
  }

  /** Each kind by itself, where nodes have the block and so refuse some kinds only. */
  async function readKinds(
    block: BlockRef,
    questions: readonly StateRead[],
    error: EndpointsFailed,
  ): Promise<StateResult[]> {
    if (!(await isServing(block))) throw error;
    const kinds = groupBy(questions, ({ type }) => type);
    const answers = new Map<StateRead, StateResult>();
    for (const [type, asked] of kinds) {
      const refused: StateResult = { missing: `no node answers a ${type} at the moment` };
      const read =
        kinds.size === 1
          ? []
          : await ask(block, asked).catch((fault: unknown) => {
              if (fault instanceof EndpointsFailed) return [];
              throw fault;
            });
      for (const [index, question] of asked.entries()) answers.set(question, read[index] ?? refused);
    }
    return questions.map((question) => getOrThrow(answers, question));
  }

  function markUnanswerable(question: StateRead): StateResult {
    const restMs = Math.min(maxRestMs, 4 * (unanswerable.get(keyOf(question))?.restMs ?? firstRestMs / 4));
    const answer = { missing: `every node fails when it is asked this; it rests for ${restMs / 1000} s` };
    unanswerable.set(keyOf(question), { answer, restMs, until: now() + restMs });
    return answer;
  }

  /** The stored result of a read that no node could answer lately. */
  function recall(question: StateRead): StateResult | undefined {
    if (unanswerable.size === 0) return undefined;
    const cached = unanswerable.get(keyOf(question));
    return cached && cached.until > now() ? cached.answer : undefined;
  }

  return async (block, questions) => {
    const recalled = questions.map(recall);
    const asked = questions.filter((_, index) => !recalled[index]);
    const answers = await readParts(block, asked);
    if (unanswerable.size > 0)
      for (const [question, answer] of zip(asked, answers))
        if ('value' in answer) unanswerable.delete(keyOf(question));
    let next = 0;
    return recalled.map((answer) => answer ?? itemAt(answers, next++));
  };
}

const keyOf = (question: StateRead) => JSON.stringify(question);
