import { caseOf } from '../../codecs/stellar/caseOf.ts';
import { withoutMuxing } from '../../codecs/stellar/strkey.ts';
import { isRecord, membersOf } from '../../lib/isRecord.ts';
import type { Network } from './network.ts';

const amounts = [
  'amount',
  'starting_balance',
  'send_amount',
  'send_max',
  'dest_amount',
  'dest_min',
  'buy_amount',
  'limit',
];
const assets = ['asset', 'send_asset', 'dest_asset', 'selling', 'buying', 'line'];

/**
 * An operation as expressions see it: its type, its source, its members by the names of the protocol in camel case, and in `to`
 * and `amount` who gets how much. Amounts are big integers, assets as transfers name them.
 */
export function showOperation(source: string, body: unknown, network: Network): Record<string, unknown> {
  const { name, held } = caseOf(body);
  // An account merge holds its destination alone.
  const members = isRecord(held) ? held : typeof held === 'string' ? { destination: held } : {};
  const shown = Object.fromEntries(
    Object.entries(members).map(([member, value]) => [toCamel(member), showMember(member, value, network)]),
  );
  const { destination, starting_balance: starting, dest_amount: received, send_amount: sent } = members;
  const amount = members.amount ?? starting ?? received ?? sent;
  return {
    ...shown,
    type: name,
    source,
    ...(typeof destination === 'string' && { to: withoutMuxing(destination) }),
    ...(isWhole(amount) && { amount: BigInt(String(amount)) }),
    ...(starting !== undefined && { asset: 'native' }),
  };
}

/** How many native coins an operation pays someone, if it succeeds. */
export function paidCoins(body: unknown): bigint {
  const { name, held } = caseOf(body);
  const { asset, amount, starting_balance: starting } = membersOf(held);
  if (name === 'create_account') return BigInt(String(starting));
  return name === 'payment' && asset === 'native' ? BigInt(String(amount)) : 0n;
}

function showMember(name: string, value: unknown, network: Network): unknown {
  if (assets.includes(name)) return network.assetOf(value);
  if (amounts.includes(name) && isWhole(value)) return BigInt(String(value));
  return typeof value === 'string' && /^M[A-Z2-7]{68}$/.test(value) ? withoutMuxing(value) : value;
}

function isWhole(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && /^-?\d+$/.test(String(value));
}

function toCamel(name: string): string {
  return name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
