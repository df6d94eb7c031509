import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditKeys } from '../../lib/auditKey.ts';
import type { Secret } from '../../lib/secret.ts';
import { hashToken } from '../../lib/token.ts';
import {
  findTokenByHash,
  hasAdminToken,
  insertToken,
  lockAdminTokens,
  revokeAdminTokens,
} from '../../store/accounts/tokens.ts';
import type { Db, Store } from '../../store/db/db.ts';
import { appendAudit } from '../../store/records/audit.ts';
import { issueToken, tokenHint } from './issueToken.ts';
import { createSetupCode } from './setUp.ts';

/**
 * Printed by the first start: the administrator's token, and the code of the link that makes the first administrator.
 */
export type FirstAccess = { token: string; setupCode: string };

type Settings = { adminToken: Secret | undefined; dataDir: string };

const admin = { kind: 'ADMIN', tenantId: null, userId: null, roles: ['admin'], expiredAt: null } as const;
const ofEnvironment = { ...admin, label: 'VIGIL_ADMIN_TOKEN' } as const;

/** The first start makes an administrator's token; one of the environment takes the place of its predecessor. */
export async function ensureAdminToken(
  store: Store,
  keys: AuditKeys,
  { adminToken, dataDir }: Settings,
  now: number,
  warn: (message: string) => void,
): Promise<FirstAccess | undefined> {
  return store.transaction(async (tx) => {
    await lockAdminTokens(tx);
    if (adminToken) {
      await takeToken(tx, keys, adminToken.reveal(), now, warn);
      return undefined;
    }
    if (await hasAdminToken(tx)) return undefined;
    const { token } = await issueToken(tx, { ...admin, label: 'first start' }, now);
    writeFileSync(join(dataDir, 'admin-token'), `${token}\n`, { mode: 0o600, flush: true });
    return { token, setupCode: await createSetupCode(tx, now) };
  });
}

async function takeToken(
  tx: Db,
  keys: AuditKeys,
  token: string,
  now: number,
  warn: (message: string) => void,
): Promise<void> {
  const hash = hashToken(token);
  const stored = await findTokenByHash(tx, hash, now);
  if (stored && !stored.isLive) {
    // Nor is its successor ended, which another process may have been given meanwhile.
    warn('VIGIL_ADMIN_TOKEN was revoked or has expired and is refused; set a new one.');
    return;
  }
  const id = stored?.id ?? (await insertToken(tx, { ...ofEnvironment, hash, hint: tokenHint(token) }, now));
  for (const former of await revokeAdminTokens(tx, ofEnvironment.label, id, now)) {
    await appendAudit(tx, keys, {
      at: now,
      requestId: 'start',
      tenantId: null,
      actor: { tokenId: id, tokenKind: 'ADMIN', userId: null },
      action: 'apikey.delete',
      record: { kind: 'apikey', id: former },
      changes: {},
    });
  }
}
