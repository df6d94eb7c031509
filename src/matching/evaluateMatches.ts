import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../lib/messageOf.ts';
import type { Finding } from '../model/alert.ts';
import type { Observation } from '../model/detection.ts';
import { ScriptTimeout } from '../model/scriptTimeout.ts';
import { type Answers, createAnswers, type Fetch, Missing, Postponed } from './answers.ts';
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
  /** Its script did not end while it was shown this block; undefined: it was not that. */
  readonly loopedAt?: number;
};

export type Evaluated = {
  findings: Finding[];
  /** Only those that changed. */
  memories: Map<Subscriber, Memory>;
  /** At most one of each subscriber. */
  faults: Fault[];
  /** Those that came through without a fault; findings and memories of the others count as well. */
  worked: Subscriber[];
  /** Those that must be shown all of it again later; nothing of what they have found counts. */
  postponed: { subscriber: Subscriber; reason: string }[];
  evaluations: number;
};

/**
 * Shows every subscriber what concerns it. What it cannot evaluate is recorded as a fault and hurts nothing else: neither
 * others nor what it finds in the rest of the block. Answers that are missing are fetched for all at once before the
 * evaluations go on.
 */
export async function evaluateMatches(
  matches: Matches,
  recall: (subscriber: Subscriber) => Memory | undefined,
  fetch: Fetch,
): Promise<Evaluated> {
  const answers = createAnswers(fetch);
  const evaluated: Evaluated = {
    findings: [],
    memories: new Map(),
    faults: [],
    worked: [],
    postponed: [],
    evaluations: 0,
  };
  let waiting = Array.from(matches, ([subscriber, observations]) =>
    startEvaluation(subscriber, observations, recall(subscriber)),
  );
  do {
    waiting = await advanceAll(waiting, answers, evaluated);
  } while (await answers.fetchMissing());
  return evaluated;
}

/** Lets others have the event loop in between; returns those that are not through. */
async function advanceAll(
  waiting: readonly Evaluation[],
  answers: Answers,
  evaluated: Evaluated,
): Promise<Evaluation[]> {
  const open: Evaluation[] = [];
  let pausedAt = performance.now();
  for (const evaluation of waiting) {
    if (!advance(evaluation, answers, evaluated)) open.push(evaluation);
    if (performance.now() - pausedAt < mostMsInOneGo) continue;
    await setImmediate();
    pausedAt = performance.now();
  }
  return open;
}

type Evaluation = {
  subscriber: Subscriber;
  observations: readonly Observation[];
  next: number;
  rounds: number;
  /** How often the next observation was tried. */
  tries: number;
  before: Memory;
  memory: Memory;
  findings: Finding[];
  faults: Fault[];
};

/** A definition that asks for ever more would otherwise hold up its chain. */
const mostTries = 20;
/** Questions of one observation seldom follow from each other more often; it bounds what is evaluated in vain. */
const mostLooksAhead = 8;
const mostStateBytes = 65_536;
const mostMsInOneGo = 15;

function startEvaluation(
  subscriber: Subscriber,
  observations: readonly Observation[],
  before: Memory = {},
): Evaluation {
  return {
    subscriber,
    observations,
    next: 0,
    rounds: 0,
    tries: 0,
    before,
    memory: before,
    findings: [],
    faults: [],
  };
}

/** Goes as far as answers are at hand; true when it is through. */
function advance(evaluation: Evaluation, answers: Answers, evaluated: Evaluated): boolean {
  const { subscriber, observations, faults } = evaluation;
  for (; evaluation.next < observations.length; evaluation.next++, evaluation.tries = 0) {
    const observation = observations[evaluation.next]!;
    try {
      if (++evaluation.tries > mostTries)
        throw new Error('The evaluation asks for more and more and does not come to an end.');
      evaluateOne(evaluation, observation, answers);
    } catch (error) {
      if (error instanceof Missing) {
        if (++evaluation.rounds <= mostLooksAhead) lookAhead(evaluation, answers);
        return false;
      }
      if (error instanceof Postponed) {
        evaluated.postponed.push({ subscriber, reason: error.message });
        return true;
      }
      faults.push({
        subscriber,
        message: messageOf(error),
        at: timeOf(observation),
        ...(error instanceof ScriptTimeout ? { loopedAt: blockOf(observation)?.block.number ?? -1 } : {}),
      });
    }
  }
  // One fault for all of a block, since they are counted by blocks in which something failed.
  const fault = faults.find(({ loopedAt }) => loopedAt !== undefined) ?? faults[0];
  if (fault) evaluated.faults.push(fault);
  else evaluated.worked.push(subscriber);
  evaluated.evaluations += observations.length - faults.length;
  evaluated.findings.push(...evaluation.findings);
  if (evaluation.memory !== evaluation.before) evaluated.memories.set(subscriber, evaluation.memory);
  return true;
}

/**
 * Asks what the observations after the next one will ask, as far as that can be foreseen from the memory of now, so that
 * many cost as few rounds as one. What comes of it counts for nothing, because the memory may still change.
 */
function lookAhead({ subscriber, observations, next, memory }: Evaluation, answers: Answers): void {
  for (const observation of observations.slice(next + 1)) {
    try {
      show(subscriber, observation, memory, answers);
    } catch {
      // Missing answers are noted by now, and a failure is told when its turn comes.
    }
  }
}

function show(subscriber: Subscriber, observation: Observation, memory: Memory, answers: Answers) {
  const reader = answers.reader(subscriber.contract.tenantId, blockOf(observation));
  const own = memory.own === undefined || memory.key !== subscriber.stateKey() ? undefined : memory.own;
  return subscriber.evaluate(observation, own, reader);
}

/** Changes nothing unless it comes through. */
function evaluateOne(evaluation: Evaluation, observation: Observation, answers: Answers): void {
  const { subscriber, memory } = evaluation;
  const outcome = show(subscriber, observation, memory, answers);
  let after =
    outcome.state === undefined
      ? memory
      : { ...memory, own: checkedState(outcome.state), key: subscriber.stateKey() };
  const findings: Finding[] = [];
  for (const found of outcome.found ?? []) {
    const at = timeOf(observation);
    const isHeld = after.alertAt !== undefined && at < after.alertAt + subscriber.cooldownMs;
    if (isHeld) after = { ...after, held: (after.held ?? 0) + 1 };
    else {
      const held = after.held ?? 0;
      const shown = held > 0 ? { ...found, fields: { ...found.fields, heldBack: held } } : found;
      findings.push(...subscriber.toFindings(shown, observation));
      if (subscriber.cooldownMs > 0) after = { ...after, alertAt: at, held: 0 };
    }
  }
  evaluation.findings.push(...findings);
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
