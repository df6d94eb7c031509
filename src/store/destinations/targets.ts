import type { KindSettings } from '../../destinations/destinationKind.ts';
import { sql } from '../../lib/sql.ts';
import type { Keyring } from '../../model/keyring.ts';
import type { Target } from '../../model/notification.ts';
import type { Db } from '../db/db.ts';

/** Each former secret adds a signature to every request. */
const maxFormerSecrets = 10;

export type SealedTarget = Omit<Target, 'headers' | 'secrets'> & {
  status: string;
  sealedSettings: Buffer | null;
  sealedMessengerBUri: Buffer | null;
  sealedHeaders: Buffer | null;
  sealedSecret: Buffer | null;
  sealedFormerSecrets: Buffer[];
  formerSecretsUntil: number[];
};

export async function findTargets(db: Db, ids: readonly number[]): Promise<SealedTarget[]> {
  return db.prepared<SealedTarget>(
    sql`select id, tenant_id as "tenantId", status, type, value, method, messenger_a_chat_id as "messengerAChatId",
        messenger_b_uri as "messengerBUri",
        coalesce(
          (select m.id from member m where m.tenant_id = x.tenant_id and x.type = 'EMAIL' and m.email = lower(x.value)
            and m.status = 'ACTIVE'),
          (select min(c.member_id) from member_contact c
            where c.tenant_id = x.tenant_id and x.id = any(c.destination_ids) having count(*) = 1)) as "userId",
        settings, sealed_settings as "sealedSettings", sealed_messenger_b_uri as "sealedMessengerBUri",
        confirmed_at is not null as "isConfirmed", sealed_headers as "sealedHeaders", sealed_secret as "sealedSecret",
        sealed_former_secrets as "sealedFormerSecrets", former_secrets_until as "formerSecretsUntil"
      from destination x where id = any(${ids}::bigint[])`,
  );
}

/** Opens the secrets of a destination; replaced ones still sign until they expire. */
export async function openTarget(keyring: Keyring, sealed: SealedTarget, now: number): Promise<Target> {
  const {
    sealedSettings,
    sealedMessengerBUri,
    sealedHeaders,
    sealedSecret,
    sealedFormerSecrets,
    formerSecretsUntil,
    status: _status,
    ...target
  } = sealed;
  const sealRef = (member: string) => ({
    tenantId: target.tenantId,
    kind: 'destination',
    id: target.id,
    member,
  });
  const former = sealedFormerSecrets.filter((_, index) => (formerSecretsUntil[index] ?? 0) > now);
  const headers: Record<string, string> = sealedHeaders
    ? JSON.parse(await keyring.unseal(sealRef('headers'), sealedHeaders))
    : {};
  const uri = sealedMessengerBUri && (await keyring.unseal(sealRef('messengerBUri'), sealedMessengerBUri));
  const settings: KindSettings = sealedSettings
    ? JSON.parse(await keyring.unseal(sealRef('settings'), sealedSettings))
    : {};
  const secrets: string[] = [];
  for (const box of [sealedSecret, ...former])
    if (box) secrets.push(await keyring.unseal(sealRef('secret'), box));
  return {
    ...target,
    ...(uri ? { messengerBUri: uri } : {}),
    headers,
    secrets,
    settings: { ...target.settings, ...settings },
  };
}

/**
 * The replaced secret still signs until `previousUntil`, and older ones until they expire. Returns false when there are too
 * many of them. The caller has locked the destination.
 */
export async function replaceSecret(
  tx: Db,
  keyring: Keyring,
  { tenantId, id }: { tenantId: number; id: number },
  secret: string,
  { now, previousUntil }: { now: number; previousUntil: number },
): Promise<boolean> {
  const box = keyring.seal({ tenantId, kind: 'destination', id, member: 'secret' }, secret);
  const rows = await tx.query(
    sql`update destination x set sealed_secret = ${box},
        sealed_former_secrets = case when x.sealed_secret is null then '{}' else array[x.sealed_secret] || f.boxes end,
        former_secrets_until = case when x.sealed_secret is null then '{}'
          else array[${previousUntil}::bigint] || f.untils end
      from (
        select coalesce(array_agg(f.box order by f.n), '{}') as boxes,
          coalesce(array_agg(f.until order by f.n), '{}') as untils
        from destination x,
          unnest(x.sealed_former_secrets, x.former_secrets_until) with ordinality f(box, until, n)
        where x.tenant_id = ${tenantId} and x.id = ${id} and f.until > ${now}) f
      where x.tenant_id = ${tenantId} and x.id = ${id} and cardinality(f.boxes) < ${maxFormerSecrets} returning 1`,
  );
  return rows.length > 0;
}

export async function hasSecret(db: Db, tenantId: number, id: number): Promise<boolean> {
  const rows = await db.query<{ has: boolean }>(
    sql`select sealed_secret is not null as has from destination where tenant_id = ${tenantId} and id = ${id}`,
  );
  return rows[0]?.has ?? false;
}

/** The caller has found the destination in its scope and locked it. */
export async function findSealedHeaders(db: Db, destinationId: number): Promise<Buffer | null> {
  const rows = await db.query<{ box: Buffer | null }>(
    sql`select sealed_headers as box from destination where id = ${destinationId}`,
  );
  return rows[0]?.box ?? null;
}

/** The same for the address of a MESSENGER_B webhook. */
export async function findSealedMessengerBUri(db: Db, destinationId: number): Promise<Buffer | null> {
  const rows = await db.query<{ box: Buffer | null }>(
    sql`select sealed_messenger_b_uri as box from destination where id = ${destinationId}`,
  );
  return rows[0]?.box ?? null;
}

/** The same for the settings of its kind that are secret. */
export async function findSealedSettings(db: Db, destinationId: number): Promise<Buffer | null> {
  const rows = await db.query<{ box: Buffer | null }>(
    sql`select sealed_settings as box from destination where id = ${destinationId}`,
  );
  return rows[0]?.box ?? null;
}
