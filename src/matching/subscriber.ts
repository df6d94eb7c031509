import { createHash } from 'node:crypto';
import { membersOf } from '../lib/isRecord.ts';
import { toJsonValue } from '../lib/json.ts';
import type { Finding, Severity } from '../model/alert.ts';
import type {
  ChainFacts,
  ContractFacts,
  Detection,
  EvaluationResult,
  Interest,
  Observation,
  Reader,
} from '../model/detection.ts';
import type { Fault } from '../model/errors.ts';

/** A detector or trigger of a tenant, compiled: it can be matched and evaluated. */
export type Subscriber = {
  readonly kind: 'detector' | 'trigger';
  readonly id: number;
  readonly name: string;
  readonly contract: ContractFacts;
  readonly interests: readonly Interest[];
  /** True if its alerts are, or can be, CRITICAL or HIGH. */
  readonly isSevere: boolean;
  /** The severity that its alerts have, or can have at most. */
  readonly severity: Severity;
  /** True if it is shown a block as soon as it is created or enabled, to compare later ones with. */
  readonly takesBaseline?: boolean;
  /** Length of the history that its state covers. */
  readonly lookbackMs?: number;
  /** True if it is shown transactions that no block has yet. */
  readonly seesPending?: boolean;
  /** Findings within this time after an alert are only counted. */
  readonly cooldownMs: number;
  /** Identifies the settings that its state depends on: a state of other settings is ignored. */
  stateKey(): string;
  evaluate(observation: Observation, state: unknown, read: Reader): EvaluationResult<unknown>;
  /** A detector makes one alert of a detection, a trigger as many as it has alerts. */
  toFindings(detection: Detection, observation: Observation): Finding[];
};

/** Identifies a subscriber, also one that cannot be compiled. */
export type SubscriberRef = Pick<Subscriber, 'kind' | 'id' | 'name' | 'contract'> &
  Partial<Pick<Subscriber, 'isSevere'>>;

/** A short hash of settings. */
export function toStateKey(settings: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 12);
}

/** Evidence as JSON. */
export function toMeta(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return membersOf(toJsonValue(fields));
}

/** Identifies what repeats: the first sentence of a message without numbers, addresses and what stands in brackets. */
export function toCause({ kind, id }: Pick<Subscriber, 'kind' | 'id'>, message: string): string {
  const [sentence = ''] = message.split('. ', 1);
  const shape = withoutBrackets(sentence)
    .replace(/0x[0-9a-f]+/gi, '#')
    // Base58 and bech32.
    .replace(/\b[0-9A-Za-z]{26,90}\b/g, '#')
    .replace(/[\d.,]*\d/g, '#')
    .replace(/# × #\^#/g, '#');
  return `${kind} ${id} ${toStateKey([shape])}`;
}

function withoutBrackets(text: string): string {
  let depth = 0;
  let rest = '';
  for (const mark of text) {
    if (mark === '(') depth++;
    else if (mark === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) rest += mark;
  }
  return rest.replace(/\s+/g, ' ');
}

export function otherFamily(name: string, { uid, family }: ChainFacts): string {
  return `${name} does not work on ${uid}, which is of the family ${family}.`;
}

export function describeFirst([first]: readonly Fault[]): string {
  return first ? `${first.pointer} ${first.message}` : '';
}
