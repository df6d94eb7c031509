import { type Static, Type } from 'typebox';
import { Addresses, Choice, Configuration, Duration, Flag } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import {
  type ChainFacts,
  type ContractFacts,
  type Detection,
  type Detector,
  defineDetector,
  type EvaluationContext,
  type Observation,
} from '../model/detection.ts';
import type { Fault } from '../model/errors.ts';
import { familyNames } from '../model/family.ts';
import { customEvent } from './customEvent.ts';
import { customFunction } from './customFunction.ts';
import { customTx } from './customTx.ts';

const config = Configuration({
  what: Choice(
    'What is expected: a transaction that touches the contract, an event that it emits, a call of one of its functions, or an alert (also a pushed one).',
    ['TRANSACTION', 'EVENT', 'CALL', 'ALERT'],
    'TRANSACTION',
  ),
  within: Duration('How long it may stay away: a minute to 90 days.', '1 day'),
  signature: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description:
        'The event or function, as custom_event and custom_function take it, such as AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt).',
    }),
  ),
  from: Addresses('Senders that count, such as a keeper; any when none is named.', 100),
  expression: Type.String({
    format: 'script',
    default: 'true',
    minLength: 1,
    maxLength: 10_000,
    description:
      'What must hold of it for it to count: `e` is that of custom_tx, custom_event or custom_function.',
  }),
  innerCalls: Flag(
    'Whether calls that contracts make within transactions count too, where nodes trace them.',
    false,
  ),
  query: Type.String({
    format: 'alertQuery',
    maxLength: 10_000,
    default: '',
    description:
      'Which alerts count, in the query language of alert searches, such as detectorId:12. Alerts of this kind never count.',
  }),
  scope: Choice(
    'Whose alerts count: those of the contract, of all contracts of its project, or of the whole tenant.',
    ['CONTRACT', 'PROJECT', 'TENANT'],
    'CONTRACT',
  ),
});

type Config = Static<typeof config>;

/** `at`: when it happened last, or counting began. `lookedAt`: the last look, up to which everything was seen. */
type State = {
  readonly at: number;
  readonly happened?: { readonly block?: number; readonly txHash?: string; readonly alert?: string };
  readonly lookedAt: number;
  readonly isMissing?: true;
};

const minWithinMs = 60_000;
const maxWithinMs = 90 * 86_400_000;
const looksWithin = 12;
const minLookMs = 5_000;
const maxLookMs = 15 * 60_000;
/** So many block times without a block, or so many looks without one, and what happened meanwhile is unknown. */
const holeBlocks = 10;
const holeLooks = 3;

/** The kinds of detectors that recognise what is expected on the chain. */
const kinds: Partial<Record<Config['what'], Detector>> = {
  TRANSACTION: customTx,
  EVENT: customEvent,
  CALL: customFunction,
};

export const absence = defineDetector<Config, State>({
  name: 'absence',
  title: 'Absence',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: familyNames,
  severity: 'HIGH',
  description:
    'Something that should happen did not happen within a time: a transaction, an event, the call of a keeper, an alert or a pushed finding. One alert when the time has passed, and an INFO alert when it happens again.',
  faq: 'Does downtime count as absence? No. On a chain, time is that of the blocks that were read; for alerts it passes while Vigil runs and has caught up with the chain. After blocks that could not be read, a pause of the detector, or a chain that stood still for ten block times, counting begins again: chain_halt reports that.',
  nextStep:
    'Check the keeper, the bridge or the job that should have done it, and its account for gas. Then do by hand what it left undone.',
  config,
  fields: [
    'what',
    'signature',
    'query',
    'within',
    'lastAt',
    'lastBlock',
    'lastTxHash',
    'lastAlert',
    'lookedUntil',
    'lookedUntilBlock',
    'silentSeconds',
  ],
  check(options, abi, family, others) {
    const { what, within, signature } = options;
    const ms = parseDuration(within);
    const faults: Fault[] = [];
    if (ms < minWithinMs || ms > maxWithinMs)
      faults.push({ pointer: '/within', code: 'range', message: 'must be from 1 min to 90 days.' });
    const isNamed = what === 'EVENT' || what === 'CALL';
    if (isNamed && signature === undefined)
      faults.push({ pointer: '/signature', code: 'required', message: `is needed when what is ${what}.` });
    if (!isNamed && signature !== undefined)
      faults.push({
        pointer: '/signature',
        code: 'unused',
        message: `names an event or a function, but what is ${what}.`,
      });
    const kind = kinds[what];
    if (kind && !kind.families.includes(family))
      faults.push({
        pointer: '/what',
        code: 'family',
        message: `cannot be ${what} on chains of this family.`,
      });
    else if (kind && (!isNamed || signature !== undefined))
      faults.push(...(kind.check?.(toKindConfig(options), abi, family, others) ?? []));
    return faults;
  },
  interests(options, contract, chain) {
    const schedule = { type: 'every', ms: lookMs(options) } as const;
    const kind = kinds[options.what];
    if (!kind) return [{ on: 'clock', schedule }];
    return [...kind.interests(toKindConfig(options), contract, chain), { on: 'block', schedule }];
  },
  evaluate(observation, context) {
    if (observation.type === 'clock')
      return context.config.what === 'ALERT' ? lookAtAlerts(observation, context) : {};
    if (observation.type === 'block')
      return look(observation.block.timestamp, observation.block.number, context);
    return recognise(observation, context);
  },
});

type Context = EvaluationContext<Config, State>;
type Outcome = { detections?: readonly Detection[]; state?: State };

