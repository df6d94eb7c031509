import { formatUnits, native, showAmount } from '../../../evidence/amounts.ts';
import type { Transaction } from '../../../model/block.ts';
import type { ChainFacts, Reader } from '../../../model/detection.ts';
import { assetFacts } from './assetFacts.ts';

import { decodeTransfer } from './erc20Transfer.ts';
import { endsOf, type Party } from './partiesOf.ts';

/** What a description says of a party. */
export const partyFields = ['role', 'from', 'to', 'token', 'symbol', 'value', 'amount'];

/** What somebody did in a transaction, as the end of a sentence and as evidence. */
export function describeParty(
  { role, log }: Party,
  transaction: Transaction,
  read: Reader,
  chain: ChainFacts,
): { deed: string; fields: Readonly<Record<string, unknown>> } {
  const [from, to] = (log && endsOf(log)) ?? [transaction.from, transaction.to ?? 'a new contract'];
  const token = log?.address ?? native;
  const units = log ? decodeTransfer(log)?.amount : transaction.value;
  const isGiver = role === 'sender' || role === 'tokenSender';
  const sentence = (what: string) => (isGiver ? `sent ${what} to ${to}` : `received ${what} from ${from}`);
  const fields = { role, from, to, token };
  if (units === undefined) return { deed: sentence(`tokens of ${token}`), fields };
  if (units === 0n && !log) return { deed: sentence('a call'), fields };
  const facts = assetFacts(read, chain, token);
  return {
    deed: sentence(showAmount(units, facts)),
    fields: { ...fields, symbol: facts.symbol, value: units, amount: formatUnits(units, facts.decimals) },
  };
}
