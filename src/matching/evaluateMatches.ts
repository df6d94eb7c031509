import { setImmediate } from 'node:timers/promises';
import { cutText } from '../lib/cutText.ts';
import { messageOf } from '../lib/messageOf.ts';
import { type Finding, severityOf } from '../model/alert.ts';
import type { Detection, HoldingSample, Observation } from '../model/detection.ts';
import { ScriptTimeout } from '../model/scriptTimeout.ts';
import {
  createReadCache,
  EvaluationDeferred,
  type Fetch,
  type Gaps,
  type Moment,
  NotFetched,
  type ReadCache,
  ReadFailed,
} from './createReadCache.ts';
import type { Matches } from './matches.ts';
import type { Subscriber, SubscriberRef } from './subscriber.ts';

/** The stored state of a subscriber between evaluations. */
export type SubscriberState = {
  /** The detector's own state, and what it depends on. */
  readonly own?: unknown;
  readonly key?: string;
  /** Time of its last alert, for its cooldown, and the number of findings held back since. */
  readonly alertAt?: number;
  readonly held?: number;
  /** The worst that was reported in the cooldown: the severity as a number, and the magnitude. */
  readonly alertSeverity?: number;
  readonly alertMagnitude?: number;
  /** Time of the last sample of what its contract holds. */
  readonly sampledAt?: number;
  /** True if the beginning of a lasting condition was reported, so its end is too; undefined without one. */
  readonly isOpen?: boolean;
};

export type EvaluationFault = {
  readonly subscriber: SubscriberRef;
  readonly message: string;
  readonly at: number;
  /** It cannot be compiled. */
  readonly isInvalid?: boolean;
  /** Nothing is missed yet: the evaluation waits for reads that nodes do not answer. */
  readonly isWaiting?: boolean;
  /** The block (-1: the clock) at which its script ran into its time limit; undefined for other faults. */
  readonly loopedAt?: number;
};

/** Holdings of a subscriber's contract after a block. */
type SampledHoldings = {
  subscriber: Subscriber;
  timestamp: number;
  blockNumber: number;
  /** Something was found in the block. */
  isAlerted: boolean;
  holdings: readonly HoldingSample[];
};

export type Evaluated = {
  findings: Finding[];
  sampled: SampledHoldings[];
  /** Only those that changed. */
  states: Map<Subscriber, SubscriberState>;
  /** At most one per subscriber. */
  faults: EvaluationFault[];
  /** Those without a fault; findings and states of the others count as well. */
  succeeded: Subscriber[];
  /** Those that must be evaluated again later; none of their findings and states count. */
  deferred: { subscriber: Subscriber; reason: DeferralReason; fault?: EvaluationFault }[];
  evaluations: number;
};

/** `read`: nodes could not answer what it reads. */
export type DeferralReason = 'script time' | 'slow script' | 'order' | 'read';

/**
 * Result of failing reads. `fault`: the evaluation fails. `defer`: it is deferred, unless the state is gone for good.
 * `degrade`: it goes on without them, as with a state that is gone.
 */
export type OnReadFailure = 'fault' | 'defer' | 'degrade';

/**
 * Evaluates the observations of every subscriber. A failure is a fault that affects no other evaluation. Missing reads
 * are fetched for all subscribers at once before the evaluations continue.
 */
export async function evaluateMatches(
  matches: Matches,
  stateOf: (subscriber: Subscriber) => SubscriberState | undefined,
  fetch: Fetch,
  onReadFailure: OnReadFailure = 'fault',
): Promise<Evaluated> {
  const reads = createReadCache(fetch);
  const evaluated: Evaluated = {
    findings: [],
    sampled: [],
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
    waiting = await advanceAll(waiting, reads, evaluated, onReadFailure);
  } while (await reads.fetchMissing());
  evaluated.findings.sort(byPosition);
  return evaluated;
}

/** In the order of the block; what has no transaction comes last. */
function byPosition({ position: a }: Finding, { position: b }: Finding): number {
  if (!a || !b) return Number(!a) - Number(!b);
  return a.transaction - b.transaction || a.log - b.log;
}

/** Yields to the event loop in between; returns the evaluations that are not finished. */
async function advanceAll(
  waiting: readonly Evaluation[],
  reads: ReadCache,
  evaluated: Evaluated,
  onReadFailure: OnReadFailure,
): Promise<Evaluation[]> {
  const unfinished: Evaluation[] = [];
  let pausedAt = performance.now();
  for (const evaluation of waiting) {
    const isLate = () => performance.now() - pausedAt >= maxSliceMs;
    for (let outcome: Advance = 'paused'; outcome === 'paused'; ) {
      outcome = advance(evaluation, reads, evaluated, onReadFailure, isLate);
      if (outcome === 'waiting') unfinished.push(evaluation);
      if (!isLate()) continue;
      await setImmediate();
      pausedAt = performance.now();
    }
  }
  return unfinished;
}

