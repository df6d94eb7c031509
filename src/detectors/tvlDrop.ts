import { type Static, Type } from 'typebox';
import { assetDecimalsIfKnown, assetFacts, readHolding } from '../chains/evm/evidence/tokens.ts';
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
import { type Detection, defineDetector, type EvaluationContext } from '../model/detection.ts';

const drop =
  'A drop of at least this since the last check is reported: whole tokens, or a share of the balance.';
const config = Configuration({
  tokens: Type.Array(
    Type.Object(
      { token: Address('Address of the token.'), threshold: AmountOrPercent(drop, '1%') },
      { additionalProperties: false, required: ['token'] },
    ),
    { description: 'Tokens whose balances are watched.', default: [], maxItems: 50 },
  ),
  native: Flag('Whether the balance in native coins is watched.', true),
  nativeThreshold: AmountOrPercent(drop, '1%'),
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
  severity: 'AUTO',
  description:
    'What the contract holds, in native coins or tokens, drops from one look to the next. Severity by the share that is gone: from 50 % CRITICAL, from 20 % HIGH, from 5 % MEDIUM, else LOW.',
  faq: 'Why does it look at every block? A drain takes one transaction, and coins moved by inner calls leave no trace but the balance; with `when: cron` the drop between two looks counts.',
  config,
  fields: ['token', 'symbol', 'percent', 'drop', 'before', 'after', 'rawDrop', 'threshold'],
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, context) {
    if (observation.type !== 'block') return {};
    const { contract, state, read } = context;
    const assets = assetsOf(context.config);
    const balances = read.all(
      assets.map(
        ({ token }) =>
          () =>
            readHolding(read, token, contract.address),
      ),
    );
    const after = Object.fromEntries(assets.map(({ token }, n) => [token, balances[n]!.toString()]));
    const detections = assets.flatMap(({ token, threshold }, n) => {
      const before = state?.[token];
      return before === undefined ? [] : judge(context, token, threshold, BigInt(before), balances[n]!);
    });
    return { ...keepState(state, after), detections };
  },
});

function assetsOf({ tokens, native: isNative, nativeThreshold }: Config) {
  const assets = tokens.map(({ token, threshold }) => ({ token: token.toLowerCase(), threshold }));
  return isNative ? [{ token: native, threshold: nativeThreshold }, ...assets] : assets;
}

function judge(
  { contract, chain, read }: EvaluationContext<Config, State>,
  token: string,
  threshold: string,
  before: bigint,
  after: bigint,
): Detection[] {
  const lost = before - after;
  if (lost <= 0n) return [];
  if (compareToLimit(threshold, lost, before, () => assetDecimalsIfKnown(read, chain, token)) < 0) return [];
  const facts = assetFacts(read, chain, token);
  const percent = percentOf(lost, before);
  return [
    {
      severity: severityByShare(percent),
      magnitude: percent,
      part: token,
      message: `${contract.name} lost ${showAmount(lost, facts)} (${percent} %) and now holds ${showAmount(after, facts)}.`,
      fields: {
        token,
        symbol: facts.symbol,
        percent,
        drop: formatUnits(lost, facts.decimals),
        before: formatUnits(before, facts.decimals),
        after: formatUnits(after, facts.decimals),
        rawDrop: lost,
        threshold,
      },
    },
  ];
}
