import { type Static, Type } from 'typebox';
import {
  decodeTransfer,
  type Erc20Transfer,
  netOutflow,
  transferTopic,
} from '../codecs/evm/erc20Transfer.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { zeroAddress } from '../codecs/evm/words.ts';
import {
  compareToLimit,
  formatUnits,
  isWithoutContract,
  native,
  percentOf,
  showAmount,
} from '../evidence/amounts.ts';
import { assetMoves } from '../evidence/coinMoves.ts';
import { findFlows, showFlows, toFlowEvidence } from '../evidence/evm/flows.ts';
import { findKnownFeed } from '../evidence/evm/knownFeeds.ts';
import { decodeMultiTransfers, multiTokenTopics } from '../evidence/evm/multiTokens.ts';
import { isPoolTrade } from '../evidence/evm/poolTrades.ts';
import {
  assetDecimalsIfKnown,
  assetFacts,
  claimedHolding,
  readHolding,
  tryHolding,
} from '../evidence/evm/tokens.ts';
import { usdFeedMember, usdWorth } from '../evidence/evm/usdWorth.ts';
import { severityByTrust, showTrust, type Trust, vouchedBy } from '../evidence/evm/vouchedBy.ts';
import {
  isWrappedCoin,
  ownWrapping,
  unwrapTopic,
  wrappedCoinOf,
  wrappingsIn,
  wrapTopic,
} from '../evidence/evm/wrappedCoins.ts';
import { ledgerOf } from '../evidence/ledgerOf.ts';
import { addOutflow, baselineOf, largestBefore, type Outflows, outflowWithin } from '../evidence/outflows.ts';
import { AmountOrPercent, Configuration, Duration, everyLook } from '../evidence/parameters.ts';
import { compareDecimal, multiplyDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Block, Log } from '../model/block.ts';
import {
  type ChainFacts,
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
  type Reader,
} from '../model/detection.ts';
import { evmDialect, tellsTransfers } from '../model/family.ts';

const config = Configuration({
  token: Type.Optional(
    Type.String({
      format: evmFormat.asset,
      description:
        'native, or the address of the token whose outflow is summed up. Without it: native coins and, each by itself, the tokens that leave the contract.',
    }),
  ),
  tokenId: Type.Optional(
    Type.String({
      pattern: '^(0|[1-9][0-9]{0,77})$',
      description: 'With `token`: the id whose outflow is summed up, of a token with many (ERC-1155).',
      examples: ['7'],
    }),
  ),
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
  usdFeed: usdFeedMember,
});
type Config = Static<typeof config>;

type Flows = Outflows & {
  /** True if the sum is beyond the limit already, so that a drain is reported once. */
  isOver: boolean;
  /** Evidence for a discovered token; undefined for one that an earlier version discovered. */
  trust?: Trust;
};

type State = Flows & {
  /** The native balance seen last: what it falls by has left, by whatever way. */
  balance?: string;
  /** The block whose wrapped and unwrapped coins are counted. */
  wrappedAt?: number;
  /** Without a configured token, what left of each token; the last one that left is last. */
  tokens?: Readonly<Record<string, Flows>>;
};

export const outflowRate = defineDetector<Config, State>({
  name: 'outflow_rate',
  title: 'Outflow rate',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  recommendedFor: {
    ERC4626: ({ facts: { asset } }) =>
      asset
        ? {
            config: { token: asset, limit: '20%', window: '1h' },
            reason: 'A drain in many small steps shows only in their sum: 20 % within an hour is reported.',
          }
        : undefined,
    CONTRACT: () => recommendForAny('It may hold coins and tokens'),
    ACCOUNT: () => recommendForAny('It is an account without code'),
  },
  severity: 'HIGH',
  description:
    'What leaves the contract within a window exceeds a limit, a share of its balance, or a multiple of what is usual. Reported once until the sum is well below again (80 %).',
  faq: 'What counts as outflow? Without a token: native coins, and every token that leaves the contract by its Transfer events. Of a token, what a transaction takes away beyond what it brings, so a repaid flash loan is none. Of native coins, the fall of the balance from one block to the next, so inner calls count even if nothing else touches the contract; fees count for a wallet; coins that are wrapped or unwrapped have not left. A token without a price that the contract did not call itself can claim anything, so it is reported as LOW (as MEDIUM at most where nothing is traced). A share is reported only once the balance has fallen by at least 80 % of it: what comes in as fast as it goes out is turnover. What a pool of two tokens gives for the other one at its own price is the other side of a price, and no outflow.',
  nextStep:
    'Open the latest outflows and check who received them. Pause withdrawals if no one can explain them.',
  config,
  pending: true,
  fields: [
    'token',
    'tokenId',
    'symbol',
    'outflow',
    'rawOutflow',
    'balanceBefore',
    'percent',
    'window',
    'reason',
    'limit',
    'baseline',
    'usd',
    'transactions',
    'unverified',
  ],
  lookbackMs: ({ window }) => parseDuration(window),
  interests: (settings, { address }, chain) =>
    tellsTransfers(chain.family) || isWithoutContract(settings.token)
      ? [{ on: 'touch', address }, ...ledgerOf(settings.token, chain)]
      : [
          ...(settings.token === undefined || settings.token === native
            ? [{ on: 'touch' as const, address }, everyLook(chain)]
            : []),
          ...(settings.token === native
            ? []
            : [
                {
                  on: 'party' as const,
                  address,
                  keys: idOf(settings) === undefined ? [transferTopic] : multiTokenTopics,
                },
              ]),
          ...(idOf(settings) === undefined
            ? [{ on: 'party' as const, address, keys: [wrapTopic, unwrapTopic] }]
            : []),
        ],
  evaluate(observation, context) {
    if (!('block' in observation)) return {};
    if (
      observation.type === 'transaction' &&
      (tellsTransfers(context.chain.family) || isWithoutContract(context.config.token))
    )
      return judgeAll(observation, context);
    const { token = native } = context.config;
    const isOfToken =
      observation.type === 'log' &&
      ((observation.log.key !== wrapTopic && observation.log.key !== unwrapTopic) || token !== native);
    const outflow = isOfToken ? tokenOutflow(observation, context) : nativeFall(observation.block, context);
    return outflow ? judge(outflow, observation.block, context) : {};
  },
});

