import { type Static, Type } from 'typebox';
import { decodeTransfer, transferTopic } from '../chains/evm/evidence/erc20Transfer.ts';
import { assetDecimals, assetFacts, readHolding } from '../chains/evm/evidence/tokens.ts';

import { compareToLimit, formatUnits, native, percentOf, showAmount } from '../evidence/amounts.ts';

import { addOutflow, baselineOf, largestBefore, type Outflows, outflowWithin } from '../evidence/outflows.ts';
import { AmountOrPercent, Asset, Configuration, Duration } from '../evidence/parameters.ts';
import { compareDecimal, multiplyDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { parseDuration } from '../lib/duration.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type Observation,
} from '../model/detection.ts';

const config = Configuration({
  token: Asset('native, or the address of the token whose outflow is summed up.'),
  window: Duration('Over how long outflows are summed up.', '1h'),
  limit: AmountOrPercent(
    'How much may leave within the window: whole tokens, or a share of the largest balance in it.',
    '10%',
  ),
  factor: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Also report when more than this many times the mean outflow of the windows before has left; needs three of them.',
    }),
  ),
});
type Config = Static<typeof config>;

type State = Outflows & {
  /** Whether the sum is beyond the limit already, so that one drain is reported once. */
  isOver: boolean;
  /** The native balance seen last: what it falls by has left, by whatever way. */
  balance?: string;
};

export const outflowRate = defineDetector<Config, State>({
  name: 'outflow_rate',
  title: 'Outflow rate',
  version: '1.0.0',
  category: 'FINANCIAL',
  severity: 'HIGH',
  description:
    'What leaves the contract within a window exceeds a limit, a share of its balance, or a multiple of what is usual. Reported once until the sum is below again.',
  faq: 'How are native coins counted? By the fall of the balance from one block that touches the contract to the next, so inner calls count too; fees count for a wallet.',
  config,
  fields: [
    'token',
    'symbol',
    'outflow',
    'rawOutflow',
    'balanceBefore',
    'percent',
    'window',
    'reason',
    'limit',
    'baseline',
  ],
  interests: ({ token }, { address }) =>
    token === native ? [{ on: 'touch', address }] : [{ on: 'party', address, keys: [transferTopic] }],
  evaluate(observation, context) {
    const { config: settings, contract, state, read } = context;
    if (!('block' in observation)) return {};
    const outflow = settings.token === native ? nativeFall(context) : tokenOutflow(observation, context);
    if (!outflow) return {};
    if (outflow.amount === 0n) return { state: { ...(state ?? empty), ...outflow.keep } };
    const now = observation.block.timestamp;
    const windowMs = parseDuration(settings.window);
    // The sum may have fallen below since, as time went on.
    const wasOver = state?.isOver === true && isBeyond(context, outflowWithin(state, windowMs, now), state);
    const flows = addOutflow(state ?? empty, windowMs, now, outflow.amount, () =>
      outflow.before === undefined
        ? readHolding(read, settings.token.toLowerCase(), contract.address, 'parent')
        : outflow.before,
    );
    const sum = outflowWithin(flows, windowMs, now);
    const reason = isBeyond(context, sum, flows);
    const after: State = { ...flows, ...outflow.keep, isOver: reason !== undefined };
    if (!reason || wasOver) return { state: after };
    return { state: after, detections: [toDetection(context, sum, flows, reason)] };
  },
});

const empty: State = { buckets: [], isOver: false };
type Left = { amount: bigint; before?: bigint; keep: { balance?: string } };

/** Undefined when nothing has changed. */
function nativeFall({ contract, state, read }: EvaluationContext<Config, State>): Left | undefined {
  const before =
    state?.balance === undefined ? read.balance(contract.address, 'parent') : BigInt(state.balance);
  const after = read.balance(contract.address);
  if (state?.balance !== undefined && after === before) return undefined;
  return {
    amount: after < before ? before - after : 0n,
    before,
    keep: { balance: after.toString() },
  };
}

function tokenOutflow(
  observation: Observation,
  { config: { token }, contract }: EvaluationContext<Config, State>,
) {
  if (observation.type !== 'log' || observation.log.address !== token.toLowerCase()) return undefined;
  const transfer = decodeTransfer(observation.log);
  const isOut =
    transfer?.from === contract.address && transfer.to !== contract.address && transfer.amount > 0n;
  const left: Left | undefined = isOut ? { amount: transfer.amount, keep: {} } : undefined;
  return left;
}

function isBeyond(
  { config: { token, limit, factor }, chain, read }: EvaluationContext<Config, State>,
  sum: bigint,
  flows: Outflows,
): 'limit' | 'baseline' | undefined {
  const before = largestBefore(flows);
  const decimals = () => assetDecimals(read, chain, token.toLowerCase());
  // Nothing was there to take a share of: what left had come in between.
  const hasShare = !limit.endsWith('%') || before > 0n;
  if (hasShare && compareToLimit(limit, sum, before, decimals) > 0) return 'limit';
  const baseline = factor === undefined ? undefined : baselineOf(flows);
  if (factor === undefined || baseline === undefined) return undefined;
  const usual = multiplyDecimal(parseDecimal(factor), toDecimal(baseline));
  return compareDecimal(toDecimal(sum), usual) > 0 ? 'baseline' : undefined;
}

function toDetection(
  { config: { token, window, limit, factor }, contract, chain, read }: EvaluationContext<Config, State>,
  sum: bigint,
  flows: Outflows,
  reason: 'limit' | 'baseline',
): Detection {
  const facts = assetFacts(read, chain, token.toLowerCase());
  const before = largestBefore(flows);
  const percent = percentOf(sum, before);
  const usual = baselineOf(flows);
  const why =
    reason === 'limit'
      ? `more than the limit of ${limit}`
      : `more than ${factor} times the usual ${showAmount(usual ?? 0n, facts)}`;
  return {
    magnitude: percent,
    message: `${showAmount(sum, facts)} (${percent} % of the balance) left ${contract.name} within ${window}, ${why}.`,
    fields: {
      token,
      symbol: facts.symbol,
      outflow: formatUnits(sum, facts.decimals),
      rawOutflow: sum,
      balanceBefore: formatUnits(before, facts.decimals),
      percent,
      window,
      reason,
      limit,
      baseline: usual === undefined ? undefined : formatUnits(usual, facts.decimals),
    },
  };
}
