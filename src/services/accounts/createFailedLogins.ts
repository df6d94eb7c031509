import type { Keyring } from '../../model/keyring.ts';
import type { Store } from '../../store/db/db.ts';
import { appendAudit } from '../../store/records/audit.ts';

export type FailedLogins = ReturnType<typeof createFailedLogins>;

type Account = { id: number; tenantId: number | null };
type Failures = { account: Account | null; count: number; addresses: Set<string> };

/** An entry names no more addresses than this, and so many accounts are kept apart between two entries. */
const maxAddresses = 20;
const maxAccounts = 10_000;

/**
 * Collects failed logins for the audit log, as one entry per account now and then. So an attack does not fill the log,
 * and an answer takes the same time for unknown accounts.
 */
export function createFailedLogins({
  store,
  keyring,
  now,
}: {
  store: Store;
  keyring: Pick<Keyring, 'audit'>;
  now: () => number;
}) {
  let failures = new Map<number | null, Failures>();

  function count(account: Account | null, address: string): void {
    const key = account?.id ?? null;
    const failure = failures.get(key);
    if (!failure && failures.size >= maxAccounts) return;
    const entry = failure ?? { account, count: 0, addresses: new Set() };
    entry.count += 1;
    if (entry.addresses.size < maxAddresses) entry.addresses.add(address);
    failures.set(key, entry);
  }

  return {
    /** One failure for each account that the address names, or one of the platform's where there is none. */
    add(accounts: readonly Account[], address: string): void {
      if (accounts.length === 0) count(null, address);
      for (const { id, tenantId } of accounts) count({ id, tenantId }, address);
    },
    async flush(): Promise<void> {
      const written = failures;
      failures = new Map();
      for (const { account, count, addresses } of written.values()) {
        await store.transaction((tx) =>
          appendAudit(tx, keyring.audit, {
            at: now(),
            requestId: '',
            tenantId: account?.tenantId ?? null,
            actor: { tokenId: null, tokenKind: 'NONE', userId: account?.id ?? null },
            action: 'session.refuse',
            record: { kind: 'session', id: null },
            changes: { count, addresses: [...addresses] },
          }),
        );
      }
    },
  };
}