function recommendForAny(what: string) {
  return {
    config: { limit: '50%', window: '30 min' },
    reason: `${what}: a drain in many small steps shows only in their sum, so half of an asset within half an hour is reported.`,
  };
}

/** On chains whose transactions list all transfers, judges every leaving asset by itself. */
function judgeAll(
  { block, transaction }: Extract<Observation, { type: 'transaction' }>,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config, contract, read } = context;
  const net = new Map<string, bigint>();
  for (const { asset, from, amount } of assetMoves(transaction, contract.address))
    net.set(asset, (net.get(asset) ?? 0n) + (from === contract.address ? amount : -amount));
  let { state } = context;
  const detections: Detection[] = [];
  for (const [asset, amount] of net) {
    if (amount <= 0n || asset !== (config.token ?? asset)) continue;
    const holding = () => readHolding(read, asset, contract.address);
    const left = { asset, amount, before: () => holding() + amount, after: holding };
    const judged = judge(left, block, { ...context, state });
    state = judged.state ?? state;
    detections.push(...(judged.detections ?? []).map((detection) => ({ ...detection, part: asset })));
  }
  return { detections, ...(state && { state }) };
}

function judge(
  outflow: Left,
  block: Block,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config: settings, state } = context;
  const now = block.timestamp;
  const known = flowsOf(state, outflow, settings);
  const keep = (flows: Flows) => ({ state: withFlows(state, outflow, settings, flows) });
  if (outflow.amount === 0n) return keep(known);
  const windowMs = parseDuration(settings.window);
  // The sum may have fallen below since, as time went on.
  const wasOver =
    known.isOver && isOverStill(context, outflow.asset, outflowWithin(known, windowMs, now), known);
  const flows = addOutflow(known, windowMs, now, outflow.amount, outflow.before);
  const sum = outflowWithin(flows, windowMs, now);
  const exceeded = exceededBy(context, outflow.asset, sum, flows);
  const isTurnover = exceeded === 'limit' && !hasFallen(settings.limit, flows, outflow.after);
  const reason = isTurnover ? undefined : exceeded;
  const newState = keep({ ...flows, isOver: wasOver || reason !== undefined });
  if (!reason || wasOver) return newState;
  return { ...newState, detections: [toDetection(context, block, outflow, sum, flows, reason)] };
}

const empty: Flows = { buckets: [], isOver: false };

/** Outflow of an asset, and its balances around that. */
type Left = {
  asset: string;
  amount: bigint;
  before(): bigint;
  after(): bigint;
  /** The native balance to compare with next time, and the block whose wrappings it has in it. */
  balance?: string;
  wrappedAt?: number;
  /** Evidence for a discovered token. */
  trust?: Trust;
};

/** A configured token's flows are the state itself, as are those of native coins. */
function flowsOf(state: State | undefined, { asset }: Left, { token }: Config): Flows {
  if (state === undefined) return empty;
  return token === undefined && asset !== native ? (state.tokens?.[asset] ?? empty) : state;
}

/**
 * Bounds the state. Anyone can make a token, but none that the contract calls: these never push out those. Beyond the first
 * number of those that it calls, where anyone may make it call more, only the sum of each is kept.
 */
const maxKnown = 6;
const maxSums = 150;
const maxClaimed = 4;

