import { type Static, Type } from 'typebox';
import { functionItem } from '../codecs/evm/abiItems.ts';
import { abiMember } from '../codecs/evm/abiMember.ts';
import { compileComparison } from '../codecs/evm/compileComparison.ts';
import { createShowResult } from '../evidence/evm/describeCall.ts';
import { Condition, Configuration, Polling, scheduleOf } from '../evidence/parameters.ts';
import { readView, tryView, viewOf } from '../evidence/readView.ts';
import { evaluateCondition, parseCondition } from '../lib/condition.ts';
import { parseDecimal } from '../lib/decimal.ts';
import { showChange } from '../lib/showValue.ts';
import { defineTrigger } from '../model/detection.ts';
import type { Fault } from '../model/errors.ts';
import { type Family, hasEvmDialect, readsViews } from '../model/family.ts';
import { FunctionSignature } from './support/calls.ts';
import { attempt, Comparand, refuseFaults } from './support/conditions.ts';
import { memoizeParams } from './support/memoizeParams.ts';
import { fromStateText, toStateText } from './support/toStateText.ts';

const params = Configuration(
  {
    signature: FunctionSignature(
      'The function with what it gives, such as balanceOf(address)(uint256); results may be left out where the contract’s ABI has them. On Stellar and the Internet Computer its name in the contract’s Soroban spec or Candid interface.',
    ),
    params: Type.Array(Type.Unknown(), {
      default: [],
      maxItems: 50,
      description: 'Values to call it with; large numbers as text.',
    }),
    result: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Which of several results, by name or position, such as 1 or order.amount; the first one without it.',
      }),
    ),
    condition: Type.Optional(
      Condition(
        'What must hold of the result, a number, such as "> 100" or ">= 10%"; reported when it has changed.',
      ),
    ),
    equals: Type.Optional(Comparand('The result to report.')),
    ...Polling('block', '1 min'),
  },
  ['signature'],
);
type Params = Static<typeof params>;
type State = { value: string; armed?: false };

const compiled = memoizeParams(compile);

export const viewFunction = defineTrigger<Params, State>({
  type: 'VIEW_FUNCTION',
  families: readsViews,
  description:
    'A reading function of the contract gives a result that meets a condition or equals a value, reported when it begins to and at every change while it does; without either, every change is reported.',
  params,
  fields: ['function', 'params', 'result', 'before', 'condition', 'equals'],
  check: (given, abi, family) => compile(given, abi, family).faults,
  takesBaseline: true,
  interests: (looks) => [{ on: 'block', ...scheduleOf(looks) }],
  evaluate(observation, { config, contract, chain, state, read }) {
    if (observation.type !== 'block') return {};
    const { view, data, resultOf, equals, faults } = compiled(config, contract, chain.family);
    refuseFaults(faults);
    if (!view) return {};
    const { item } = view;
    const now = resultOf(readView(read, contract.address, view, data));
    const after = toStateText(now);
    const earlier = state ? undefined : tryView(read, contract.address, view, data, 'parent');
    const before =
      state?.value ?? (earlier && 'results' in earlier ? toStateText(resultOf(earlier.results)) : undefined);
    const { fires, armed } = judge(config, equals, now, { after, before, armed: state?.armed });
    const next: State = { value: after, ...(!armed && { armed }) };
    const newState = next.value === state?.value && next.armed === state.armed ? {} : { state: next };
    // The result of the very first check is reported as well, unless only changes are wanted.
    const isNews =
      after !== before || (state === undefined && (config.condition ?? config.equals) !== undefined);
    if (!fires || !isNews) return newState;
    const show = createShowResult(read, chain, contract.address, item);
    const was = before === undefined || before === after ? undefined : fromStateText(before, now);
    return {
      ...newState,
      detections: [
        {
          message: `${item.name} of ${contract.name} gives ${showChange(now, was, show)}.`,
          fields: {
            function: item.name,
            params: config.params,
            result: now,
            before,
            condition: config.condition,
            equals: config.equals,
          },
        },
      ],
    };
  },
});

function judge(
  { condition }: Params,
  equals: ((value: unknown) => boolean) | undefined,
  now: unknown,
  { after, before, armed }: { after: string; before: string | undefined; armed: boolean | undefined },
): { fires: boolean; armed: boolean } {
  if (equals) return { fires: equals(now), armed: true };
  if (condition === undefined) return { fires: before !== undefined, armed: true };
  return evaluateCondition(parseCondition(condition), {
    value: parseDecimal(after),
    previous: before === undefined ? undefined : parseDecimal(before),
    armed,
  });
}

function compile(given: Params, abi: readonly unknown[], family: Family) {
  const faults: Fault[] = [];
  const note = (pointer: string, message: string) => faults.push({ pointer, code: 'not-fitting', message });
  const found = attempt(() => viewOf(given.signature, abi, family, functionItem));
  if ('fault' in found) note('/signature', found.fault);
  const view = 'made' in found ? found.made : undefined;
  const outputs = view?.item.outputs ?? [];
  if (view && outputs.length === 0) note('/signature', nothingGiven(family));
  const data = attempt(() => view?.encode(given.params) ?? '');
  if ('fault' in data) note('/params', data.fault);
  const first = outputs[0]?.name || '0';
  const member = attempt(() => abiMember(outputs, given.result ?? first));
  if ('fault' in member && outputs.length > 0) note('/result', member.fault);
  const parameter = 'made' in member ? member.made.parameter : undefined;
  if (given.condition !== undefined && given.equals !== undefined)
    note('/equals', 'cannot be given together with condition.');
  if (given.condition !== undefined && parameter && !/^u?int\d*$/.test(parameter.type))
    note('/condition', `compares numbers, but the result is of type ${parameter.type}; use equals.`);
  const wanted = given.equals;
  const equals =
    wanted !== undefined && parameter ? attempt(() => compileComparison(parameter, '==', wanted)) : undefined;
  if (equals && 'fault' in equals) note('/equals', equals.fault);
  return {
    view,
    data: 'made' in data ? data.made : '',
    resultOf: (results: readonly unknown[]) => ('made' in member ? member.made.read(results) : undefined),
    equals: equals && 'made' in equals ? equals.made : undefined,
    faults,
  };
}

function nothingGiven(family: Family): string {
  return hasEvmDialect(family)
    ? 'must say what the function gives, such as balanceOf(address)(uint256).'
    : 'must be a function that gives something.';
}
