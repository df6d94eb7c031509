import { type Static, Type } from 'typebox';
import { formatUnits, groupDigits, showAmount } from '../evidence/amounts.ts';
import { findFlows, showFlows, toFlowEvidence } from '../evidence/evm/flows.ts';
import { sampleHoldings } from '../evidence/evm/sampleHoldings.ts';
import { assetDecimals, assetFacts, readHolding } from '../evidence/evm/tokens.ts';
import { usdFeedMember, usdWorth } from '../evidence/evm/usdWorth.ts';
import { Asset, Configuration, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import { endOfCondition, meets, repeatMembers } from '../evidence/repeats.ts';
import { judgeSample, keepState, type SampleJudgement, type SampleState } from '../evidence/samples.ts';
import { toDecimal } from '../lib/decimal.ts';
import { defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  token: Asset('native, or the address of the token.'),
  condition: Type.Optional(
    Type.String({
      format: 'condition',
      description:
        'What the balance in whole tokens must be for an alert, such as "< 1" or "< -10%" (a fall by more than 10 % since the last look). Without it, and unless every change is reported: < -10%.',
    }),
  ),
  trackAnyChange: Flag('Whether to report every change of the balance as well.', false),
  ...repeatMembers,
  usdFeed: usdFeedMember,
  ...Polling('cron', '1 min'),
});

const usualCondition = '< -10%';

type State = SampleState & { readonly balance?: string; readonly decimals?: number };

export const walletBalance = defineDetector<Static<typeof config>, State>({
  name: 'wallet_balance',
  title: 'Wallet balance',
  version: '1.0.0',
  category: 'FINANCIAL',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  recommendedFor: {
    ACCOUNT: () => ({
      config: { condition: '< -50%', when: 'block', severity: 'HIGH' },
      reason:
        'It is an account without code: losing half of its coins in a block is a theft or a large payment.',
    }),
  },
  severity: 'MEDIUM',
  description: 'The balance of the wallet or contract, in native coins or a token, meets a condition.',
  faq: 'How often does it report a balance that stays low? Once, and once more as INFO when it is over, unless `repeat` says otherwise.',
  nextStep: 'Check who was paid and whether it was meant. Top the wallet up if it pays for gas.',
  config,
  fields: [
    'holder',
    'token',
    'symbol',
    'balance',
    'rawBalance',
    'previous',
    'condition',
    'ended',
    'usd',
    'transactions',
  ],
  takesBaseline: true,
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, { config: settings, contract, chain, state, read }) {
    if (observation.type !== 'block') return {};
    const { trackAnyChange } = settings;
    const condition = settings.condition ?? (trackAnyChange ? undefined : usualCondition);
    const { token } = settings;
    const balance = readHolding(read, token, contract.address);
    const decimals = state?.decimals ?? assetDecimals(read, chain, token);
    const judged: SampleJudgement = condition
      ? judgeSample(
          { ...settings, condition },
          toDecimal(balance, decimals),
          observation.block.timestamp,
          state,
        )
      : { fires: false, ends: false, isAgain: false, after: {} };
    const before = trackAnyChange ? state?.balance : undefined;
    const hasChanged = before !== undefined && before !== balance.toString();
    const { timestamp } = observation.block;
    const holdings = () =>
      sampleHoldings(read, chain, timestamp, [{ token, units: balance, usdFeed: settings.usdFeed }]);
    const newState = keepState(state, {
      ...judged.after,
      decimals,
      ...(trackAnyChange && { balance: balance.toString() }),
    });
    if (!judged.fires && !judged.ends && !hasChanged) return { ...newState, holdings };
    const { symbol } = assetFacts(read, chain, token);
    const previous = hasChanged ? formatUnits(BigInt(before), decimals) : judged.previous;
    const facts = { symbol, decimals };
    const worth = usdWorth(
      read,
      { token, feed: settings.usdFeed, chain, at: observation.block.timestamp },
      balance,
      decimals,
    );
    const was = previous === undefined ? '' : `, before ${groupDigits(previous)} ${symbol}`;
    const flows = findFlows(read, observation.block, token, contract.address);
    const why = judged.fires || judged.ends ? `, which ${meets(judged)} ${condition}` : '';
    return {
      ...newState,
      holdings,
      detections: [
        {
          // A change that is wanted anyway is more than the end of the condition.
          ...(judged.ends && !hasChanged && endOfCondition),
          message: `${contract.name} holds ${showAmount(balance, facts)}${worth.shown}${was}${why}.${showFlows(flows, facts)}`,
          fields: {
            holder: contract.address,
            token,
            symbol,
            balance: formatUnits(balance, decimals),
            rawBalance: balance,
            previous,
            condition,
            ended: judged.ends || undefined,
            ...worth.fields,
            transactions: toFlowEvidence(flows, facts),
          },
        },
      ],
    };
  },
});
