import type { BlockRef } from '../../model/block.ts';
import type { Answer, Question } from '../../model/question.ts';
import { BadAnswer } from './decodeBlock.ts';
import { EndpointsFailed } from './endpoints.ts';

type Ask = (block: BlockRef, questions: readonly Question[]) => Promise<Answer[]>;

/** So long does a block wait for nodes that fail; most outages are over by then, or the nodes answer nothing at all. */
const waitMs = 15_000;
/** So long is not asked again what no node could answer. */
const restMs = 600_000;

const simplest: Question = { type: 'call', to: `0x${'0'.repeat(40)}`, data: '0x' };

/** A limit passes by itself, so that it is always waited for. */
export class LimitReached extends BadAnswer {}

/**
 * One question can make nodes fail, such as a call that takes too long, and those asked with it, and so hold up a chain for
 * ever: asked in ever smaller parts it fails alone.
 */
export function isolateFailures(ask: Ask, now: () => number): Ask {
  const failingSince = new Map<string, number>();
  const hopeless = new Map<string, { answer: Answer; until: number }>();

  async function askParts(block: BlockRef, questions: readonly Question[]): Promise<Answer[]> {
    try {
      return questions.length === 0 ? [] : await ask(block, questions);
    } catch (error) {
      if (!isFailure(error) || !hasWaited(block) || !(await isWell(block))) throw error;
      const [first] = questions;
      if (questions.length === 1) return [giveUp(first!)];
      const half = Math.ceil(questions.length / 2);
      const answers = await askParts(block, questions.slice(0, half));
      return [...answers, ...(await askParts(block, questions.slice(half)))];
    }
  }

  /** Whether calls are answered at all; where they are not, no question is to blame. */
  async function isWell(block: BlockRef): Promise<boolean> {
    const [answer] = await ask(block, [simplest]);
    return answer !== undefined && 'value' in answer;
  }

  function hasWaited({ hash }: BlockRef): boolean {
    const since = failingSince.get(hash) ?? now();
    // Blocks that were answered about in the end are not asked about again.
    if (failingSince.size > 100) failingSince.clear();
    failingSince.set(hash, since);
    return now() >= since + waitMs;
  }

  function giveUp(question: Question): Answer {
    const answer = {
      missing: 'every node fails when it is asked this, and will be asked again in ten minutes',
    };
    if (hopeless.size > 1000) hopeless.clear();
    hopeless.set(keyOf(question), { answer, until: now() + restMs });
    return answer;
  }

  /** What is known to be answered by nobody. */
  function recall(question: Question): Answer | undefined {
    if (hopeless.size === 0) return undefined;
    const known = hopeless.get(keyOf(question));
    if (known && known.until > now()) return known.answer;
    hopeless.delete(keyOf(question));
    return undefined;
  }

  return async (block, questions) => {
    const known = questions.map(recall);
    const answers = await askParts(
      block,
      questions.filter((_, place) => !known[place]),
    );
    let next = 0;
    return known.map((answer) => answer ?? answers[next++]!);
  };
}

const keyOf = (question: Question) => JSON.stringify(question);

function isFailure(error: unknown): boolean {
  return error instanceof EndpointsFailed && !error.faults.some((fault) => fault instanceof LimitReached);
}
