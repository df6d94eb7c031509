import { type Static, Type } from 'typebox';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { groupDigits } from '../evidence/amounts.ts';
import { createShowResult } from '../evidence/evm/describeCall.ts';
import { holdsFor } from '../evidence/holdsFor.ts';
import { Address, Configuration, Flag, Polling, scheduleOf, Whole } from '../evidence/parameters.ts';
import { interfaceOf, tryView, viewFaults, viewOf } from '../evidence/readView.ts';
import { endOfCondition, judgeRepeat, meets, repeatMembers } from '../evidence/repeats.ts';
import { judgeSample, keepState, type SampleJudgement, type SampleState } from '../evidence/samples.ts';
import { type Decimal, formatDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { harmless } from '../lib/harmless.ts';
import { showChange } from '../lib/showValue.ts';
import { defineDetector, type EvaluationContext, type EvaluationResult } from '../model/detection.ts';
import { readsViews } from '../model/family.ts';
import { everyLook } from '../model/repeat.ts';

const config = Configuration(
  {
    function: Type.String({
      format: evmFormat.functionOrName,
      description:
        'The reading function with what it gives, such as balanceOf(address)(uint256). On Stellar and the Internet Computer its name in the Soroban spec or Candid interface of the contract that is asked.',
    }),
    params: Type.Array(Type.Unknown(), {
      description: 'Values of its parameters in order; large numbers as text, lists and structs as JSON.',
      default: [],
      maxItems: 50,
    }),
    target: Type.Optional(Address('Contract that is asked, if not the watched one.')),
    result: Type.String({
      description: 'The result to check, if there are several: its name, or its position counted from 0.',
      default: '0',
      maxLength: 100,
    }),
    decimals: Whole('Decimals of the result: 18 makes 1 of 10^18.', 0, 0, 77),
    condition: Type.Optional(
      Type.String({
        format: 'condition',
        description: 'The condition on the result for an alert, such as ">> 100" or "< -5%".',
      }),
    ),
    script: Type.Optional(
      Type.String({
        format: 'script',
        minLength: 1,
        maxLength: 10_000,
        description:
          'What must hold for an alert, such as e.value > e.previous * 2n. `e` has value, values (all results by name or position), previous (the value of the last look, or null), address, blockNumber and timestamp.',
      }),
    ),
    trackErr: Flag('Tell when the call begins to fail.', true),
    errAlways: Flag('Tell at every look at which the call fails.', false),
    ...repeatMembers,
    ...Polling('cron', '1 min'),
  },
  ['function'],
);
type Config = Static<typeof config>;

type State = SampleState & { readonly last?: string; readonly isFailing?: true };

export const contractCall = defineDetector<Config, State>({
  name: 'contract_call',
  title: 'Contract call',
  version: '1.0.0',
  category: 'OPERATIONAL',
  families: readsViews,
  recommendedFor: {
    ERC4626: ({ facts: { decimals = 18 } }) => ({
      config: {
        function: 'convertToAssets(uint256)(uint256)',
        params: [(10n ** BigInt(decimals)).toString()],
        condition: '> 1%',
        when: 'block',
        severity: 'HIGH',
      },
      reason:
        'It is a vault (ERC-4626): what a share is worth moves by 1 % from block to block, down by a loss or up by a donation that bends its price.',
    }),
  },
  severity: 'AUTO',
  description:
    'What a reading function gives meets a condition or a script; without either, any change of it is reported. MEDIUM for values, HIGH when the call begins to fail.',
  faq: 'How often does it report a value that stays where it should not be? Once, and once more as INFO when that is over, unless `repeat` says otherwise. Without a condition or script, and with a script that reads e.previous, each look counts for itself. Where both a condition and a script are given, both must hold.',
  nextStep: 'Find the transaction that changed the value, and check whether it was meant.',
  config,
  pending: true,
  fields: ['function', 'address', 'value', 'values', 'previous', 'condition', 'ended', 'params', 'error'],
  takesBaseline: true,
  check: (settings, abi, family, rest) => viewFaults(settings, abi, family, rest),
  targets: ({ target }) => (target === undefined ? [] : [target]),
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, context) {
    if (observation.type !== 'block') return {};
    const { config: settings, contract, chain, state, read } = context;
    const view = viewOf(settings.function, interfaceOf(settings.target, context), chain.family);
    const { item, title } = view;
    const address = settings.target ?? contract.address;
    const answer = tryView(read, address, view, view.encode(settings.params));
    const shown = `${title} of ${address === contract.address ? contract.name : address}`;
    if ('failure' in answer) return failed(context, shown, answer.failure);
    const names = item.outputs.map(({ name }, index) => name || String(index));
    const values = Object.fromEntries(names.map((name, index) => [name, answer.results[index]]));
    const value = pick(settings.result, names, answer.results);
    const { number, timestamp } = observation.block;
    const e = { value, values, previous: previousOf(state, value), address, blockNumber: number, timestamp };
    const needsLast = looksBack(settings);
    const judged = judge(context, e);
    const newState = keepState(state, { ...judged.after, ...(needsLast && { last: toText(value) }) });
    if (!judged.fires && !judged.ends) return newState;
    const isScaled = settings.decimals > 0;
    const write = (result: unknown) =>
      isScaled ? formatDecimal(toNumber(result, settings)) : toText(result);
    const was = judged.previous ?? (e.previous === null ? undefined : write(e.previous));
    const shownValue = write(value);
    const show = isScaled
      ? (text: unknown) => groupDigits(String(text))
      : createShowResult(read, chain, address, item);
    return {
      ...newState,
      detections: [
        {
          ...(judged.ends ? endOfCondition : { severity: 'MEDIUM' }),
          message: `${shown} gives ${showChange(shownValue, was, show)}${why(settings, judged)}.`,
          fields: {
            function: title,
            address,
            value: shownValue,
            values,
            previous: was,
            condition: settings.condition,
            ended: judged.ends || undefined,
          },
        },
      ],
    };
  },
});

