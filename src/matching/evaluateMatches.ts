import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../lib/messageOf.ts';
import type { Finding } from '../model/alert.ts';
import type { Observation } from '../model/detection.ts';
import { ScriptTimeout } from '../model/scriptTimeout.ts';
import {
  createReadCache,
  EvaluationDeferred,
  type Fetch,
  NotFetched,
  type ReadCache,
} from './createReadCache.ts';
import type { Matches } from './createSubscriptionIndex.ts';
import type { Subscriber, SubscriberRef } from './subscriber.ts';

/** What is kept of a subscriber from one evaluation to the next. */
export type SubscriberState = {
  /** The detector's own state, and what it depends on. */
  readonly own?: unknown;
  readonly key?: string;
  /** When it last raised an alert, for its cooldown, and how much was held back since. */
  readonly alertAt?: number;
  readonly held?: number;
};

export type Fault = {
  readonly subscriber: SubscriberRef;
  readonly message: string;
  readonly at: number;
  /** It could not even be made ready. */
  readonly isInvalid?: boolean;
  /** Its script did not end while it was shown this block; undefined: it was not that. */
  readonly loopedAt?: number;
};

export type Evaluated = {
  findings: Finding[];
  /** Only those that changed. */
  states: Map<Subscriber, SubscriberState>;
  /** At most one of each subscriber. */
  faults: Fault[];
  /** Those that came through without a fault; findings and memories of the others count as well. */
  succeeded: Subscriber[];
  /** Those that must be shown all of it again later; nothing of what they have found counts. */
  deferred: { subscriber: Subscriber; reason: string }[];
  evaluations: number;
};

/**
 * Shows every subscriber what concerns it. What it cannot evaluate is recorded as a fault and hurts nothing else: neither
 * others nor what it finds in the rest of the block. Answers that are missing are fetched for all at once before the
 * evaluations go on.
 */
export async function evaluateMatches(
  matches: Matches,
  stateOf: (subscriber: Subscriber) => SubscriberState | undefined,
  fetch: Fetch,
): Promise<Evaluated> {
  const reads = createReadCache(fetch);
  const evaluated: Evaluated = {
    findings: [],
    states: new Map(),
    faults: [],
    succeeded: [],
    deferred: [],
    evaluations: 0,
  };
  let waiting = Array.from(matches, ([subscriber, observations]) =>
    startEvaluation(subscriber, observations, stateOf(subscriber)),
  );
  do {
    waiting = await advanceAll(waiting, reads, evaluated);
  } while (await reads.fetchMissing());
  return evaluated;
}

/** Lets others have the event loop in between; returns those that are not through. */
async function advanceAll(
  waiting: readonly Evaluation[],
  answers: ReadCache,
  evaluated: Evaluated,
): Promise<Evaluation[]> {
  const open: Evaluation[] = [];
  let pausedAt = performance.now();
  for (const evaluation of waiting) {
    if (!advance(evaluation, answers, evaluated)) open.push(evaluation);
    if (performance.now() - pausedAt < maxSliceMs) continue;
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
  attempts: number;
  before: SubscriberState;
  state: SubscriberState;
  findings: Finding[];
  faults: Fault[];
};

/** A definition that asks for ever more would otherwise hold up its chain. */
const maxAttempts = 20;
/** Questions of one observation seldom follow from each other more often; it bounds what is evaluated in vain. */
const maxPrefetchRounds = 8;
const maxStateBytes = 65_536;
const maxSliceMs = 15;

function startEvaluation(
  subscriber: Subscriber,
  observations: readonly Observation[],
  before: SubscriberState = {},
): Evaluation {
  return {
    subscriber,
    observations,
    next: 0,
    rounds: 0,
    attempts: 0,
    before,
    state: before,
    findings: [],
    faults: [],
  };
}

/** Goes as far as answers are at hand; true when it is through. */
function advance(evaluation: Evaluation, answers: ReadCache, evaluated: Evaluated): boolean {
  const { subscriber, observations, faults } = evaluation;
  for (; evaluation.next < observations.length; evaluation.next++, evaluation.attempts = 0) {
    const observation = observations[evaluation.next]!;
    try {
      if (++evaluation.attempts > maxAttempts)
        throw new Error('The evaluation asks for more and more and does not come to an end.');
      evaluateOne(evaluation, observation, answers);
    } catch (error) {
      if (error instanceof NotFetched) {
        if (++evaluation.rounds <= maxPrefetchRounds) prefetchReads(evaluation, answers);
        return false;
      }
      if (error instanceof EvaluationDeferred) {
        evaluated.deferred.push({ subscriber, reason: error.message });
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
  else evaluated.succeeded.push(subscriber);
  evaluated.evaluations += observations.length - faults.length;
  evaluated.findings.push(...evaluation.findings);
  if (evaluation.state !== evaluation.before) evaluated.states.set(subscriber, evaluation.state);
  return true;
}

/**
 * Asks what the observations after the next one will ask, as far as that can be foreseen from the memory of now, so that
 * many cost as few rounds as one. What comes of it counts for nothing, because the memory may still change.
 */
function prefetchReads({ subscriber, observations, next, state }: Evaluation, answers: ReadCache): void {
  for (const observation of observations.slice(next + 1)) {
    try {
      evaluateObservation(subscriber, observation, state, answers);
    } catch {
      // Missing answers are noted by now, and a failure is told when its turn comes.
    }
  }
}

function evaluateObservation(
  subscriber: Subscriber,
  observation: Observation,
  memory: SubscriberState,
  answers: ReadCache,
) {
  const reader = answers.reader(subscriber.contract.tenantId, blockOf(observation));
  const own = memory.own === undefined || memory.key !== subscriber.stateKey() ? undefined : memory.own;
  return subscriber.evaluate(observation, own, reader);
}

/** Changes nothing unless it comes through. */
function evaluateOne(evaluation: Evaluation, observation: Observation, answers: ReadCache): void {
  const { subscriber, state } = evaluation;
  const outcome = evaluateObservation(subscriber, observation, state, answers);
  let after =
    outcome.state === undefined
      ? state
      : { ...state, own: checkStateSize(outcome.state), key: subscriber.stateKey() };
  const findings: Finding[] = [];
  for (const found of outcome.detections ?? []) {
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
  evaluation.state = after;
}

function checkStateSize(state: unknown): unknown {
  const size = JSON.stringify(state).length;
  if (size > maxStateBytes)
    throw new Error(`Its state has ${size} characters; at most ${maxStateBytes} are kept.`);
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
