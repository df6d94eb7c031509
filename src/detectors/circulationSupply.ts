import { type Static, Type } from 'typebox';
import { parseFunction } from '../codecs/evm/abi.ts';
import { decodeTransfer, type Erc20Transfer, transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { zeroAddress } from '../codecs/evm/words.ts';
import { addressSet } from '../evidence/addressList.ts';
import { formatUnits, groupDigits, percentOf, showAmount } from '../evidence/amounts.ts';
import { holdsWithin } from '../evidence/comparison.ts';
import { tryCall } from '../evidence/evm/readCall.ts';
import { assetFacts, readCirculation } from '../evidence/evm/tokens.ts';
import { Addresses, AmountOrPercent, Configuration, everyLook } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { compareDecimal, formatDecimal, multiplyDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import type { Block } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
} from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  threshold: Type.Number({
    description: 'Share of the circulating supply that one mint or burn must move: 0.01 is 1 %.',
    default: 0.01,
    minimum: 0,
    maximum: 1_000_000,
  }),
  lockerAddresses: Addresses(
    'Addresses whose tokens do not circulate. What leaves or enters them counts like a mint or burn.',
    100,
  ),
  schedule: Type.Array(
    Type.Object(
      {
        at: Type.String({ format: 'date-time', description: 'From when on.' }),
        supply: Type.String({
          format: 'amount',
          description: 'Number of whole tokens that should circulate.',
        }),
      },
      { additionalProperties: false, required: ['at', 'supply'] },
    ),
    { description: 'The planned circulating supply.', default: [], maxItems: 1000 },
  ),
  tolerance: AmountOrPercent('How far the circulating supply may be from the plan.', '1%'),
});
type Config = Static<typeof config>;

/** `supply`: what should exist after all mints and burns that were reported. */
type State = { readonly isOff?: true; readonly supply?: string };

export const circulationSupply = defineDetector<Config, State>({
  name: 'circulation_supply',
  title: 'Circulating supply',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  recommendedFor: {
    ERC20: recommendForToken,
    TOKEN: recommendForToken,
  },
  severity: 'HIGH',
  description:
    'A single mint, burn or unlock moves a large share of the circulating supply, the supply changes by as much without an event, or the circulating supply leaves its plan (reported once until it is back).',
  faq: 'Does it see a mint without an event? Yes: after every block the supply must be what the reported mints and burns explain. When is the plan looked at? At every mint, burn and movement of locked tokens, since nothing else changes what circulates.',
  nextStep:
    'Find out who minted or burned, and whether it was announced. If not, pause markets that take the token.',
  config,
  fields: [
    'kind',
    'from',
    'to',
    'symbol',
    'amount',
    'rawAmount',
    'percent',
    'circulationBefore',
    'circulation',
    'planned',
    'tolerance',
    'side',
    'isSilent',
  ],
  interests: (_config, { address }, chain) => [
    { on: 'log', address, keys: [transferTopic] },
    everyLook(chain),
  ],
  evaluate(observation, context) {
    if (observation.type === 'block') return checkSilentMint(observation.block, context);
    if (observation.type !== 'log') return {};
    const { config: settings, contract, read } = context;
    const transfer = decodeTransfer(observation.log);
    const state = withReported(context.state, transfer);
    const lockers = addressSet(settings.lockerAddresses);
    const isLocked = (address: string) => address === zeroAddress || lockers.has(address);
    // Only what crosses the border between circulating and not changes anything.
    if (!transfer || transfer.amount === 0n || isLocked(transfer.from) === isLocked(transfer.to))
      return keepState(context.state, state);
    const planned = plannedAt(settings, observation.block.timestamp);
    const [before, after] = read.all([
      () => readCirculation(read, contract.address, [...lockers], 'parent'),
      () => (planned === undefined ? undefined : readCirculation(read, contract.address, [...lockers])),
    ]);
    const detections: Detection[] = [];
    const large = multiplyDecimal(parseDecimal(settings.threshold), toDecimal(before));
    if (compareDecimal(toDecimal(transfer.amount), large) >= 0)
      detections.push(moved(context, transfer, before));
    const off = planned === undefined || after === undefined ? [] : judgePlan(context, planned, after);
    detections.push(...(state?.isOff ? [] : off));
    const { isOff: _isOff, ...rest } = state;
    const newState: State = off.length > 0 ? { ...rest, isOff: true } : rest;
    return { ...keepState(context.state, newState), detections };
  },
});

function recommendForToken() {
  return {
    config: { threshold: 0.01 },
    reason: 'It is a token: a mint or burn of 1 % of the supply at once is rarely meant.',
  };
}