function failed(
  { config: settings, state }: EvaluationContext<Config, State>,
  shown: string,
  error: string,
): EvaluationResult<State> {
  const { trackErr, errAlways } = settings;
  const newState = keepState(state, { ...state, isFailing: true });
  if (!errAlways && (!trackErr || state?.isFailing)) return newState;
  return {
    ...newState,
    detections: [
      {
        severity: 'HIGH',
        message: `${shown} fails: ${harmless(error, 200)}.`,
        fields: { function: settings.function, params: settings.params, error },
      },
    ],
  };
}

type Seen = { value: unknown; previous: unknown };

function judge(
  { config: settings, state, read }: EvaluationContext<Config, State>,
  e: Seen & { timestamp: number },
): SampleJudgement {
  const { condition, script, repeat, reportEnd } = settings;
  // The script runs in any case, so that a fault of it does not hide until the condition holds.
  const isScriptTrue = script === undefined || holdsFor(read, script, { e });
  const repeats = looksBack(settings) ? { repeat: everyLook, reportEnd: false } : { repeat, reportEnd };
  if (condition !== undefined) {
    const value = toNumber(e.value, settings);
    return judgeSample({ condition, ...repeats }, value, e.timestamp, state, isScriptTrue);
  }
  const hasChanged = e.previous !== null && toText(e.previous) !== toText(e.value);
  const holds = script === undefined ? hasChanged : isScriptTrue;
  return judgeRepeat(repeats, holds, e.timestamp, state);
}

/** Its script compares with the last look, or it reports every change: a look then counts for itself. */
function looksBack({ script, condition }: Config): boolean {
  return script === undefined ? condition === undefined : script.includes('revious');
}

function why({ condition }: Config, judged: SampleJudgement): string {
  if (condition !== undefined) return `, which ${meets(judged)} ${condition}`;
  return judged.ends ? ', for which the script no longer holds' : '';
}

function pick(wanted: string, names: readonly string[], results: readonly unknown[]): unknown {
  const named = names.indexOf(wanted);
  const index = named >= 0 ? named : /^\d{1,3}$/.test(wanted) ? Number(wanted) : results.length;
  if (index < results.length) return results[index];
  throw new Error(`The function has no result ${wanted}; it has ${names.join(', ')}.`);
}

function toNumber(value: unknown, { decimals, condition }: Config): Decimal {
  if (typeof value === 'boolean') return toDecimal(value ? 1n : 0n);
  if (typeof value === 'bigint' || typeof value === 'number') return toDecimal(BigInt(value), decimals);
  if (typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value))
    return parseDecimal(BigInt(value).toString());
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return parseDecimal(value);
  throw new Error(
    `The result ${toText(value)} is no number, so ${condition ?? 'decimals'} cannot be applied; use a script.`,
  );
}

/** A distinct text for each value, which the state can store. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? inner.toString() : inner,
  ).replace(/^"(-?\d+)"$/, '$1');
}

/** The value of the last look in the type that the value has now. */
function previousOf(state: State | undefined, value: unknown): unknown {
  if (state?.last === undefined) return null;
  if (typeof value === 'string') return state.last;
  const last: unknown = typeof value === 'bigint' ? BigInt(state.last) : JSON.parse(state.last);
  return last;
}
