import { type Static, Type } from 'typebox';
import { transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { formatUnits, native, showAmount } from '../evidence/amounts.ts';
import { findFlows, showFlows, toFlowEvidence } from '../evidence/evm/flows.ts';
import { assetDecimals, assetFacts, readHolding } from '../evidence/evm/tokens.ts';

import { Asset, Condition, Configuration, Polling, scheduleOf } from '../evidence/parameters.ts';
import { evaluateCondition, parseCondition } from '../lib/condition.ts';
import { toDecimal } from '../lib/decimal.ts';
import { defineTrigger } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const params = Configuration({
  token: Asset('native, or the address of a token.'),
  condition: Type.Optional(
    Condition(
      'What must hold of the new balance in whole tokens, such as "< 5", ">= 10%" (change) or "--100" (fall); without it, any change.',
    ),
  ),
  ...Polling('block', '1 min'),
});

type State = { value: string; armed?: false };

export const balanceChange = defineTrigger<Static<typeof params>, State>({
  type: 'BALANCE_CHANGE',
  families: [...evmDialect, 'bitcoin', 'solana', 'stellar', 'icp'],
  description:
    'The balance of the watched address in native coins or in a token changes, and the new balance meets the condition.',
  params,
  fields: [
    'token',
    'symbol',
    'before',
    'after',
    'change',
    'rawBefore',
    'rawAfter',
    'condition',
    'transactions',
  ],
  takesBaseline: true,
  interests({ token, ...looks }, { address }) {
    const look = { on: 'block' as const, ...scheduleOf(looks) };
    // A transfer is seen with its transaction; the look sees what a token changes without one.
    return looks.when === 'block' && token !== native
      ? [{ on: 'party', address, keys: [transferTopic] }, look]
      : [look];
  },
  evaluate(observation, { config, contract, chain, state, read }) {
    const { token } = config;
    if (observation.type !== 'block' && observation.type !== 'log') return {};
    if (observation.type === 'log' && observation.log.address !== token) return {};
    const after = readHolding(read, token, contract.address);
    const before = state ? BigInt(state.value) : readHolding(read, token, contract.address, 'parent');
    const isChanged = after !== before;
    if (!isChanged && state && state.armed !== false) return {};
    const { fires, armed } = judge(config.condition, { after, before, armed: state?.armed }, () =>
      assetDecimals(read, chain, token),
    );
    const next: State = { value: String(after), ...(!armed && { armed }) };
    const newState = next.value === state?.value && next.armed === state.armed ? {} : { state: next };
    if (!isChanged || !fires) return newState;
    const facts = assetFacts(read, chain, token);
    const flows = findFlows(read, observation.block, token, contract.address);
    const verb = after > before ? 'rose' : 'fell';
    return {
      ...newState,
      detections: [
        {
          message: `The balance of ${contract.name} ${verb} from ${showAmount(before, facts)} to ${showAmount(after, facts)}.${showFlows(flows, facts)}`,
          fields: {
            token,
            symbol: facts.symbol,
            before: formatUnits(before, facts.decimals),
            after: formatUnits(after, facts.decimals),
            change: formatUnits(after - before, facts.decimals),
            rawBefore: before,
            rawAfter: after,
            condition: config.condition,
            transactions: toFlowEvidence(flows, facts),
          },
        },
      ],
    };
  },
});

type Verdict = { fires: boolean; armed: boolean };

function judge(
  condition: string | undefined,
  { after, before, armed }: { after: bigint; before: bigint; armed: boolean | undefined },
  decimals: () => number,
): Verdict {
  if (condition === undefined) return { fires: true, armed: true };
  const places = decimals();
  return evaluateCondition(parseCondition(condition), {
    value: toDecimal(after, places),
    previous: toDecimal(before, places),
    armed,
  });
}