type Evaluation = {
  subscriber: Subscriber;
  observations: readonly Observation[];
  next: number;
  rounds: number;
  /** Number of evaluations of the next observation; `isFinal`: without waiting for failing reads. */
  attempts: number;
  isFinal: boolean;
  before: SubscriberState;
  state: SubscriberState;
  findings: Finding[];
  sampled: SampledHoldings[];
  faults: EvaluationFault[];
};

/** A definition that reads more each time would otherwise stop its chain. */
const maxAttempts = 20;
/** Reads of one observation rarely depend on each other more often; bounds the evaluations that are thrown away. */
const maxPrefetchRounds = 8;
const maxStateBytes = 65_536;
const maxSliceMs = 15;
/** A transaction can call a contract a hundred thousand times: observations between two looks at the clock, and those read ahead. */
const observationsPerLook = 16;
const maxPrefetched = 5000;

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
    isFinal: false,
    before,
    state: before,
    findings: [],
    sampled: [],
    faults: [],
  };
}

/** `waiting`: for reads that are not cached. `paused`: others take their turn. */
type Advance = 'finished' | 'waiting' | 'paused';

/** Evaluates as far as reads are cached, and until it is late. */
function advance(
  evaluation: Evaluation,
  reads: ReadCache,
  evaluated: Evaluated,
  onReadFailure: OnReadFailure,
  isLate: () => boolean,
): Advance {
  const { subscriber, observations, faults } = evaluation;
  for (;;) {
    const observation = observations[evaluation.next];
    if (!observation) break;
    try {
      if (++evaluation.attempts > maxAttempts)
        throw new Error('The evaluation reads more each time and does not end.');
      evaluateOne(evaluation, observation, reads);
    } catch (error) {
      if (error instanceof NotFetched) {
        const parts = Math.ceil(observations.length / maxPrefetched);
        if (++evaluation.rounds <= maxPrefetchRounds * parts) prefetchReads(evaluation, reads);
        return 'waiting';
      }
      if (error instanceof EvaluationDeferred) {
        evaluated.deferred.push({ subscriber, reason: 'script time' });
        return 'finished';
      }
      const fault: EvaluationFault = {
        subscriber,
        message: messageOf(error),
        at: timeOf(observation),
        ...(error instanceof ScriptTimeout ? { loopedAt: blockOf(observation)?.block.number ?? -1 } : {}),
      };
      if (error instanceof ReadFailed && !evaluation.isFinal && onReadFailure !== 'fault') {
        if (onReadFailure === 'defer' && !error.isGone) {
          evaluated.deferred.push({ subscriber, reason: 'read', fault });
          return 'finished';
        }
        evaluation.isFinal = true;
        continue;
      }
      faults.push(fault);
    }
    evaluation.next++;
    evaluation.attempts = 0;
    evaluation.isFinal = false;
    if (evaluation.next % observationsPerLook === 0 && isLate()) return 'paused';
  }
  // One fault per block, because faults are counted by blocks.
  const fault = faults.find(({ loopedAt }) => loopedAt !== undefined) ?? faults[0];
  if (fault) evaluated.faults.push(fault);
  else evaluated.succeeded.push(subscriber);
  evaluated.evaluations += observations.length - faults.length;
  // Not spread into one call: there can be more than its stack holds.
  for (const finding of evaluation.findings) evaluated.findings.push(finding);
  evaluated.sampled.push(...evaluation.sampled);
  if (evaluation.state !== evaluation.before) evaluated.states.set(subscriber, evaluation.state);
  return 'finished';
}

/**
 * Evaluates the remaining observations only for what they read, so that many observations cost as few rounds of fetching as
 * one. The results are thrown away, because the state may still change.
 */
function prefetchReads(evaluation: Evaluation, reads: ReadCache): void {
  const { subscriber, observations, next, state, isFinal } = evaluation;
  for (const observation of observations.slice(next + 1, next + 1 + maxPrefetched)) {
    try {
      evaluateObservation(subscriber, observation, state, reads, { isFinal, notes: new Set() });
    } catch {
      // The missing reads are registered; a real failure happens again when the observation is evaluated.
    }
  }
}

function evaluateObservation(
  subscriber: Subscriber,
  observation: Observation,
  state: SubscriberState,
  reads: ReadCache,
  gaps: Gaps,
) {
  const reader = reads.reader(subscriber.contract.tenantId, blockOf(observation), gaps);
  const ownState = state.own === undefined || state.key !== subscriber.stateKey() ? undefined : state.own;
  return subscriber.evaluate(observation, ownState, reader);
}

