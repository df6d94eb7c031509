import type { Static } from 'typebox';
import { decodeTransfer, transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { zeroAddress } from '../codecs/evm/words.ts';
import { addressSet } from '../evidence/addressList.ts';
import { percentOf } from '../evidence/amounts.ts';
import { assetFacts, readHolding, readSupply } from '../evidence/evm/tokens.ts';
import { Addresses, Condition, Configuration, Polling, scheduleOf, Whole } from '../evidence/parameters.ts';
import { endOfCondition, meets, type RepeatJudgement, repeatMembers } from '../evidence/repeats.ts';
import { judgeSample, keepState, type SampleState } from '../evidence/samples.ts';
import { parseDecimal, toDecimal } from '../lib/decimal.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
} from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  topN: Whole('How many of the largest holders are taken together.', 5, 1, 50),
  condition: Condition('What their share of the supply in per cent must be for an alert.', '>> 50'),
  ...repeatMembers,
  holders: Addresses('Holders that are known already and looked at from the beginning.', 100),
  exclude: Addresses('Addresses that do not count as holders, such as exchanges, pools and lockers.'),
  cluster: Addresses('Addresses that belong together and count as one holder.', 100),
  ...Polling('cron', '10 min'),
});
type Config = Static<typeof config>;

type State = SampleState & {
  /** The largest holders of the last look, and parties of the largest transfers since with what they moved. */
  readonly known?: readonly string[];
  readonly fresh?: { readonly [address: string]: string };
};

/** Enough for every `topN`, with room for some to fall; both bound the state and the questions of a look. */
const maxKnown = 100;
const maxFresh = 100;

export const holderConcentration = defineDetector<Config, State>({
  name: 'holder_concentration',
  title: 'Holder concentration',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: evmDialect,
  severity: 'MEDIUM',
  description: 'The largest holders of the token together have a share of the supply that meets a condition.',
  faq: 'Does it know all holders? It knows those named in the configuration and those that took part in the largest transfers since the detector was made; who never moves is not seen.',
  nextStep:
    'Look at how the largest holders got their share, and whether it lets them decide votes or move the market.',
  config,
  fields: ['share', 'topN', 'symbol', 'condition', 'ended', 'holders', 'shares', 'clusterShare'],
  interests: (settings, { address }) => [
    { on: 'log', address, keys: [transferTopic] },
    { on: 'block', ...scheduleOf(settings) },
  ],
  evaluate: (observation, context) =>
    observation.type === 'block'
      ? checkHolders(observation.block.timestamp, context)
      : recordParties(observation, context),
});

/** Remembers who took part in a transfer until the next look. */
function recordParties(
  observation: Observation,
  { config: settings, state }: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const transfer = observation.type === 'log' ? decodeTransfer(observation.log) : undefined;
  if (!transfer || transfer.amount === 0n) return {};
  const excluded = addressSet(settings.exclude);
  const formerHolders = new Set(state?.known);
  const fresh = new Map(Object.entries(state?.fresh ?? {}));
  for (const party of [transfer.from, transfer.to]) {
    const seen = fresh.get(party);
    if (party === zeroAddress || excluded.has(party) || formerHolders.has(party)) continue;
    if (seen === undefined || BigInt(seen) < transfer.amount) fresh.set(party, transfer.amount.toString());
  }
  const largest = [...fresh].sort(byAmount).slice(0, maxFresh);
  return keepState<State>(state, {
    ...state,
    ...(largest.length > 0 && { fresh: Object.fromEntries(largest) }),
  });
}

function checkHolders(time: number, context: EvaluationContext<Config, State>): EvaluationResult<State> {
  const { config: settings, contract, state, read } = context;
  const excluded = addressSet(settings.exclude);
  const candidates = [
    ...new Set([
      ...addressSet(settings.cluster),
      ...addressSet(settings.holders),
      ...(state?.known ?? []),
      ...Object.keys(state?.fresh ?? {}),
    ]),
  ].filter((address) => address !== zeroAddress && !excluded.has(address));
  const [supply, ...balances] = read.all([
    () => readSupply(read, contract.address),
    ...candidates.map((address) => () => readHolding(read, contract.address, address)),
  ]);
  const held = candidates
    .map((address, n): Holding => [address, balances[n]!.toString()])
    .filter(([, balance]) => balance !== '0')
    .sort(byAmount);
  const { top, clusterBalance } = largest(held, settings);
  const share = percentOf(sum(top), supply);
  const judged = judgeSample(settings, supply === 0n ? toDecimal(0n) : parseDecimal(share), time, state);
  const holders = held.slice(0, maxKnown).map(([address]) => address);
  const newState = keepState<State>(state, {
    ...judged.after,
    ...(holders.length > 0 && { known: holders }),
  });
  if (!judged.fires && !judged.ends) return newState;
  return {
    ...newState,
    detections: [toDetection(context, judged, top, share, percentOf(clusterBalance, supply), supply)],
  };
}

type Holding = [address: string, balance: string];

/** The cluster counts as one holder under the name of its first address. */
function largest(held: readonly Holding[], { cluster, topN }: Config) {
  const members = addressSet(cluster);
  const clusterBalance = sum(held.filter(([address]) => members.has(address)));
  const rest = held.filter(([address]) => !members.has(address));
  const merged: Holding[] = clusterBalance > 0n ? [['cluster', clusterBalance.toString()]] : [];
  return { top: [...merged, ...rest].sort(byAmount).slice(0, topN), clusterBalance };
}

function toDetection(
  { config: { condition, topN, cluster }, contract, chain, read }: EvaluationContext<Config, State>,
  judged: RepeatJudgement,
  top: readonly Holding[],
  share: number,
  clusterShare: number,
  supply: bigint,
): Detection {
  const { symbol } = assetFacts(read, chain, contract.address);
  return {
    ...(judged.ends && endOfCondition),
    message: `The ${top.length} largest known holders of ${contract.name} have ${share} % of all ${symbol}, which ${meets(judged)} ${condition}.`,
    fields: {
      share,
      topN,
      symbol,
      condition,
      ended: judged.ends || undefined,
      holders: top.map(([address]) => address),
      shares: top.map(([, balance]) => percentOf(BigInt(balance), supply)),
      ...(cluster.length > 0 && { clusterShare }),
    },
  };
}

function sum(holdings: readonly Holding[]): bigint {
  return holdings.reduce((total, [, balance]) => total + BigInt(balance), 0n);
}

/** The largest first; equal ones by address, so that a replay gives the same. */
function byAmount([addressA, a]: Holding, [addressB, b]: Holding): number {
  const difference = BigInt(b) - BigInt(a);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return addressA < addressB ? -1 : 1;
}