function toKindConfig({ signature, expression, innerCalls }: Config) {
  return { signature, expression, innerCalls, addresses: [], status: 'success' };
}

/** It happened on the chain, if the kind of detector finds it. */
function recognise(observation: Observation, context: Context): Outcome {
  const { config: options, contract, chain, state, read } = context;
  if (!('transaction' in observation)) return {};
  const kind = kinds[options.what];
  const own = { config: toKindConfig(options), contract, chain, read, state: undefined };
  const detection = kind?.evaluate(observation, own).detections?.[0];
  if (!detection) return {};
  const from = options.from.map((address) => chain.canonical(address));
  if (from.length > 0 && !from.includes(chain.canonical(String(detection.fields.from)))) return {};
  const { block, transaction } = observation;
  // Of what happens all the time, not every block writes.
  if (state && !state.isMissing && block.timestamp < state.at + graceMs(options)) return {};
  return happen(block.timestamp, { block: block.number, txHash: transaction.hash }, context);
}

function happen(
  time: number,
  happened: NonNullable<State['happened']>,
  context: Context,
): Outcome & { state: State } {
  const { state } = context;
  const after: State = {
    at: Math.max(time, state?.at ?? 0),
    happened,
    lookedAt: Math.max(time, state?.lookedAt ?? 0),
  };
  if (!state?.isMissing) return { state: after };
  const { what } = describe(context);
  const silentMs = Math.max(0, time - state.at);
  return {
    state: after,
    detections: [
      {
        severity: 'INFO',
        isEnd: true,
        message: `${what} came again after ${showMs(silentMs)}.`,
        fields: { ...fieldsOf(context, after), silentSeconds: Math.round(silentMs / 1000) },
      },
    ],
  };
}

/** Everything up to this time was seen. */
function look(time: number, block: number | undefined, context: Context): Outcome {
  const { config: options, chain, state } = context;
  if (!state) return { state: { at: time, lookedAt: time } };
  if (time <= state.lookedAt) return {};
  const isHole = time - state.lookedAt > holeMs(options, chain);
  if (isHole) return { state: { ...state, at: state.isMissing ? state.at : time, lookedAt: time } };
  const after = { ...state, lookedAt: time };
  const silentMs = time - state.at;
  if (state.isMissing || silentMs <= parseDuration(options.within) + graceMs(options))
    return { state: after };
  const { what, of } = describe(context);
  const last = state.happened
    ? `the last one was at ${new Date(state.at).toISOString()}`
    : `none has come since counting began at ${new Date(state.at).toISOString()}`;
  const looked = block === undefined ? '' : ` All blocks up to ${block} were looked at.`;
  return {
    state: { ...after, isMissing: true },
    detections: [
      {
        message: `${what}${of} did not come within ${options.within}: ${last}.${looked}`,
        fields: {
          ...fieldsOf(context, state),
          lookedUntil: new Date(time).toISOString(),
          lookedUntilBlock: block,
          silentSeconds: Math.round(silentMs / 1000),
        },
      },
    ],
  };
}

function lookAtAlerts(
  { at, newest, processed }: Extract<Observation, { type: 'clock' }>,
  context: Context,
): Outcome {
  const { config: options, contract, chain, state, read } = context;
  // While blocks remain to be read, their alerts are yet to come.
  const isLate = newest && processed && newest.number > processed.number;
  if (isLate && at - processed.timestamp > holeMs(options, chain)) return {};
  const { query, scope, within } = options;
  const newestMatch = read.newestAlert({
    query,
    ...(scope === 'CONTRACT' && { contractId: contract.id }),
    ...(scope === 'PROJECT' && { projectId: contract.projectId }),
    since: at - parseDuration(within) - graceMs(options),
  });
  if (!newestMatch || (state && newestMatch.timestamp <= state.at)) return look(at, undefined, context);
  const { state: after, ...rest } = happen(newestMatch.timestamp, { alert: newestMatch.uid }, context);
  return { ...rest, state: { ...after, lookedAt: Math.max(at, after.lookedAt) } };
}

function lookMs({ within }: Config): number {
  return Math.min(Math.max(Math.floor(parseDuration(within) / looksWithin), minLookMs), maxLookMs);
}

/** It may be late by this much without an alert; less often than that, what happens is not written. */
function graceMs(options: Config): number {
  return Math.min(lookMs(options), 60_000);
}

function holeMs(options: Config, { blockTimeMs }: ChainFacts): number {
  return Math.max(holeLooks * lookMs(options), holeBlocks * blockTimeMs, minWithinMs);
}

function describe({
  config: { what, signature = '' },
  contract,
}: {
  config: Config;
  contract: ContractFacts;
}) {
  const name = signature.replace(/\(.*$/s, '').trim();
  const of = what === 'ALERT' ? '' : ` of ${contract.name}`;
  const words: Record<Config['what'], string> = {
    TRANSACTION: 'A transaction',
    EVENT: `The event ${name}`,
    CALL: `A call of ${name}`,
    ALERT: 'An alert',
  };
  return { what: words[what], of };
}

function fieldsOf({ config: { what, signature, query, within } }: Context, state: State) {
  return {
    what,
    signature,
    query: what === 'ALERT' ? query : undefined,
    within,
    lastAt: state.happened && new Date(state.at).toISOString(),
    lastBlock: state.happened?.block,
    lastTxHash: state.happened?.txHash,
    lastAlert: state.happened?.alert,
  };
}

const units = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

function showMs(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms >= 2 * length) ?? ['s', 1000];
  return `${Math.round(ms / size)} ${unit}${unit === 'day' ? 's' : ''}`;
}