function withFlows(
  state: State | undefined,
  { asset, balance, wrappedAt, trust }: Left,
  { token }: Config,
  flows: Flows,
): State {
  const before = state ?? empty;
  if (token !== undefined || asset === native)
    return {
      ...before,
      ...flows,
      ...(balance !== undefined && { balance }),
      ...(wrappedAt !== undefined && { wrappedAt }),
    };
  const { [asset]: _before, ...rest } = state?.tokens ?? {};
  // Stored states keep no order.
  const others = Object.entries(rest).sort(([, a], [, b]) => leftAt(a) - leftAt(b));
  const found: [string, Flows][] = [...others, [asset, { ...flows, ...(trust && { trust }) }]];
  const known = found.filter(([, { trust: standing }]) => standing === 'known');
  const kept = [
    ...found.filter(([, { trust: standing }]) => standing !== 'known').slice(-maxClaimed),
    ...known.slice(-maxKnown - maxSums, -maxKnown).map(([name, many]) => [name, toSum(many)] as const),
    ...known.slice(-maxKnown),
  ];
  return { ...before, tokens: Object.fromEntries(kept) };
}

function leftAt({ buckets }: Flows): number {
  return buckets.at(-1)?.at ?? 0;
}

/** The sum of a token, as if all of it had left with the first. */
function toSum({ buckets, isOver, trust }: Flows): Flows {
  const [first] = buckets;
  const out = buckets.reduce((sum, bucket) => sum + BigInt(bucket.out), 0n).toString();
  const sum = first && { at: first.at, out, before: largestBefore({ buckets }).toString() };
  return { buckets: sum ? [sum] : [], isOver, ...(trust && { trust }) };
}

/** Undefined when nothing has changed. Coins that were wrapped have not left, and those that were unwrapped were there. */
function nativeFall(
  { number, logs }: Block,
  { contract: { address }, chain, state, read }: EvaluationContext<Config, State>,
): Left | undefined {
  const before = state?.balance === undefined ? read.balance(address, 'parent') : BigInt(state.balance);
  const after = read.balance(address);
  const isCounted = state?.wrappedAt === number;
  const wrappings = isCounted
    ? []
    : wrappingsIn(logs).filter(
        ({ account, token }) => account === address && isWrappedCoin(read, chain, token),
      );
  const [first] = wrappings;
  if (state?.balance !== undefined && after === before && !first) return undefined;
  const ownWrapped = first ? ownWrapping(logs, first.token, address).own : 0n;
  const fall = before - after - ownWrapped;
  const wrapped = first ? (tryHolding(read, first.token, address, 'parent') ?? 0n) : 0n;
  return {
    asset: native,
    amount: fall > 0n ? fall : 0n,
    before: () => before + wrapped,
    after: () => before + wrapped - fall,
    balance: after.toString(),
    ...(first && { wrappedAt: number }),
  };
}

/** Undefined when the transaction takes nothing away, or was counted at its first transfer. */
function tokenOutflow(
  { block, log, transaction }: Extract<Observation, { type: 'log' }>,
  { config, contract: { address }, chain, state, read }: EvaluationContext<Config, State>,
): Left | undefined {
  const asset = log.address;
  if (asset !== (config.token ?? asset)) return undefined;
  const moves = transfersOf(transaction.logs, asset, idOf(config)).filter(
    ({ from, to }) => from === address || to === address,
  );
  const amount = moves[0]?.index === log.index ? netOutflow(moves, address) : 0n;
  if (amount <= 0n || isPoolTrade(read, block, transaction, address, asset, amount)) return undefined;
  const isFound = config.token === undefined;
  const holding = (moment?: 'parent') =>
    isFound
      ? claimedHolding(read, asset, address, moment)
      : readHolding(read, asset, address, moment, idOf(config));
  const before = () => read.degradable(() => holding('parent'));
  // Any token can claim that the contract has paid; it pays only what it had.
  const known = state?.tokens?.[asset];
  if (isFound && !known && before() === 0n) return undefined;
  const trust = isFound
    ? known?.trust === 'known'
      ? 'known'
      : trustIn(read, chain, block, asset, address, transaction.hash)
    : undefined;
  return {
    asset,
    amount,
    ...(trust && { trust }),
    // Without the state before the block, the outflow and the present balance are all that is known.
    before: () => before() ?? holding() + amount,
    after: () => holding(),
  };
}

function trustIn(
  read: Reader,
  { uid }: ChainFacts,
  block: Block,
  token: string,
  holder: string,
  transactionHash: string,
): Trust {
  const isPriced = findKnownFeed(uid, token) !== undefined || token === wrappedCoinOf(uid);
  return isPriced ? 'known' : vouchedBy(read, block, token, holder, [transactionHash]);
}

