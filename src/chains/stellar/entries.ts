import { isRecord, membersOf } from '../../lib/isRecord.ts';
import { listOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import type { Network } from './network.ts';

/** One ledger entry before and after a step of a transaction; null where there is none. */
export type EntryStep = { readonly before: Raw | null; readonly after: Raw | null };

/** Of `LedgerEntryChanges`, where the state before stands in front of what became of it. */
export function readSteps(changes: unknown): EntryStep[] {
  const steps: EntryStep[] = [];
  let state: Raw | null = null;
  for (const change of listOf(changes, 'changes')) {
    const { state: known, created, updated, restored, removed } = recordOf(change);
    if (known !== undefined) {
      state = dataOf(known);
      continue;
    }
    const after = created ?? updated ?? restored;
    if (after === undefined && removed === undefined)
      throw new InvalidResponse('a ledger entry changed in no known way');
    steps.push({
      before: restored === undefined ? state : dataOf(restored),
      after: after === undefined ? null : dataOf(after),
    });
    state = null;
  }
  return steps;
}

function dataOf(entry: unknown): Raw {
  return recordOf(recordOf(entry).data);
}

export type Holding = { readonly asset: string; readonly holder: string; readonly amount: bigint };

/** Holdings that an entry records. */
export function holdingsIn(entry: Raw | null, network: Network): Holding[] {
  if (entry === null) return [];
  const {
    account,
    trustline,
    claimable_balance: claimable,
    liquidity_pool: pool,
    contract_data: data,
  } = entry;
  if (isRecord(account))
    return [
      { asset: 'native', holder: textOf(account.account_id, 'account'), amount: amountOf(account.balance) },
    ];
  if (isRecord(trustline))
    return [
      {
        asset: network.assetOf(trustline.asset),
        holder: textOf(trustline.account_id, 'account'),
        amount: amountOf(trustline.balance),
      },
    ];
  if (isRecord(claimable))
    return [
      {
        asset: network.assetOf(claimable.asset),
        holder: textOf(claimable.balance_id, 'balance'),
        amount: amountOf(claimable.amount),
      },
    ];
  if (isRecord(pool)) {
    const {
      params,
      reserve_a: a,
      reserve_b: b,
    } = membersOf(membersOf(pool.body).liquidity_pool_constant_product);
    const { asset_a: first, asset_b: second } = membersOf(params);
    const holder = textOf(pool.liquidity_pool_id, 'pool');
    return [
      { asset: network.assetOf(first), holder, amount: amountOf(a) },
      { asset: network.assetOf(second), holder, amount: amountOf(b) },
    ];
  }
  const balance = isRecord(data) ? readBalance(data) : undefined;
  return balance ? [{ ...balance, asset: network.tokenOf(balance.contract) }] : [];
}

/** A balance as the contracts of assets keep it for contracts that hold them. */
export function readBalance(
  data: Raw,
): { contract: string; holder: string; amount: bigint; isAuthorized: boolean } | undefined {
  const [kind, holder] = itemsOf(data.key);
  if (membersOf(kind).symbol !== 'Balance') return undefined;
  const values = mapOf(data.val);
  const { i128: amount } = membersOf(values.get('amount'));
  const { bool: isAuthorized } = membersOf(values.get('authorized'));
  const { address } = membersOf(holder);
  if (typeof amount !== 'string' || typeof address !== 'string' || typeof isAuthorized !== 'boolean')
    return undefined;
  return {
    contract: textOf(data.contract, 'contract'),
    holder: address,
    amount: BigInt(amount),
    isAuthorized,
  };
}

/** The items of a vector, as ScVal has it. */
function itemsOf(value: unknown): readonly unknown[] {
  const { vec } = membersOf(value);
  return Array.isArray(vec) ? vec : [];
}

/** Values of a map by those of its keys that are symbols, alone or as the first item of a vector. */
export function mapOf(value: unknown): ReadonlyMap<string, unknown> {
  const { map } = membersOf(value);
  return pairsOf(map);
}

export function pairsOf(pairs: unknown): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  for (const pair of Array.isArray(pairs) ? (pairs as unknown[]) : []) {
    const { key, val } = membersOf(pair);
    const { symbol } = membersOf(itemsOf(key)[0] ?? key);
    if (typeof symbol === 'string') members.set(symbol, val);
  }
  return members;
}

export function amountOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^-?\d{1,40}$/.test(value))
    throw new InvalidResponse('an amount is no number');
  return BigInt(value);
}

/** Owners of an entry. */
export function ownersOf(entry: Raw | null): string[] {
  const [kind] = Object.values(entry ?? {});
  const { account_id, seller_id, contract } = membersOf(kind);
  return [account_id, seller_id, contract].filter((text) => typeof text === 'string');
}
