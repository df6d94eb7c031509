import { type Static, Type } from 'typebox';
import { decodeTransfer, netOutflow, transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { compareToLimit, formatUnits, native, percentOf, showAmount } from '../evidence/amounts.ts';
import { type Flow, findFlows, mainTransaction, showFlows, toFlowEvidence } from '../evidence/evm/flows.ts';
import { findKnownFeed } from '../evidence/evm/knownFeeds.ts';
import { sampleHoldings } from '../evidence/evm/sampleHoldings.ts';
import { assetDecimalsIfKnown, assetFacts, readHolding, tryHolding } from '../evidence/evm/tokens.ts';
import { usdFeedMember, usdWorth } from '../evidence/evm/usdWorth.ts';
import { severityByTrust, showTrust, trustInLoss } from '../evidence/evm/vouchedBy.ts';
import {
  isWrappedCoin,
  ownWrapping,
  unwrapTopic,
  wrappingsIn,
  wrapTopic,
} from '../evidence/evm/wrappedCoins.ts';
import {
  Address,
  AmountOrPercent,
  Configuration,
  Flag,
  Polling,
  scheduleOf,
} from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { lossMembers, severityByLoss } from '../evidence/severityByLoss.ts';
import { zip } from '../lib/zip.ts';
import type { Block, Log } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
} from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';
import { coinChangeOf } from '../model/frames.ts';

const drop =
  'A drop of at least this since the last check is reported: whole tokens, or a share of the balance.';
const config = Configuration({
  tokens: Type.Array(
    Type.Object(
      {
        token: Address('Address of the token.'),
        threshold: AmountOrPercent(drop, '1%'),
        usdFeed: usdFeedMember,
      },
      { additionalProperties: false, required: ['token'] },
    ),
    {
      description:
        'Tokens whose balances are watched. Without any: those that leave the contract, in the block in which they do.',
      default: [],
      maxItems: 50,
    },
  ),
  foundThreshold: AmountOrPercent(
    'A drop of at least this is reported of a token that is not named: whole tokens, or a share of the balance.',
    '1%',
  ),
  native: Flag('Whether the balance in native coins is watched.', true),
  nativeThreshold: AmountOrPercent(drop, '1%'),
  nativeUsdFeed: usdFeedMember,
  ...lossMembers,
  ...Polling('block', '1 min'),
});
/** `pending`: as every detector has it that judges pending transactions. */
type Config = Static<typeof config> & { readonly pending?: boolean };

/** Balances of the last look, by token, and the coins wrapped since then (below 0: unwrapped). */
type State = { readonly [token: string]: string };
const wrapped = 'wrapped';
const wrappedToken = 'wrappedToken';

export const tvlDrop = defineDetector<Config, State>({
  name: 'tvl_drop',
  title: 'TVL drop',
  version: '1.1.0',
  category: 'FINANCIAL',
  families: evmDialect,
  recommendedFor: {
    ERC4626: ({ facts: { asset } }) =>
      asset ? recommendForHoldings([asset], '5%', 'It is a vault (ERC-4626)') : undefined,
    POOL: ({ facts: { tokens } }) => tokens && recommendForHoldings(tokens, '10%', 'It is a pool'),
    CONTRACT: () => recommendForAny('It may hold coins and tokens'),
    ACCOUNT: () => recommendForAny('It is an account without code'),
  },
  severity: 'AUTO',
  description:
    'What the contract holds, in native coins or tokens, drops from one look to the next. Severity by the share that is gone: from 50 % CRITICAL, from 20 % HIGH, from 5 % MEDIUM, else LOW; from 1 million US dollars HIGH and from 10 million CRITICAL.',
  faq: 'Why does it look at every block? A drain takes one transaction, and coins moved by inner calls leave no trace but the balance; with `when: cron` the drop between two looks counts. Which tokens count that I do not name? Those with a known price, and those that the contract itself called, as far as nodes trace, if it knows them or others gave them to it (see drain). Any other token can claim to have left, so it is reported as LOW (as MEDIUM at most where nothing is traced). Coins that are wrapped or unwrapped have not left. By US dollars a loss counts after what came in of the assets that are watched and have a price. And pending transactions? Each is judged by what it alone takes (`pending`), so that a guardian can rest on this severity too; coins that inner calls take are then reported of the transaction, where nodes trace, beside the look at the block, as one incident.',
  nextStep:
    'Open the transactions that took the funds and check who received them. Pause the contract if no one can explain them.',
  config,
  fields: [
    'token',
    'symbol',
    'percent',
    'drop',
    'before',
    'after',
    'rawDrop',
    'threshold',
    'usd',
    'transactions',
    'unverified',
  ],
  takesBaseline: true,
  pending: true,
  interests: (settings, { address }) => {
    const keys = [
      ...(settings.tokens.length === 0 || settings.pending ? [transferTopic] : []),
      ...(settings.native ? [wrapTopic, unwrapTopic] : []),
    ];
    return [
      ...(keys.length > 0 ? [{ on: 'party' as const, address, keys }] : []),
      ...(settings.native && settings.pending ? [{ on: 'trace' as const, address }] : []),
      { on: 'block', ...scheduleOf(settings) },
    ];
  },
  evaluate(observation, context) {
    if (observation.type === 'log')
      return observation.log.key === transferTopic
        ? judgeTransfer(observation.log, observation.block, context)
        : countWrapping(observation.log, observation.block, context);
    if (observation.type === 'trace') return judgeTrace(observation, context);
    if (observation.type !== 'block') return {};
    const { config: settings, contract, state = {}, read } = context;
    const assets = [
      ...(settings.native ? [coinOf(settings)] : []),
      ...settings.tokens.map((asset) => ({ ...asset, token: asset.token.toLowerCase() })),
    ];
    const balances = read.all(
      assets.map(
        ({ token }) =>
          () =>
            readHolding(read, token, contract.address),
      ),
    );
    const looks = zip(assets, balances);
    const holdings = looks.flatMap(([asset, balance]) => {
      const before = state[asset.token];
      if (before === undefined) return [];
      return [{ asset, holding: afterWrapping(context, asset, BigInt(before), balance) }];
    });
    // Assets that logs show were judged by them.
    const isShown = ({ token }: WatchedAsset) =>
      settings.pending === true && token !== native && leaves(observation.block, token, contract.address);
    const detections = holdings.flatMap(({ asset, holding }) =>
      isShown(asset) ? [] : judge(context, observation.block, asset, holding, holdings),
    );
    const kept = Object.fromEntries(looks.map(([{ token }, balance]) => [token, balance.toString()]));
    return {
      ...keepState(context.state, kept),
      detections,
      holdings: () =>
        sampleHoldings(
          read,
          context.chain,
          observation.block.timestamp,
          looks.map(([{ token, usdFeed }, units]) => ({ token, usdFeed, units })),
        ),
    };
  },
});

