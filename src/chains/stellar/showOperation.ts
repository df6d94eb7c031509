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
 * An operation for expressions: type, source, protocol members in camel case, and receiver and amount in `to` and
 * `amount`. Amounts are big integers, assets named as in transfers.
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

/** Native coins that an operation pays to others, if it succeeds. */
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