function withReported(state: State = {}, transfer: Erc20Transfer | undefined): State {
  const minted = transfer ? mintedBy(transfer) : 0n;
  return state.supply === undefined || minted === 0n
    ? state
    : { ...state, supply: (BigInt(state.supply) + minted).toString() };
}

function mintedBy({ from, to, amount }: Erc20Transfer): bigint {
  return (from === zeroAddress ? amount : 0n) - (to === zeroAddress ? amount : 0n);
}

const totalSupply = parseFunction('totalSupply()(uint256)');

/** Supply that differs from all reported mints and burns. A contract without a supply has none to compare. */
function checkSilentMint(
  { logs }: Block,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { config: settings, contract, chain, state, read } = context;
  const [now, first] = read.all([
    () => tryCall(read, contract.address, totalSupply),
    () =>
      state?.supply === undefined ? tryCall(read, contract.address, totalSupply, [], 'parent') : undefined,
  ]);
  if ('failure' in now || (first && 'failure' in first)) return {};
  const minted = logs.reduce((sum, log) => {
    const transfer = log.address === contract.address ? decodeTransfer(log) : undefined;
    return sum + (transfer ? mintedBy(transfer) : 0n);
  }, 0n);
  const supply = BigInt(String(now.results[0]));
  const expected = first ? BigInt(String(first.results[0])) + minted : BigInt(state?.supply ?? 0);
  const outcome = keepState<State>(state, { ...state, supply: supply.toString() });
  const change = supply - expected;
  const large = multiplyDecimal(parseDecimal(settings.threshold), toDecimal(expected));
  const amount = change < 0n ? -change : change;
  if (amount === 0n || compareDecimal(toDecimal(amount), large) < 0) return outcome;
  const facts = assetFacts(read, chain, contract.address);
  const percent = percentOf(amount, expected);
  const kind = change > 0n ? 'mint' : 'burn';
  return {
    ...outcome,
    detections: [
      {
        part: 'silent',
        magnitude: percent,
        message: `${showAmount(amount, facts)} of ${contract.name} were ${verbs[kind]} without a Transfer event: ${percent} % of the supply.`,
        fields: {
          kind,
          symbol: facts.symbol,
          amount: formatUnits(amount, facts.decimals),
          rawAmount: amount,
          percent,
          isSilent: true,
        },
      },
    ],
  };
}

/** The newest step that is not in the future. */
function plannedAt({ schedule }: Config, now: number): string | undefined {
  const past = schedule.filter(({ at }) => Date.parse(at) <= now);
  return past.sort((left, right) => Date.parse(left.at) - Date.parse(right.at)).at(-1)?.supply;
}

const verbs = { mint: 'minted', unlock: 'unlocked', burn: 'burnt', lock: 'locked' };

function moved(
  { config: { lockerAddresses }, contract, chain, read }: EvaluationContext<Config, State>,
  { from, to, amount }: Erc20Transfer,
  before: bigint,
): Detection {
  const facts = assetFacts(read, chain, contract.address);
  const lockers = addressSet(lockerAddresses);
  const inward = to === zeroAddress ? 'burn' : 'lock';
  const kind = from === zeroAddress ? 'mint' : lockers.has(from) ? 'unlock' : inward;
  const percent = percentOf(amount, before);
  return {
    part: 'move',
    magnitude: percent,
    message: `${showAmount(amount, facts)} of ${contract.name} were ${verbs[kind]}: ${percent} % of the circulating supply.`,
    fields: {
      kind,
      from,
      to,
      symbol: facts.symbol,
      amount: formatUnits(amount, facts.decimals),
      rawAmount: amount,
      percent,
      circulationBefore: formatUnits(before, facts.decimals),
    },
  };
}

/** The fault of the circulating supply after the block, if any. */
function judgePlan(
  { config: { tolerance }, contract, chain, read }: EvaluationContext<Config, State>,
  planned: string,
  circulating: bigint,
): Detection[] {
  const { symbol, decimals } = assetFacts(read, chain, contract.address);
  const actual = toDecimal(circulating, decimals);
  if (holdsWithin(actual, '==', parseDecimal(planned), tolerance)) return [];
  const side = compareDecimal(actual, parseDecimal(planned)) > 0 ? 'more' : 'less';
  const circulation = formatDecimal(actual);
  return [
    {
      part: 'plan',
      message: `${groupDigits(circulation)} ${symbol} of ${contract.name} circulate, ${side} than the planned ${groupDigits(planned)}.`,
      fields: { kind: 'plan', symbol, circulation, planned, tolerance, side },
    },
  ];
}