/** Changes the evaluation only when it succeeds. */
function evaluateOne(evaluation: Evaluation, observation: Observation, reads: ReadCache): void {
  const { subscriber, state, isFinal } = evaluation;
  const gaps = { isFinal, notes: new Set<string>() };
  const outcome = evaluateObservation(subscriber, observation, state, reads, gaps);
  let after =
    outcome.state === undefined
      ? state
      : { ...state, own: checkStateSize(outcome.state), key: subscriber.stateKey() };
  const findings: Finding[] = [];
  for (const detection of outcome.detections ?? []) {
    const time = timeOf(observation);
    const held = after.held ?? 0;
    const reported = held > 0 ? { ...detection, fields: { ...detection.fields, heldBack: held } } : detection;
    const raised = subscriber.toFindings(detection.isEnd ? detection : reported, observation);
    if (detection.isEnd) {
      const { isOpen, ...rest } = after;
      // Its beginning may have been held back.
      if (isOpen !== false) findings.push(...raised);
      if (isOpen !== undefined) after = rest;
      continue;
    }
    if (subscriber.cooldownMs === 0) {
      findings.push(...raised);
      continue;
    }
    const extent = extentOf(detection, raised);
    const reach = after.alertAt !== undefined && time < after.alertAt + subscriber.cooldownMs ? after : {};
    if (reach.alertAt !== undefined && !isEscalation(extent, reach))
      after = { ...after, held: held + 1, isOpen: after.isOpen ?? false };
    else {
      findings.push(...raised);
      after = {
        ...after,
        alertAt: time,
        held: 0,
        isOpen: true,
        alertSeverity: Math.max(extent.severity, reach.alertSeverity ?? 0),
        alertMagnitude: Math.max(extent.magnitude, reach.alertMagnitude ?? 0),
      };
    }
  }
  const marked = markIncomplete(findings, gaps.notes);
  const sampled = sampleHoldings(outcome.holdings, evaluation, observation, after, findings.length > 0);
  evaluation.findings.push(...marked);
  if (sampled) {
    evaluation.sampled.push(sampled);
    after = { ...after, sampledAt: sampled.timestamp };
  }
  evaluation.state = after;
}

const sampleEveryMs = 3_600_000;

/** Samples once in each hour, and when something is found. A sample that cannot be read is left out: no alert depends on it. */
function sampleHoldings(
  holdings: (() => readonly HoldingSample[]) | undefined,
  { subscriber }: Evaluation,
  observation: Observation,
  { sampledAt }: SubscriberState,
  hasFindings: boolean,
): SampledHoldings | undefined {
  if (!holdings || !('block' in observation)) return undefined;
  const { timestamp, number } = observation.block;
  const hourOf = (time: number) => Math.floor(time / sampleEveryMs);
  if (!hasFindings && sampledAt !== undefined && hourOf(sampledAt) === hourOf(timestamp)) return undefined;
  const sample = { subscriber, timestamp, blockNumber: number, isAlerted: hasFindings };
  try {
    return { ...sample, holdings: holdings() };
  } catch (error) {
    if (error instanceof NotFetched) throw error;
    return { ...sample, holdings: [] };
  }
}

/** Severity by the detector's judgement where it judges, whatever severity is configured. */
function extentOf({ severity, magnitude = 0 }: Detection, [finding]: readonly Finding[]) {
  const judged = severity ?? finding?.severity;
  return { severity: judged === undefined ? 0 : severityOf[judged], magnitude };
}

/** True if it is worse than all reported in the cooldown, or materially larger: that must not wait. */
function isEscalation(
  { severity, magnitude }: ReturnType<typeof extentOf>,
  { alertSeverity = 0, alertMagnitude = 0 }: SubscriberState,
): boolean {
  return severity > alertSeverity || (magnitude > 0 && magnitude >= 2 * alertMagnitude);
}

/** So that no one takes for the whole truth what was judged without all that it depends on. */
function markIncomplete(findings: Finding[], notes: ReadonlySet<string>): Finding[] {
  if (notes.size === 0) return findings;
  const incompleteReason = cutText([...notes].join(' '), 500);
  return findings.map((finding) => ({
    ...finding,
    message: `${finding.message} (Incomplete: not everything about it could be read from the chain.)`,
    meta: { ...finding.meta, incomplete: true, incompleteReason },
  }));
}

function checkStateSize(state: unknown): unknown {
  const size = JSON.stringify(state).length;
  if (size > maxStateBytes)
    throw new Error(`Its state has ${size} characters; at most ${maxStateBytes} are kept.`);
  return state;
}

function blockOf(observation: Observation): Moment | undefined {
  if (!('block' in observation)) return undefined;
  const { number, hash, parentHash, receiptOf, holdingOf } = observation.block;
  const block = { number, hash };
  // There is no state before the first block of a chain.
  const parent = number === 0 ? block : { number: number - 1, hash: parentHash };
  return { block, parent, ...(receiptOf && { receiptOf }), ...(holdingOf && { holdingOf }) };
}

export function timeOf(observation: Observation): number {
  return 'block' in observation ? observation.block.timestamp : observation.at;
}
