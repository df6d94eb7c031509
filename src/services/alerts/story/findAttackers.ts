import type { TransactionDigest } from './digestTransaction.ts';
import type { StoryAlert } from './storyAlert.ts';
import type { LossAlert } from './sumLosses.ts';

/** Accounts that did it, most involved first, and every address on their side. */
export type Attackers = { accounts: string[]; side: Set<string> };

/**
 * The senders of transactions with a loss, else those that the strongest alerts name, with the contracts that they called and the
 * receivers of what was lost.
 */
export function findAttackers(
  alerts: readonly StoryAlert[],
  losing: readonly LossAlert[],
  digests: ReadonlyMap<string, TransactionDigest>,
  isOurs: (address: string) => boolean,
): Attackers {
  const counts = new Map<string, number>();
  const count = (address: unknown) => {
    if (isAddress(address) && !isOurs(address)) counts.set(address, (counts.get(address) ?? 0) + 1);
  };
  const side = new Set<string>();
  const join = (address: unknown) => {
    if (isAddress(address) && !isOurs(address)) side.add(address);
  };
  for (const { alert, loss } of losing) {
    const digest = digestOf(alert, digests);
    count(digest?.from ?? alert.meta.sender);
    join(digest?.to);
    for (const recipient of loss.recipients) join(recipient);
  }
  // Transfers name no sender, so that other alerts of the same transactions may know who it was.
  const hashes = new Set(losing.map(({ alert }) => alert.txHash));
  for (const alert of alerts) {
    const isOfLoss = hashes.has(alert.txHash) && alert.txHash !== null;
    if (losing.length > 0 && !isOfLoss) continue;
    const { sender, suspect, role, caller, borrower, contractAddress } = alert.meta;
    if (counts.size === 0 || isOfLoss) count(sender ?? (role === 'sender' ? suspect : undefined) ?? caller);
    for (const address of [suspect, caller, borrower, contractAddress]) join(address);
  }
  const accounts = [...counts].sort((a, b) => b[1] - a[1]).map(([address]) => address);
  for (const account of accounts) side.add(account);
  for (const { alert } of losing) {
    const { lender, provider, lenders } = alert.meta;
    // A lender lends for a fee and takes part in nothing.
    if (provider !== undefined && typeof lender === 'string') side.delete(lender);
    for (const address of Array.isArray(lenders) ? lenders.slice(0, 20) : []) side.delete(String(address));
  }
  for (const { detectorSchemaName, meta } of alerts)
    if (detectorSchemaName === 'flash_loan' && typeof meta.lender === 'string') side.delete(meta.lender);
  return { accounts, side };
}

function digestOf(
  { txHash }: StoryAlert,
  digests: ReadonlyMap<string, TransactionDigest>,
): TransactionDigest | undefined {
  return txHash === null ? undefined : digests.get(txHash);
}

/** Evidence of pushed findings may hold anything. */
function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 20 && value.length <= 130 && /^[\w.:-]+$/.test(value);
}
