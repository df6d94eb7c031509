import { type Static, Type } from 'typebox';
import {
  decodeTransfer,
  netOutflow,
  type Transfer,
  transferTopic,
} from '../chains/evm/evidence/erc20Transfer.ts';
import { assetDecimalsIfKnown, assetFacts, readHolding } from '../chains/evm/evidence/tokens.ts';

import { compareToLimit, formatUnits, native, percentOf, showAmount } from '../evidence/amounts.ts';

import { addOutflow, baselineOf, largestBefore, type Outflows, outflowWithin } from '../evidence/outflows.ts';
import { AmountOrPercent, Asset, Configuration, Duration, everyLook } from '../evidence/parameters.ts';
import { compareDecimal, multiplyDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { parseDuration } from '../lib/duration.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type Observation,
  type Reader,
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
        'Also report when more has left than this many times the median outflow of the last 24 windows, and more than in any of them; needs three.',
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
    'What leaves the contract within a window exceeds a limit, a share of its balance, or a multiple of what is usual. Reported once until the sum is well below again (80 %).',
  faq: 'What counts as outflow? Of a token, what a transaction takes away beyond what it brings, so a repaid flash loan is none. Of native coins, the fall of the balance from one block to the next, so inner calls count even if nothing else touches the contract; fees count for a wallet. A share is reported only once the balance has fallen by at least 80 % of it: what comes in as fast as it goes out is turnover.',
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
  interests: ({ token }, { address }, chain) =>
    token === native
      ? [{ on: 'touch', address }, everyLook(chain)]
      : [{ on: 'party', address, keys: [transferTopic] }],
  evaluate(observation, context) {
    const { config: settings, contract, state, read } = context;
    if (!('block' in observation)) return {};
    const outflow = settings.token === native ? nativeFall(context) : tokenOutflow(observation, context);
    if (!outflow) return {};
    if (outflow.amount === 0n) return { state: { ...(state ?? empty), ...outflow.keep } };
    const now = observation.block.timestamp;
    const windowMs = parseDuration(settings.window);
    const holding = (at: 'block' | 'parent') =>
      readHolding(read, settings.token.toLowerCase(), contract.address, at);
    // The sum may have fallen below since, as time went on.
    const wasOver =
      state?.isOver === true && isOverStill(context, outflowWithin(state, windowMs, now), state);
    const flows = addOutflow(
      state ?? empty,
      windowMs,
      now,
      outflow.amount,
      () =>
        outflow.before ?? balanceBefore(read, settings.token.toLowerCase(), contract.address, outflow.amount),
    );
    const sum = outflowWithin(flows, windowMs, now);
    const exceeded = exceededBy(context, sum, flows);
    const isTurnover =
      exceeded === 'limit' && !hasFallen(settings.limit, flows, () => outflow.after ?? holding('block'));
    const reason = isTurnover ? undefined : exceeded;
    const after: State = { ...flows, ...outflow.keep, isOver: wasOver || reason !== undefined };
    if (!reason || wasOver) return { state: after };
    return { state: after, detections: [toDetection(context, sum, flows, reason)] };
  },
});

const empty: State = { buckets: [], isOver: false };
/** What left, and the balances around it as far as they are known. */
type Left = { amount: bigint; before?: bigint; after?: bigint; keep: { balance?: string } };

/** Where the state before the block is gone, what left and what is left now are all that is known. */
function balanceBefore(read: Reader, token: string, holder: string, left: bigint): bigint {
  const before = read.degradable(() => readHolding(read, token, holder, 'parent'));
  return before ?? readHolding(read, token, holder) + left;
}

/** Undefined when nothing has changed. */
function nativeFall({ contract, state, read }: EvaluationContext<Config, State>): Left | undefined {
  const before =
    state?.balance === undefined ? read.balance(contract.address, 'parent') : BigInt(state.balance);
  const after = read.balance(contract.address);
  if (state?.balance !== undefined && after === before) return undefined;
  return {
    amount: after < before ? before - after : 0n,
    before,
    after,
    keep: { balance: after.toString() },
  };
}

/** Undefined when the transaction takes nothing away, or was counted at its first transfer. */
function tokenOutflow(
  observation: Observation,
  { config, contract: { address } }: EvaluationContext<Config, State>,
): Left | undefined {
  const token = config.token.toLowerCase();
  if (observation.type !== 'log' || observation.log.address !== token) return undefined;
  const { log, transaction } = observation;
  const first = transaction.logs.find(
    (each) => each.address === token && isEnd(decodeTransfer(each), address),
  );
  const amount = first?.index === log.index ? netOutflow(transaction, token, address) : 0n;
  return amount > 0n ? { amount, keep: {} } : undefined;
}

function isEnd(transfer: Transfer | undefined, address: string): boolean {
  return transfer?.from === address || transfer?.to === address;
}

function exceededBy(
  { config: { token, limit, factor }, chain, read }: EvaluationContext<Config, State>,
  sum: bigint,
  flows: Outflows,
): 'limit' | 'baseline' | undefined {
  const before = largestBefore(flows);
  const decimals = () => assetDecimalsIfKnown(read, chain, token.toLowerCase());
  // Nothing was there to take a share of: what left had come in between.
  const hasShare = !limit.endsWith('%') || before > 0n;
  if (hasShare && compareToLimit(limit, sum, before, decimals) > 0) return 'limit';
  const baseline = factor === undefined ? undefined : baselineOf(flows);
  if (factor === undefined || baseline === undefined || sum <= baseline.largest) return undefined;
  const most = multiplyDecimal(parseDecimal(factor), toDecimal(baseline.usual));
  return compareDecimal(toDecimal(sum), most) > 0 ? 'baseline' : undefined;
}

/** A sum that hovers at the limit is one event. */
function isOverStill(context: EvaluationContext<Config, State>, sum: bigint, flows: Outflows): boolean {
  return exceededBy(context, (sum * 5n) / 4n, flows) !== undefined;
}

/** Money that comes in as fast as it goes out is no drain. */
function hasFallen(limit: string, flows: Outflows, balance: () => bigint): boolean {
  if (!limit.endsWith('%')) return true;
  const before = largestBefore(flows);
  return compareToLimit(limit, ((before - balance()) * 5n) / 4n, before, () => 0) >= 0;
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
  const usual = baselineOf(flows)?.usual;
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