/** Ids say nothing without their token. */
function idOf({ token, tokenId }: Config): bigint | undefined {
  return token === undefined || tokenId === undefined ? undefined : BigInt(tokenId);
}

type LoggedTransfer = Erc20Transfer & { readonly index: number };

/** Transfers of a token, or of one of its ids, by the logs; wrapped and unwrapped coins come from and go to no one. */
function transfersOf(logs: readonly Log[], asset: string, id: bigint | undefined): LoggedTransfer[] {
  const ofAsset = logs.filter(({ address }) => address === asset);
  if (id !== undefined)
    return ofAsset.flatMap((log) =>
      decodeMultiTransfers(log).flatMap((transfer) =>
        transfer.tokenId === id ? [{ ...transfer, index: log.index }] : [],
      ),
    );
  const transfers = ofAsset.flatMap((log) => {
    const transfer = decodeTransfer(log);
    return transfer ? [{ ...transfer, index: log.index }] : [];
  });
  const wrappings = wrappingsIn(ofAsset).map(({ account, amount, index }) =>
    amount > 0n
      ? { from: zeroAddress, to: account, amount, index }
      : { from: account, to: zeroAddress, amount: -amount, index },
  );
  return [...transfers, ...wrappings].sort((a, b) => a.index - b.index);
}

function exceededBy(
  { config: { limit, factor }, chain, read }: EvaluationContext<Config, State>,
  asset: string,
  sum: bigint,
  flows: Outflows,
): 'limit' | 'baseline' | undefined {
  const before = largestBefore(flows);
  const decimals = () => assetDecimalsIfKnown(read, chain, asset);
  // Nothing was there to take a share of: what left had come in between.
  const hasShare = !limit.endsWith('%') || before > 0n;
  if (hasShare && compareToLimit(limit, sum, before, decimals) > 0) return 'limit';
  const baseline = factor === undefined ? undefined : baselineOf(flows);
  if (factor === undefined || baseline === undefined || sum <= baseline.largest) return undefined;
  const most = multiplyDecimal(parseDecimal(factor), toDecimal(baseline.usual));
  return compareDecimal(toDecimal(sum), most) > 0 ? 'baseline' : undefined;
}

/** A sum that hovers at the limit is one event. */
function isOverStill(
  context: EvaluationContext<Config, State>,
  asset: string,
  sum: bigint,
  flows: Outflows,
): boolean {
  return exceededBy(context, asset, (sum * 5n) / 4n, flows) !== undefined;
}

/** Money that comes in as fast as it goes out is no drain. */
function hasFallen(limit: string, flows: Outflows, balance: () => bigint): boolean {
  if (!limit.endsWith('%')) return true;
  const before = largestBefore(flows);
  return compareToLimit(limit, ((before - balance()) * 5n) / 4n, before, () => 0) >= 0;
}

function toDetection(
  {
    config: { token: configured, tokenId, window, limit, factor, usdFeed },
    contract,
    chain,
    read,
  }: EvaluationContext<Config, State>,
  block: Block,
  { asset: token, trust = 'known' }: Left,
  sum: bigint,
  flows: Outflows,
  reason: 'limit' | 'baseline',
): Detection {
  const asset = assetFacts(read, chain, token);
  const facts = tokenId === undefined ? asset : { ...asset, symbol: `${asset.symbol} #${tokenId}` };
  const before = largestBefore(flows);
  const percent = percentOf(sum, before);
  const usual = baselineOf(flows)?.usual;
  const payments = findFlows(read, block, token, contract.address, 'out');
  const isPriced = configured !== undefined || token === native;
  const feed = isPriced ? usdFeed : undefined;
  const worth = usdWorth(read, { token, feed, chain, at: block.timestamp }, sum, facts.decimals);
  const why =
    reason === 'limit'
      ? `more than the limit of ${limit}`
      : `more than ${factor} times the usual ${showAmount(usual ?? 0n, facts)}`;
  return {
    ...(configured === undefined && { part: token }),
    severity: severityByTrust('HIGH', trust),
    magnitude: percent,
    message: `${showAmount(sum, facts)}${worth.shown} left ${contract.name} within ${window}, ${percent} % of the ${showAmount(before, facts)} it held and ${why}.${showFlows(payments, facts)}${showTrust(trust)}`,
    fields: {
      token,
      tokenId,
      symbol: facts.symbol,
      outflow: formatUnits(sum, facts.decimals),
      rawOutflow: sum,
      balanceBefore: formatUnits(before, facts.decimals),
      percent,
      window,
      reason,
      limit,
      baseline: usual === undefined ? undefined : formatUnits(usual, facts.decimals),
      ...worth.fields,
      transactions: toFlowEvidence(payments, facts),
      unverified: trust === 'known' ? undefined : true,
    },
  };
}