function recommendForAny(what: string) {
  return {
    config: { nativeThreshold: '20%', foundThreshold: '20%' },
    reason: `${what}: a drop of a coin or token that it holds by 20 % within a block, or by a million US dollars, is reported.`,
  };
}

function recommendForHoldings(tokens: readonly string[], threshold: string, what: string) {
  return {
    config: { native: false, tokens: tokens.map((token) => ({ token, threshold })) },
    reason: `${what}: a drop of what it holds by ${threshold.replace('%', ' %')} within a block is reported, more severely the larger it is.`,
  };
}

function leaves({ logs }: Block, token: string, holder: string): boolean {
  const transfers = logs.flatMap((log) => (log.address === token ? (decodeTransfer(log) ?? []) : []));
  return netOutflow(transfers, holder) > 0n;
}

type WatchedAsset = { token: string; threshold: string; usdFeed?: string };
type Look = { asset: WatchedAsset; holding: Holding };
/** Holdings at two moments; `held` is the base of shares, if it is more than `before`. */
type Holding = { before: bigint; after: bigint; held?: bigint };

function coinOf({ nativeThreshold: threshold, nativeUsdFeed: usdFeed }: Config): WatchedAsset {
  return { token: native, threshold, ...(usdFeed && { usdFeed }) };
}

/** Coins that one transaction takes: what is pending has no block to compare with the one before. */
function judgeTrace(
  { block, transaction, frames }: Extract<Observation, { type: 'trace' }>,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config: settings, contract, chain, read } = context;
  const wrappings = wrappingsIn(transaction.logs).filter(
    ({ account, token }) => account === contract.address && isWrappedCoin(read, chain, token),
  );
  const coins = coinChangeOf(frames, contract.address);
  const change = wrappings.reduce((sum, { amount }) => sum + amount, coins);
  if (change >= 0n) return {};
  const before = read.balance(contract.address, 'parent');
  const [first] = wrappings;
  const held = before + (first ? (tryHolding(read, first.token, contract.address, 'parent') ?? 0n) : 0n);
  const loss = { before, after: before + change, held };
  return {
    detections: judge(context, block, coinOf(settings), loss).map((detection) => ({
      ...detection,
      transactionHash: transaction.hash,
    })),
  };
}

/** A token that leaves the contract in this block, judged once for the block: at the first of its transfers. */
function judgeTransfer(
  { address: token, index }: Log,
  block: Block,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config: settings, contract, chain, read } = context;
  const named = settings.tokens.find((asset) => asset.token.toLowerCase() === token);
  if (!named && settings.tokens.length > 0) return {};
  // A token that sells what it holds of itself has lost nothing that was worth something to others.
  if (!named && token === contract.address) return {};
  const transfers = block.logs.flatMap((log) => {
    const transfer = log.address === token ? decodeTransfer(log) : undefined;
    const isOwn = transfer?.from === contract.address || transfer?.to === contract.address;
    return transfer && isOwn ? [{ ...transfer, index: log.index }] : [];
  });
  const sent = netOutflow(transfers, contract.address);
  if (transfers[0]?.index !== index || sent <= 0n) return {};
  const { passed } = ownWrapping(block.logs, token, contract.address);
  const left = passed > 0n && isWrappedCoin(read, chain, token) ? sent - passed : sent;
  if (left <= 0n) return {};
  const before = tryHolding(read, token, contract.address, 'parent');
  // Any token can claim that the contract has paid; it pays only what it had.
  if (before === undefined || before === 0n) return {};
  const after = before > left ? before - left : 0n;
  return {
    detections: judge(
      context,
      block,
      { threshold: settings.foundThreshold, ...named, token },
      { before, after },
    ),
  };
}

