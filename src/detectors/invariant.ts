import { type Static, Type } from 'typebox';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { type Comparison, holdsWithin, splitComparison } from '../evidence/comparison.ts';
import { readHolding } from '../evidence/evm/tokens.ts';
import { holdsFor, runScript } from '../evidence/holdsFor.ts';
import { Address, AmountOrPercent, Configuration, Polling, scheduleOf } from '../evidence/parameters.ts';
import { interfaceOf, readView, viewFaults, viewOf } from '../evidence/readView.ts';
import { endMember, endOfCondition } from '../evidence/repeats.ts';
import { keepState } from '../evidence/samples.ts';
import { type Decimal, formatDecimal, parseDecimal, subtractDecimal, toDecimal } from '../lib/decimal.ts';
import { showValue } from '../lib/showValue.ts';
import { defineDetector, type EvaluationContext } from '../model/detection.ts';
import { readsViews } from '../model/family.ts';

const term = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
      description: 'Its name in the expression.',
    }),
    function: Type.Optional(
      Type.String({
        format: evmFormat.functionOrName,
        description:
          'A reading function with what it gives, such as totalAssets()(uint256); on Stellar and the Internet Computer its name.',
      }),
    ),
    params: Type.Array(Type.Unknown(), {
      description: 'Values of the function’s parameters in order.',
      default: [],
      maxItems: 50,
    }),
    target: Type.Optional(Address('Contract that is asked, if not the watched one.')),
    balanceOf: Type.Optional(Address('Whose balance it is, instead of a function.')),
    token: Type.String({
      format: evmFormat.asset,
      description: 'In what the balance is: native, or the address of a token.',
      default: 'native',
    }),
  },
  { additionalProperties: false, required: ['name'] },
);

const config = Configuration(
  {
    terms: Type.Array(term, {
      description: 'The values that are compared: results of functions, or balances.',
      minItems: 1,
      maxItems: 20,
    }),
    expression: Type.String({
      format: 'script',
      description:
        'What must always hold, such as shares * price <= assets. Terms are big integers: write 2n.',
      minLength: 1,
      maxLength: 10_000,
    }),
    tolerance: AmountOrPercent(
      'By how much a single comparison may be missed: an amount in the terms’ own unit, or a share of its right side.',
      '0',
    ),
    ...endMember,
    ...Polling('block', '1 min'),
  },
  ['terms', 'expression'],
);
type Config = Static<typeof config>;

type State = { readonly isBroken?: true };

export const invariant = defineDetector<Config, State>({
  name: 'invariant',
  title: 'Invariant',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: readsViews,
  severity: 'HIGH',
  description:
    'An expression over results of functions and balances, which must always hold, no longer does. Reported once, and once more as INFO when it holds again.',
  faq: 'What if a function fails? Then the invariant cannot be judged, which is recorded as a fault of the detector.',
  nextStep:
    'Pause the contract unless you can explain the gap at once: find the transaction after which the values no longer fit.',
  config,
  fields: ['expression', 'tolerance', 'left', 'right', 'gap', 'terms', 'ended'],
  check: ({ terms }, abi, family, rest) =>
    terms.flatMap(({ function: signature, ...asked }, index) =>
      signature === undefined
        ? []
        : viewFaults({ ...asked, function: signature }, abi, family, rest, `/terms/${index}`),
    ),
  targets: ({ terms }) => terms.flatMap(({ target }) => target ?? []),
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, context) {
    if (observation.type !== 'block') return {};
    const { config: settings, contract, state, read } = context;
    const answers = read.all(settings.terms.map((item) => () => readTerm(context, item)));
    const values = Object.fromEntries(settings.terms.map(({ name }, n) => [name, answers[n]]));
    const { holds, ...sides } = judge(context, values);
    const newState = keepState<State>(state, holds ? {} : { isBroken: true });
    const ended = holds && state?.isBroken === true && settings.reportEnd;
    if (!ended && (holds || state?.isBroken)) return newState;
    const shown = Object.entries(values).map(([name, value]) => `${name} = ${showValue(value)}`);
    return {
      ...newState,
      detections: [
        {
          ...(ended && endOfCondition),
          message: `${settings.expression} ${ended ? 'holds again' : 'no longer holds'} for ${contract.name}: ${shown.join(', ')}.`,
          fields: {
            expression: settings.expression,
            tolerance: settings.tolerance,
            ...sides,
            terms: values,
            ended: ended || undefined,
          },
        },
      ],
    };
  },
});

function readTerm(context: EvaluationContext<Config, State>, item: Static<typeof term>): unknown {
  const { contract, chain, read } = context;
  const { name, function: signature, params, target, balanceOf, token } = item;
  if (signature === undefined) {
    if (balanceOf === undefined) throw new Error(`The term ${name} needs a function or balanceOf.`);
    return readHolding(read, token, balanceOf);
  }
  if (balanceOf !== undefined)
    throw new Error(`The term ${name} has both a function and balanceOf; leave one out.`);
  const view = viewOf(signature, interfaceOf(target, context), chain.family);
  const [value] = readView(read, target ?? contract.address, view, view.encode(params));
  // Short integers are decoded as plain numbers, which cannot be mixed with big ones.
  return typeof value === 'number' ? BigInt(value) : value;
}

type Judged = { holds: boolean; left?: string; right?: string; gap?: string };

function judge(
  { config: settings, read }: EvaluationContext<Config, State>,
  values: Record<string, unknown>,
): Judged {
  const { expression, tolerance } = settings;
  const comparison = splitComparison(expression);
  const sides = comparison && sidesOf(runScript(read, `[${comparison.left}, ${comparison.right}]`, values));
  if (comparison && sides) return compare(comparison, sides, tolerance);
  if (!/^0(\.0*)?\s?%?$/.test(tolerance))
    throw new Error('A tolerance needs an expression that is one comparison of numbers, such as a * b <= c.');
  return { holds: holdsFor(read, expression, values) };
}

/** Undefined when they are not both numbers, such as addresses that are compared. */
function sidesOf(value: unknown): [Decimal, Decimal] | undefined {
  if (!Array.isArray(value)) return undefined;
  const [left, right] = value.map((side: unknown) => {
    if (typeof side === 'bigint') return toDecimal(side);
    return typeof side === 'number' && Number.isFinite(side) ? parseDecimal(side) : undefined;
  });
  return left && right && [left, right];
}

function compare({ operator }: Comparison, [left, right]: [Decimal, Decimal], tolerance: string): Judged {
  return {
    holds: holdsWithin(left, operator, right, tolerance),
    left: formatDecimal(left),
    right: formatDecimal(right),
    gap: formatDecimal(subtractDecimal(left, right)),
  };
}
