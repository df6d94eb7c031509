import { type Static, Type } from 'typebox';
import { assetDecimals, assetFacts, readHolding } from '../chains/evm/evidence/tokens.ts';
import { formatUnits, showAmount } from '../evidence/amounts.ts';
import { Asset, Configuration, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import { type Judgement, judgeSample, keepState, type SampleState } from '../evidence/samples.ts';
import { toDecimal } from '../lib/decimal.ts';
import { defineDetector } from '../model/detection.ts';

const config = Configuration({
  token: Asset('native, or the address of the token.'),
  condition: Type.Optional(
    Type.String({
      format: 'condition',
      description:
        'What the balance in whole tokens must be for an alert, such as "<< 1" (once when it falls below 1) or "< -10%" (a fall by more than 10 % since the last look).',
    }),
  ),
  trackAnyChange: Flag('Whether to report every change of the balance as well.', false),
  ...Polling('cron', '1 min'),
});

type State = SampleState & { readonly balance?: string; readonly decimals?: number };

export const walletBalance = defineDetector<Static<typeof config>, State>({
  name: 'wallet_balance',
  title: 'Wallet balance',
  version: '1.0.0',
  category: 'FINANCIAL',
  severity: 'MEDIUM',
  description: 'The balance of the wallet or contract, in native coins or a token, meets a condition.',
  faq: 'Why do I get an alert every minute? A condition such as "< 1" raises an alert at every check while it holds; write "<< 1" for one alert each time it begins to hold.',
  config,
  fields: ['holder', 'token', 'symbol', 'balance', 'rawBalance', 'previous', 'condition'],
  takesBaseline: true,
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, { config: settings, contract, chain, state, read }) {
    if (observation.type !== 'block') return {};
    const { condition, trackAnyChange } = settings;
    const token = settings.token.toLowerCase();
    const balance = readHolding(read, token, contract.address);
    const decimals = state?.decimals ?? assetDecimals(read, chain, token);
    const judged: Judgement = condition
      ? judgeSample(condition, toDecimal(balance, decimals), state)
      : { fires: false, after: {} };
    const before = trackAnyChange ? state?.balance : undefined;
    const hasChanged = before !== undefined && before !== balance.toString();
    const kept = keepState(state, {
      ...judged.after,
      decimals,
      ...(trackAnyChange && { balance: balance.toString() }),
    });
    if (!judged.fires && !hasChanged) return kept;
    const { symbol } = assetFacts(read, chain, token);
    const previous = hasChanged ? formatUnits(BigInt(before), decimals) : judged.previous;
    const was = previous === undefined ? '' : `, before ${previous}`;
    const why = judged.fires ? `, which meets ${condition}` : '';
    return {
      ...kept,
      detections: [
        {
          message: `${contract.name} holds ${showAmount(balance, { symbol, decimals })}${was}${why}.`,
          fields: {
            holder: contract.address,
            token,
            symbol,
            balance: formatUnits(balance, decimals),
            rawBalance: balance,
            previous,
            condition,
          },
        },
      ],
    };
  },
});
