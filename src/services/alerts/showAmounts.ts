import type { DescribedFrame } from '../../chains/evm/traces/describeFrame.ts';
import { showAmount } from '../../evidence/amounts.ts';
import type { Frame } from '../../model/block.ts';
import type { TokenNaming } from './readTokens.ts';

type Argument = DescribedFrame['arguments'][number] & { shown: string | null };

/** The frame with its amounts of tokens as people write them: `500,000 DUSD`. */
export function showAmounts(
  { type, from, to }: Pick<Frame, 'type' | 'from' | 'to'>,
  described: DescribedFrame,
  tokens: ReadonlyMap<string, TokenNaming>,
): Omit<DescribedFrame, 'arguments'> & { arguments: Argument[] } {
  // The code of an implementation runs for its proxy, which is the token.
  const own = type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to;
  const named = described.arguments.filter(({ value }) => tokens.has(value.toLowerCase()));
  const [only, ...further] = named;
  const single = only && further.length === 0 ? tokens.get(only.value.toLowerCase()) : undefined;
  const token = tokens.get(own) ?? single;
  return {
    ...described,
    arguments: described.arguments.map((argument) => ({ ...argument, shown: show(argument, token) })),
  };
}

function show({ name, type, value }: DescribedFrame['arguments'][number], token: TokenNaming | undefined) {
  if (!token?.isFungible || token.symbol === null) return null;
  if (!/^uint(256|128|112|96)?$/.test(type) || !isAmount.test(name) || !/^\d{1,78}$/.test(value)) return null;
  const units = BigInt(value);
  if (units >= unlimited) return 'unlimited';
  return showAmount(units, { symbol: token.symbol, decimals: token.decimals });
}

const isAmount = /amount|value|wad|assets|quantity|amt|shares/i;
/** Allowances of so much are meant to have no end. */
const unlimited = 2n ** 255n;