/** Adds coins that the contract wraps or unwraps to what the next look knows. */
function countWrapping(
  { address: token, index }: Log,
  { logs }: Block,
  { contract, chain, state = {}, read }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const wrappings = wrappingsIn(logs.filter((log) => log.address === token)).filter(
    ({ account }) => account === contract.address,
  );
  if (wrappings[0]?.index !== index || !isWrappedCoin(read, chain, token)) return {};
  const sum = BigInt(state[wrapped] ?? 0) + ownWrapping(logs, token, contract.address).own;
  return { state: { ...state, [wrapped]: sum.toString(), [wrappedToken]: token } };
}

/** Coins that were wrapped have not left, and those that were unwrapped were there before. */
function afterWrapping(
  { config: settings, contract, state = {}, read }: EvaluationContext<Config, State>,
  { token }: WatchedAsset,
  before: bigint,
  after: bigint,
): Holding {
  const change = BigInt(state[wrapped] ?? 0);
  const coin = state[wrappedToken];
  if (change === 0n || coin === undefined) return { before, after };
  if (token === coin) return { before, after: settings.native ? after - change : after };
  if (token !== native) return { before, after };
  const held = before + (tryHolding(read, coin, contract.address, 'parent') ?? 0n);
  return { before, after: after + change, held };
}

function judge(
  context: EvaluationContext<Config, State>,
  block: Block,
  { token, threshold, usdFeed }: WatchedAsset,
  { before: formerHolding, after: rest, held: before = formerHolding }: Holding,
  beside: readonly Look[] = [],
): Detection[] {
  const { config: settings, contract, chain, read } = context;
  const lost = formerHolding - rest;
  if (lost <= 0n) return [];
  const after = before - lost;
  const isBelow = compareToLimit(threshold, lost, before, () => assetDecimalsIfKnown(read, chain, token)) < 0;
  if (isBelow && (usdFeed ?? findKnownFeed(chain.uid, token)) === undefined) return [];
  const facts = assetFacts(read, chain, token);
  const percent = percentOf(lost, before);
  const worth = usdWorth(read, { token, feed: usdFeed, chain, at: block.timestamp }, lost, facts.decimals);
  const gross = worth.fields.usd === undefined ? undefined : Number(worth.fields.usd);
  const usd = gross === undefined ? undefined : gross - gainedBeside(context, block, beside, gross);
  if (isBelow && (usd ?? 0) < settings.highUsd) return [];
  const flows = findFlows(read, block, token, contract.address, 'out');
  const isNamed = token === native || settings.tokens.some((named) => named.token.toLowerCase() === token);
  const hashes = flows.map(({ transactionHash }) => transactionHash);
  const trust = isNamed || usd !== undefined ? 'known' : trustInLoss(context, block, token, hashes);
  return [
    {
      severity: severityByTrust(severityByLoss(percent, usd, settings), trust),
      magnitude: percent,
      part: token,
      ...mainTransaction(flows, lost),
      message: `${contract.name} lost ${showAmount(lost, facts)}${worth.shown}, ${percent} % of the ${showAmount(before, facts)} it held, and now holds ${showAmount(after, facts)}.${showFlows(flows, facts)}${rebaseHint(token, flows)}${showTrust(trust)}`,
      fields: {
        token,
        symbol: facts.symbol,
        percent,
        drop: formatUnits(lost, facts.decimals),
        before: formatUnits(before, facts.decimals),
        after: formatUnits(after, facts.decimals),
        rawDrop: lost,
        threshold,
        ...worth.fields,
        transactions: toFlowEvidence(flows, facts),
        unverified: trust === 'known' ? undefined : true,
      },
    },
  ];
}

/** Inflow of other assets, in US dollars, because a trade is no loss. Read only for large losses. */
function gainedBeside(
  { config: { highUsd }, chain, read }: EvaluationContext<Config, State>,
  { timestamp: at }: Block,
  beside: readonly Look[],
  gross: number,
): number {
  if (gross < highUsd) return 0;
  const gains = beside.filter(({ holding }) => holding.after > holding.before);
  const worths = read.all(
    gains.map(({ asset: { token, usdFeed: feed }, holding }) => () => {
      const decimals = assetDecimalsIfKnown(read, chain, token);
      if (decimals === undefined) return 0;
      const { usd } = usdWorth(
        read,
        { token, feed, chain, at },
        holding.after - holding.before,
        decimals,
      ).fields;
      return Number(usd ?? 0);
    }),
  );
  return worths.reduce((sum, worth) => sum + worth, 0);
}

/** Empty unless the balance fell without a transfer. */
function rebaseHint(token: string, flows: readonly Flow[]): string {
  return token !== native && flows.length === 0
    ? ' No transfer explains it: the token itself lowered the balance (a rebase), or moved it without its event.'
    : '';
}
