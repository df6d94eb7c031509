import { messageOf } from '../lib/messageOf.ts';
import type { Finding } from '../model/alert.ts';
import type { Observation } from '../model/detection.ts';
import { type Answers, createAnswers, type Fetch, Missing } from './answers.ts';
import type { Named, Subscriber } from './subscriber.ts';
import type { Matches } from './subscriptionIndex.ts';

/** What is kept of a subscriber from one evaluation to the next. */
export type Memory = {
  /** The detector's own state, and what it depends on. */
  readonly own?: unknown;
  readonly key?: string;
  /** When it last raised an alert, for its cooldown, and how much was held back since. */
  readonly alertAt?: number;
  readonly held?: number;
};

export type Fault = {
  readonly subscriber: Named;
  readonly message: string;
  readonly at: number;
  /** It could not even be made ready. */
  readonly isUnfit?: boolean;
};

export type Evaluated = {
  findings: Finding[];
  /** Only those that changed. */
  memories: Map<Subscriber, Memory>;
  faults: Fault[];
  /** Those that came through without a fault. */
  worked: Subscriber[];
  evaluations: number;
};

/**
 * Shows every subscriber what concerns it. One that fails is recorded as a fault and hurts nobody else: nothing of what it
 * did in this block remains. Answers that are missing are fetched for all at once before the evaluations go on.
 */
export async function evaluateMatches(
  matches: Matches,
  recall: (subscriber: Subscriber) => Memory | undefined,
  fetch: Fetch,
): Promise<Evaluated> {
  const answers = createAnswers(fetch);
  const evaluated: Evaluated = { findings: [], memories: new Map(), faults: [], worked: [], evaluations: 0 };
  let waiting = Array.from(matches, ([subscriber, observations]) =>
    startEvaluation(subscriber, observations, recall(subscriber)),
  );
  do {
    waiting = waiting.filter((evaluation) => !advance(evaluation, answers, evaluated));
  } while (await answers.fetchMissing());
  return evaluated;
}

type Evaluation = {
  subscriber: Subscriber;
  observations: readonly Observation[];
  next: number;
  rounds: number;
  before: Memory;
  memory: Memory;
  findings: Finding[];
};

/** A definition that asks for ever more would otherwise hold up its chain. */
const mostRounds = 20;
const mostStateBytes = 65_536;

function startEvaluation(
  subscriber: Subscriber,
  observations: readonly Observation[],
  before: Memory = {},
): Evaluation {
  return { subscriber, observations, next: 0, rounds: 0, before, memory: before, findings: [] };
}

/** Goes as far as answers are at hand; true when it is through. */
function advance(evaluation: Evaluation, answers: Answers, evaluated: Evaluated): boolean {
  const { subscriber, observations } = evaluation;
  try {
    if (++evaluation.rounds > mostRounds * observations.length)
      throw new Error('The evaluation asks for more and more and does not come to an end.');
    for (; evaluation.next < observations.length; evaluation.next++) evaluateOne(evaluation, answers);
  } catch (error) {
    if (error instanceof Missing) return false;
    const observation = observations[evaluation.next]!;
    const message = messageOf(error);
    evaluated.faults.push({ subscriber, message, at: timeOf(observation) });
    return true;
  }
  evaluated.worked.push(subscriber);
  evaluated.evaluations += observations.length;
  evaluated.findings.push(...evaluation.findings);
  if (evaluation.memory !== evaluation.before) evaluated.memories.set(subscriber, evaluation.memory);
  return true;
}

function evaluateOne(evaluation: Evaluation, answers: Answers): void {
  const { subscriber, memory } = evaluation;
  const observation = evaluation.observations[evaluation.next]!;
  const reader = answers.reader(subscriber.contract.tenantId, blockOf(observation));
  const own = memory.own === undefined || memory.key !== subscriber.stateKey() ? undefined : memory.own;
  const outcome = subscriber.evaluate(observation, own, reader);
  let after =
    outcome.state === undefined
      ? memory
      : { ...memory, own: checkedState(outcome.state), key: subscriber.stateKey() };
  for (const found of outcome.found ?? []) {
    const at = timeOf(observation);
    const isHeld = after.alertAt !== undefined && at < after.alertAt + subscriber.cooldownMs;
    if (isHeld) after = { ...after, held: (after.held ?? 0) + 1 };
    else {
      const held = after.held ?? 0;
      const shown = held > 0 ? { ...found, fields: { ...found.fields, heldBack: held } } : found;
      evaluation.findings.push(...subscriber.toFindings(shown, observation));
      if (subscriber.cooldownMs > 0) after = { ...after, alertAt: at, held: 0 };
    }
  }
  evaluation.memory = after;
}

function checkedState(state: unknown): unknown {
  const size = JSON.stringify(state).length;
  if (size > mostStateBytes)
    throw new Error(`Its state has ${size} characters; at most ${mostStateBytes} are kept.`);
  return state;
}

function blockOf(observation: Observation) {
  if (!('block' in observation)) return undefined;
  const { number, hash, parentHash } = observation.block;
  return { block: { number, hash }, parent: { number: number - 1, hash: parentHash } };
}

export function timeOf(observation: Observation): number {
  return 'block' in observation ? observation.block.timestamp : observation.at;
}
