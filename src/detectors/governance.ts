import type { Static } from 'typebox';
import { functionSelector } from '../codecs/evm/abi.ts';
import { type DescribedCall, describeCall } from '../evidence/evm/describeCall.ts';
import {
  type EventValues,
  governanceEvents,
  governanceValues,
  showSpan,
} from '../evidence/evm/governanceEvents.ts';
import { Configuration, Duration } from '../evidence/parameters.ts';
import { cutText } from '../lib/cutText.ts';
import { parseDuration } from '../lib/duration.ts';
import { isRecord } from '../lib/isRecord.ts';
import { showId } from '../lib/showNumber.ts';
import { defineDetector, type EvaluationContext } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  minDelay: Duration(
    'Time that must pass at least between announcing a call and its execution; less is reported with severity HIGH.',
    '1 day',
  ),
});

export const governance = defineDetector<Static<typeof config>, never>({
  name: 'governance',
  title: 'Governance',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: evmDialect,
  recommendedFor: {
    TIMELOCK: ({ facts: { minDelay } }) =>
      minDelay
        ? {
            config: { minDelay: `${minDelay} s` },
            reason: `It delays calls by ${minDelay} s; a shorter delay is reported as HIGH.`,
          }
        : { reason: 'It delays calls, but its delay is 0 at present.' },
    GOVERNOR: () => ({ reason: 'Proposals decide what it executes.' }),
  },
  severity: 'MEDIUM',
  description:
    'A proposal is made, queued, executed or cancelled, a timelock schedules or executes a call, or its delay changes. HIGH when the delay is below the least that is wanted.',
  faq: 'Which contracts does it understand? Governors of OpenZeppelin and Compound and both timelocks, the governance of Aave, votes of Aragon, and the chief and the pause of Maker; watch the governor and its timelock, since each emits only its own events.',
  nextStep:
    'Read what the proposal or the queued call does. If it is hostile or unknown, cancel or veto it before its delay ends.',
  config,
  fields: ['event', ...governanceValues, 'delaySeconds', 'isShort', 'sender'],
  interests: (_config, { address }) => [{ on: 'log', address, keys: [...governanceEvents.keys()] }],
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const {
      config: { minDelay },
      contract,
    } = context;
    const { log, transaction, block } = observation;
    const reported = governanceEvents.get(log.key);
    if (!reported) return {};
    const { name, sentence, delay } = reported;
    const values = reported.values(log);
    const delaySeconds = delay?.(values, block.timestamp / 1000);
    const isShort = delaySeconds !== undefined && delaySeconds * 1000 < parseDuration(minDelay);
    const warning = isShort ? ` That is less than the ${minDelay} wanted.` : '';
    return {
      detections: [
        {
          ...(isShort ? { severity: 'HIGH' as const } : {}),
          message:
            [whole(sentence(values, contract.name)), ...details(values, delaySeconds, context)].join(' ') +
            warning,
          fields: {
            event: name,
            ...shortened(values),
            delaySeconds,
            isShort,
            sender: transaction.from,
          },
        },
      ],
    };
  },
});

const maxDescribed = 3;

/** Time of execution, voting period, and calls of a proposal. */
function details(
  values: EventValues,
  delaySeconds: number | undefined,
  { contract, chain, read }: EvaluationContext<Static<typeof config>, never>,
): string[] {
  const calls = callsOf(values);
  const described = read.all(
    calls.slice(0, maxDescribed).map((call) => () => describeCall({ read, chain, abi: contract.abi }, call)),
  );
  const more = calls.length > maxDescribed ? ` and ${calls.length - maxDescribed} more` : '';
  const { executionTime, etaSeconds = executionTime, eta = etaSeconds, voteStart, voteEnd } = values;
  return [
    ...(eta !== undefined && delaySeconds !== undefined
      ? [`It can be executed in ${showSpan(delaySeconds)} at the earliest.`]
      : []),
    ...(voteStart !== undefined
      ? [`Votes count from ${showPoint(voteStart)} to ${showPoint(voteEnd)}.`]
      : []),
    ...(described.length > 0 ? [`Calls: ${described.join('; ')}${more}.`] : []),
  ];
}

/** The calls of a proposal or payload, or the one of a timelock; Compound writes the function apart from its values. */
function callsOf(values: EventValues): DescribedCall[] {
  const { actions } = values;
  if (!Array.isArray(actions)) return plainCallsOf(values);
  return actions
    .filter(isRecord)
    .flatMap(({ to, target = to, data, callData = data, ...rest }) =>
      plainCallsOf({ ...rest, target, data: callData }),
    );
}

function plainCallsOf({
  target,
  targets,
  value,
  values,
  signature,
  signatures,
  data,
  calldatas,
}: EventValues): DescribedCall[] {
  const lists = [targets ?? [target], values ?? [value], signatures ?? [signature], calldatas ?? [data]];
  const [to, coins, functions, inputs] = lists.map((list): readonly unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return to!.flatMap((target, index) => {
    const [amount, written, input] = [coins![index], functions![index], inputs![index]];
    if (typeof target !== 'string' || typeof amount !== 'bigint' || typeof input !== 'string') return [];
    const head = typeof written === 'string' && written !== '' ? functionSelector(written) : '0x';
    return [{ to: target, value: amount, data: head === '0x' ? input : head + input.slice(2) }];
  });
}

/** Governors count in blocks or in seconds. */
function showPoint(value: unknown): string {
  const point = Number(value);
  return point > 1e9 && point < 1e11 ? new Date(point * 1000).toISOString() : `block ${showId(value)}`;
}

/** A description may end as it likes. */
function whole(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Call data and descriptions may be of any size; an alert keeps their beginning. */
function shortened(values: EventValues): EventValues {
  const cut = (value: unknown): unknown =>
    typeof value === 'string'
      ? cutText(value, 2_000)
      : Array.isArray(value)
        ? value.slice(0, 50).map(cut)
        : isRecord(value)
          ? shortened(value)
          : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cut(value)]));
}
