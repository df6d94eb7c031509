import { sql } from '../../lib/sql.ts';
import type { Target } from '../../model/notification.ts';
import type { Db } from '../db.ts';
import type { Keyring } from '../keyring.ts';

export type SealedTarget = Omit<Target, 'headers' | 'secrets'> & {
  sealedHeaders: Buffer | null;
  sealedSecret: Buffer | null;
  sealedOldSecret: Buffer | null;
  oldSecretUntil: number | null;
};

export async function findTargets(db: Db, ids: readonly number[]): Promise<SealedTarget[]> {
  return db.prepared<SealedTarget>(
    sql`select id, tenant_id as "tenantId", type, value, method, messenger_a_chat_id as "messengerAChatId",
        messenger_b_uri as "messengerBUri", sealed_headers as "sealedHeaders", sealed_secret as "sealedSecret",
        sealed_old_secret as "sealedOldSecret", old_secret_until as "oldSecretUntil"
      from destination where id = any(${ids}::bigint[])`,
  );
}

/** Opens the secrets of a destination; the one before the last signs as well until its time is over. */
export async function openTarget(keyring: Keyring, sealed: SealedTarget, now: number): Promise<Target> {
  const { sealedHeaders, sealedSecret, sealedOldSecret, oldSecretUntil, ...target } = sealed;
  const place = (member: string) => ({
    tenantId: target.tenantId,
    kind: 'destination',
    id: target.id,
    member,
  });
  const boxes = [sealedSecret, oldSecretUntil !== null && oldSecretUntil > now ? sealedOldSecret : null];
  const headers: Record<string, string> = sealedHeaders
    ? JSON.parse(await keyring.unseal(place('headers'), sealedHeaders))
    : {};
  const secrets: string[] = [];
  for (const box of boxes) if (box) secrets.push(await keyring.unseal(place('secret'), box));
  return { ...target, headers, secrets };
}

/** The secret that signed so far goes on signing until `previousUntil`. The caller has found and locked the destination. */
export async function replaceSecret(
  tx: Db,
  keyring: Keyring,
  { tenantId, id }: { tenantId: number; id: number },
  secret: string,
  previousUntil: number | null,
): Promise<void> {
  const box = keyring.seal({ tenantId, kind: 'destination', id, member: 'secret' }, secret);
  await tx.query(
    sql`update destination set sealed_old_secret = sealed_secret, old_secret_until = ${previousUntil}, sealed_secret = ${box}
      where tenant_id = ${tenantId} and id = ${id}`,
  );
}

export async function hasSecret(db: Db, tenantId: number, id: number): Promise<boolean> {
  const rows = await db.query<{ has: boolean }>(
    sql`select sealed_secret is not null as has from destination where tenant_id = ${tenantId} and id = ${id}`,
  );
  return rows[0]?.has ?? false;
}
