import type { Static } from 'typebox';
import { groupDigits } from '../evidence/amounts.ts';
import { holdsWithin } from '../evidence/comparison.ts';
import { assetFacts, decimalsMember, ownDecimals, readHolding } from '../evidence/evm/tokens.ts';
import { AmountOrPercent, Configuration, Polling, scheduleOf } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { compareDecimal, formatDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { type Allocation, type Detection, defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  decimals: decimalsMember,
  tolerance: AmountOrPercent(
    'How far a balance may be from its plan: whole tokens, or a share of the plan.',
    '0',
  ),
  ...Polling('cron', '10 min'),
});

type Side = 'below' | 'above';
/** Allocations that are off their plan, by address and name, and which way. */
type State = { readonly decimals?: number; readonly off?: { readonly [allocation: string]: Side } };

export const tokenomicsAllocation = defineDetector<Static<typeof config>, State>({
  name: 'tokenomics_allocation',
  title: 'Tokenomics allocation',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  severity: 'AUTO',
  description:
    'The address of an allocation holds another amount than the tokenomics records plan for this time: less is HIGH, more is INFO. Reported once until it is back on plan.',
  faq: 'Where does the plan come from? From the tokenomics categories and schedules of the contract: the newest step that is not in the future counts.',
  nextStep:
    'Ask the holder of the allocation why it is off its plan, and follow where the tokens went. Expected? Update the plan.',
  config,
  fields: ['allocation', 'address', 'balance', 'planned', 'side', 'tolerance'],
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, { config: { tolerance, decimals: given }, contract, chain, state, read }) {
    if (observation.type !== 'block') return {};
    const plans = read
      .allocations(contract.id)
      .flatMap((allocation) => plannedAt(allocation, observation.block.timestamp));
    const [decimals, ...balances] = read.all([
      () => ownDecimals(read, contract.address, given ?? state?.decimals),
      ...plans.map(
        ({ address }) =>
          () =>
            readHolding(read, contract.address, address),
      ),
    ]);
    const off: Record<string, Side> = {};
    const detections: Detection[] = [];
    for (const [n, { name, address, planned }] of plans.entries()) {
      const balance = toDecimal(balances[n]!, decimals);
      if (holdsWithin(balance, '==', parseDecimal(planned), tolerance)) continue;
      const side = compareDecimal(balance, parseDecimal(planned)) < 0 ? 'below' : 'above';
      const key = `${address} ${name}`;
      off[key] = side;
      if (state?.off?.[key] === side) continue;
      const held = formatDecimal(balance);
      detections.push({
        severity: side === 'below' ? 'HIGH' : 'INFO',
        part: key,
        message: `The allocation ${name} of ${contract.name} holds ${groupDigits(held)} ${assetFacts(read, chain, contract.address).symbol}, ${side} its plan of ${groupDigits(planned)}.`,
        fields: { allocation: name, address, balance: held, planned, side, tolerance },
      });
    }
    const after = { decimals, ...(Object.keys(off).length > 0 && { off }) };
    return { ...keepState(state, after), detections };
  },
});

/** Amount that the address should hold now; nothing before the first step, or without an address. */
function plannedAt({ name, address, amounts }: Allocation, now: number) {
  if (address === null) return [];
  const past = amounts.filter(({ at }) => at <= now).sort((left, right) => left.at - right.at);
  const planned = past.at(-1)?.amount;
  return planned === undefined ? [] : [{ name, address, planned }];
}
