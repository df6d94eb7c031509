import { type Static, Type } from 'typebox';
import { transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { evmFormat } from '../codecs/evm/evmFormat.ts';
import { formatUnits, isWithoutContract, native, percentOf, showAmount } from '../evidence/amounts.ts';
import { assetMoves } from '../evidence/coinMoves.ts';
import { type AssetOutflow, idOf, isPriced, nativeFall, tokenOutflow } from '../evidence/evm/assetOutflow.ts';
import { type Flow, findFlows, showFlows, toFlowEvidence } from '../evidence/evm/flows.ts';
import { hasKnownWorth } from '../evidence/evm/hasKnownWorth.ts';
import { multiTokenTopics } from '../evidence/evm/multiTokens.ts';
import { assetDecimalsIfKnown, assetFacts, readHolding } from '../evidence/evm/tokens.ts';
import { usdFeedMember, usdWorth } from '../evidence/evm/usdWorth.ts';
import { severityByTrust, showTrust, type Trust } from '../evidence/evm/vouchedBy.ts';
import { unwrapTopic, wrapTopic } from '../evidence/evm/wrappedCoins.ts';
import { ledgerOf } from '../evidence/ledgerOf.ts';
import { exceededBy, hasFallen, isOverStill } from '../evidence/outflowLimit.ts';
import { type AssetFlows, flowsOf, type OutflowState, withFlows } from '../evidence/outflowState.ts';
import { addOutflow, baselineOf, largestBefore, type Outflows, outflowWithin } from '../evidence/outflows.ts';
import { AmountOrPercent, Configuration, Duration, everyLook } from '../evidence/parameters.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Block } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
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

export const outflowRate = defineDetector<Config, OutflowState>({
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
  faq: 'What counts as outflow? Without a token: native coins, and every token that leaves the contract by its Transfer events. Of a token, what a transaction takes away beyond what it brings, so a repaid flash loan is none. Of native coins, the fall of the balance from one block to the next, so inner calls count even if nothing else touches the contract; fees count for a wallet; coins that are wrapped or unwrapped have not left. A token without a price that the contract did not call itself, or that only its maker or taker ever gave to it, can claim anything, so it is reported as LOW (as MEDIUM at most where nothing is traced). A share is reported only once the balance has fallen by at least 80 % of it: what comes in as fast as it goes out is turnover. What a pool of two tokens gives for the other one at its own price is the other side of a price, and no outflow.',
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
  context: EvaluationContext<Config, OutflowState>,
): EvaluationResult<OutflowState> {
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
  outflow: AssetOutflow,
  block: Block,
  context: EvaluationContext<Config, OutflowState>,
): EvaluationResult<OutflowState> {
  const { config: settings, chain, read, state } = context;
  const now = block.timestamp;
  const limit = { ...settings, decimals: () => assetDecimalsIfKnown(read, chain, outflow.asset) };
  const before = flowsOf(state, outflow.asset, settings);
  const keep = (flows: AssetFlows) => ({ state: withFlows(state, outflow, settings, flows) });
  if (outflow.amount === 0n) return keep(before);
  const windowMs = parseDuration(settings.window);
  // The sum may have fallen below since, as time went on.
  const wasOver = before.isOver && isOverStill(limit, outflowWithin(before, windowMs, now), before);
  const flows = addOutflow(before, windowMs, now, outflow.amount, outflow.before);
  const sum = outflowWithin(flows, windowMs, now);
  const exceeded = exceededBy(limit, sum, flows);
  const isTurnover = exceeded === 'limit' && !hasFallen(settings.limit, flows, outflow.after);
  const reason = isTurnover ? undefined : exceeded;
  const newState = keep({ ...flows, isOver: wasOver || reason !== undefined });
  if (!reason || wasOver) return newState;
  return { ...newState, detections: [toDetection(context, block, outflow, sum, flows, reason)] };
}

/** Asked only when there is something to report, because it is dear: a call vouches for the move, but not for the worth. */
function trustOf(
  context: EvaluationContext<Config, OutflowState>,
  { transactions }: Block,
  { asset, trust = 'known' }: AssetOutflow,
  payments: readonly Flow[],
): Trust {
  const { config: settings, chain } = context;
  const isCertain = settings.token !== undefined || asset === native || isPriced(chain, asset);
  if (isCertain || trust === 'claimed') return trust;
  const hashes = new Set(payments.map(({ transactionHash }) => transactionHash));
  const takings = transactions.filter(({ hash }) => hashes.has(hash));
  return hasKnownWorth(context, takings, asset) ? trust : 'worthless';
}

function toDetection(
  context: EvaluationContext<Config, OutflowState>,
  block: Block,
  left: AssetOutflow,
  sum: bigint,
  flows: Outflows,
  reason: 'limit' | 'baseline',
): Detection {
  const {
    config: { token: configured, tokenId, window, limit, factor, usdFeed },
    contract,
    chain,
    read,
  } = context;
  const { asset: token } = left;
  const asset = assetFacts(read, chain, token);
  const facts = tokenId === undefined ? asset : { ...asset, symbol: `${asset.symbol} #${tokenId}` };
  const before = largestBefore(flows);
  const percent = percentOf(sum, before);
  const usual = baselineOf(flows)?.usual;
  const payments = findFlows(read, block, token, contract.address, 'out');
  const trust = trustOf(context, block, left, payments);
  const feed = configured !== undefined || token === native ? usdFeed : undefined;
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
