import { isDeepStrictEqual } from 'node:util';
import type { AuditKeys } from '../../lib/auditKey.ts';
import {
  findOwnChains,
  lockOwnChains,
  type OwnChain,
  saveOwnChain,
} from '../../store/contracts/ownChains.ts';
import type { Db, Store } from '../../store/db/db.ts';
import { appendAudit } from '../../store/records/audit.ts';
import { differsFrom, sameNetwork } from './takenBy.ts';

type Named = Pick<OwnChain, 'chain' | 'identity'>;

/**
 * Stores the chains that the environment adds, so that every process knows them. One that the environment names no more stays, and is
 * changed or deleted by the API from then on.
 */
export async function publishOwnChains(
  store: Store,
  keys: AuditKeys,
  named: readonly Named[],
  now: number,
): Promise<void> {
  if (named.length === 0) return;
  await store.transaction(async (tx) => {
    await lockOwnChains(tx);
    const stored = await findOwnChains(tx);
    const faults = named.flatMap(
      (namedChain) => differsFrom(namedChain, stored) ?? sameNetwork(namedChain, stored) ?? [],
    );
    if (faults.length > 0)
      throw new Error(
        `VIGIL_CHAINS has chains that cannot be added: ${faults.map(({ message }) => message).join(' ')}`,
      );
    for (const namedChain of named) await publish(tx, keys, namedChain, stored, now);
  });
}

async function publish(
  tx: Db,
  keys: AuditKeys,
  namedChain: Named,
  stored: readonly OwnChain[],
  now: number,
): Promise<void> {
  const former = stored.find(({ chain }) => chain.uid === namedChain.chain.uid);
  if (former && !former.isDeleted && isDeepStrictEqual(former.chain, namedChain.chain)) return;
  await saveOwnChain(tx, namedChain, now);
  await appendAudit(tx, keys, {
    at: now,
    requestId: 'start',
    tenantId: null,
    actor: { tokenId: null, tokenKind: 'ENVIRONMENT', userId: null },
    action: former && !former.isDeleted ? 'chain.update' : 'chain.create',
    record: { kind: 'chain', id: null },
    changes: { chain: { before: former?.chain ?? null, after: namedChain.chain } },
  });
}
