import { type Static, Type } from 'typebox';
import { decodeTransfer, transferTopic } from '../chains/evm/evidence/erc20Transfer.ts';
import { findFlows, mainTransaction, showFlows, toFlowEvidence } from '../chains/evm/evidence/flows.ts';
import { assetDecimalsIfKnown, assetFacts, readHolding, tryHolding } from '../chains/evm/evidence/tokens.ts';
import { usdFeedMember, usdWorth } from '../chains/evm/evidence/usdWorth.ts';
import { compareToLimit, formatUnits, native, percentOf, showAmount } from '../evidence/amounts.ts';
import {
  Address,
  AmountOrPercent,
  Configuration,
  Flag,
  Polling,
  scheduleOf,
} from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { severityByShare } from '../evidence/severityByShare.ts';
import { zip } from '../lib/zip.ts';
import type { Block, Log } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
} from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

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
        'Tokens whose balances are watched. Without any: those that leave the contract, as soon as they do, up to the 20 newest.',
      default: [],
      maxItems: 50,
    },
  ),
  native: Flag('Whether the balance in native coins is watched.', true),
  nativeThreshold: AmountOrPercent(drop, '1%'),
  nativeUsdFeed: usdFeedMember,
  ...Polling('block', '1 min'),
});
type Config = Static<typeof config>;

/** Balances of the last look, by token. */
type State = { readonly [token: string]: string };

export const tvlDrop = defineDetector<Config, State>({
  name: 'tvl_drop',
  title: 'TVL drop',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: evmDialect,
  severity: 'AUTO',
  description:
    'What the contract holds, in native coins or tokens, drops from one look to the next. Severity by the share that is gone: from 50 % CRITICAL, from 20 % HIGH, from 5 % MEDIUM, else LOW.',
  faq: 'Why does it look at every block? A drain takes one transaction, and coins moved by inner calls leave no trace but the balance; with `when: cron` the drop between two looks counts.',
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
  ],
  takesBaseline: true,
  interests: (settings, { address }) => [
    ...(settings.tokens.length === 0 ? [{ on: 'party' as const, address, keys: [transferTopic] }] : []),
    { on: 'block', ...scheduleOf(settings) },
  ],
  evaluate(observation, context) {
    if (observation.type === 'log') return discover(observation.log, context);
    if (observation.type !== 'block') return {};
    const { contract, state, read } = context;
    const assets = assetsOf(context.config, state);
    const balances = read.all(
      assets.map(
        ({ token, isFound }) =>
          () =>
            isFound ? tryHolding(read, token, contract.address) : readHolding(read, token, contract.address),
      ),
    );
    const looks = zip(assets, balances);
    // A token that was found and cannot be read, or is all gone, is watched no longer.
    const kept = looks.flatMap(([{ token, isFound }, balance]) =>
      balance === undefined || (isFound && balance === 0n) ? [] : [[token, balance.toString()]],
    );
    const detections = looks.flatMap(([asset, balance]) => {
      const before = state?.[asset.token];
      return before === undefined || balance === undefined
        ? []
        : judge(context, observation.block, asset, BigInt(before), balance);
    });
    return { ...keepState(state, Object.fromEntries(kept)), detections };
  },
});

/** Bounds the state and the reads of a look; anyone can make a token. */
const maxFound = 20;

/** A token that leaves the contract is watched from then on, from its balance before. */
function discover(
  log: Log,
  { contract, state, read }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const token = log.address;
  const transfer = decodeTransfer(log);
  if (transfer?.from !== contract.address || transfer.amount === 0n || state?.[token] !== undefined)
    return {};
  const before = tryHolding(read, token, contract.address, 'parent');
  if (before === undefined || before === 0n) return {};
  const others = Object.entries(state ?? {}).filter(([name]) => name !== native);
  const held = state?.[native];
  return {
    state: {
      ...(held !== undefined && { [native]: held }),
      ...Object.fromEntries(others.slice(1 - maxFound)),
      [token]: before.toString(),
    },
  };
}

type WatchedAsset = { token: string; threshold: string; usdFeed?: string; isFound: boolean };

function assetsOf(
  { tokens, native: isNative, nativeThreshold, nativeUsdFeed: usdFeed }: Config,
  state: State = {},
): WatchedAsset[] {
  const named = tokens.map((asset) => ({ ...asset, isFound: false }));
  const found = Object.keys(state)
    .filter((token) => tokens.length === 0 && token !== native)
    .map((token) => ({ token, threshold: '1%', isFound: true }));
  const coin = { token: native, threshold: nativeThreshold, ...(usdFeed && { usdFeed }), isFound: false };
  return [...(isNative ? [coin] : []), ...named, ...found];
}

function judge(
  { contract, chain, read }: EvaluationContext<Config, State>,
  block: Block,
  { token, threshold, usdFeed }: WatchedAsset,
  before: bigint,
  after: bigint,
): Detection[] {
  const lost = before - after;
  if (lost <= 0n) return [];
  if (compareToLimit(threshold, lost, before, () => assetDecimalsIfKnown(read, chain, token)) < 0) return [];
  const facts = assetFacts(read, chain, token);
  const percent = percentOf(lost, before);
  const worth = usdWorth(read, { token, feed: usdFeed, chain, at: block.timestamp }, lost, facts.decimals);
  const flows = findFlows(read, block, token, contract.address, 'out');
  return [
    {
      severity: severityByShare(percent),
      magnitude: percent,
      part: token,
      ...mainTransaction(flows, lost),
      message: `${contract.name} lost ${showAmount(lost, facts)}${worth.shown}, ${percent} % of the ${showAmount(before, facts)} it held, and now holds ${showAmount(after, facts)}.${showFlows(flows, facts)}`,
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
      },
    },
  ];
}
