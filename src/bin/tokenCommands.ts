import type { AuditKeys } from '../lib/auditKey.ts';
import { everything, keyRoles } from '../model/principal.ts';
import { issueToken } from '../services/accounts/issueToken.ts';
import { listTokens, revokeToken } from '../store/accounts/tokens.ts';
import type { Db } from '../store/db/db.ts';
import { appendAudit } from '../store/records/audit.ts';
import { lockRecords } from '../store/records/records.ts';
import { tenantTable } from '../store/tables/tenantTable.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { withKeyring, withStore } from './withStore.ts';

export async function createTokenCommand(options: CommandInput['options']): Promise<number> {
  const requested = Array.isArray(options.role) ? options.role.map(String) : ['admin'];
  const unknown = requested.filter((role) => !keyRoles.some((keyRole) => keyRole === role));
  if (unknown.length > 0)
    return refuse(`There is no role ${unknown.join(', ')}; the roles are ${keyRoles.join(', ')}.`);
  const tenantId = readNumber(options.tenant);
  const days = readNumber(options.days);
  if (tenantId === undefined || days === undefined)
    return refuse('--tenant and --days take a whole number above 0.');
  if (requested.includes('admin') !== (tenantId === null)) {
    return refuse('An admin token has no tenant, and every other role needs --tenant.');
  }
  return withKeyring({ isNamed: true }, (store, { audit: keys }) =>
    store.transaction(async (tx) => {
      if (tenantId !== null && !(await hasTenant(tx, tenantId)))
        return refuse(`There is no tenant ${tenantId}.`);
      const now = Date.now();
      const label = typeof options.label === 'string' ? options.label : 'command line';
      const expiredAt = days === null ? null : now + days * 86_400_000;
      const kind = tenantId === null ? 'ADMIN' : 'API_KEY';
      const { id, token } = await issueToken(
        tx,
        { kind, tenantId, userId: null, label, roles: requested, expiredAt },
        now,
      );
      await audit(tx, keys, 'apikey.create', tenantId, id, { label, roles: requested, expiredAt }, now);
      process.stdout.write(`${token}\n`);
      process.stderr.write(`Token ${id} was created. It is not shown again.\n`);
      return 0;
    }),
  );
}

export async function listTokensCommand(): Promise<number> {
  return withStore({ isNamed: false }, async (store) => {
    const tokens = await listTokens(store, Date.now());
    if (tokens.length === 0) process.stdout.write('There is no live token.\n');
    for (const token of tokens) {
      const until =
        token.expiredAt === null ? 'without expiry' : `until ${new Date(token.expiredAt).toISOString()}`;
      const where = token.tenantId === null ? 'platform' : `tenant ${token.tenantId}`;
      process.stdout.write(
        `${String(token.id).padStart(6)}  ${token.kind.padEnd(8)} ${where.padEnd(12)} ${token.hint}  ${until}  ` +
          `${token.roles.join(',') || 'roles of its user'}  ${token.label ?? ''}\n`,
      );
    }
    return 0;
  });
}

export async function revokeTokenCommand(words: readonly string[]): Promise<number> {
  const id = readNumber(words[0]);
  if (id == null || words.length !== 1)
    return refuse('Usage: vigil token revoke <id>; vigil token list shows the ids.');
  return withKeyring({ isNamed: true }, (store, { audit: keys }) =>
    store.transaction(async (tx) => {
      const now = Date.now();
      const revoked = await revokeToken(tx, id, now);
      if (!revoked) return refuse(`There is no live token ${id}.`);
      await audit(tx, keys, 'apikey.delete', revoked.tenantId, id, {}, now);
      process.stdout.write(`Token ${id} is revoked.\n`);
      return 0;
    }),
  );
}

async function hasTenant(tx: Db, id: number): Promise<boolean> {
  return (await lockRecords(tx, tenantTable, everything, [id], 'read')).has(id);
}

async function audit(
  tx: Db,
  keys: AuditKeys,
  action: string,
  tenantId: number | null,
  id: number,
  changes: Record<string, unknown>,
  now: number,
): Promise<void> {
  const actor = { tokenId: null, tokenKind: 'COMMAND_LINE', userId: null };
  await appendAudit(tx, keys, {
    at: now,
    requestId: 'command line',
    tenantId,
    actor,
    action,
    record: { kind: 'apikey', id },
    changes,
  });
}

/** null when it was not given, undefined when it is not a number. */
function readNumber(text: unknown): number | null | undefined {
  if (text === undefined) return null;
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}
