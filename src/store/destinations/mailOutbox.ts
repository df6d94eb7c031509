import { randomUUID } from 'node:crypto';
import { sql, unplanned } from '../../lib/sql.ts';
import type { Keyring } from '../../model/keyring.ts';
import type { Db } from '../db/db.ts';

/** The content of a mail; its text is composed when it is sent. */
export type MailContent =
  | {
      kind: 'invite';
      data: {
        link: string /** Missing in mails queued by 0.16. */;
        invitedBy?: string | null;
        tenantName: string | null;
        roles: string[];
        expiredAt: number;
      };
    }
  | { kind: 'confirm'; data: { link: string; tenantName: string | null; expiredAt: number } }
  | { kind: 'reset'; data: { by: string | null; tenantName: string | null; at: number } }
  | { kind: 'subscription'; data: Record<string, unknown> };

/** Queues a mail in the transaction that it reports, so that neither exists without the other. */
export async function insertMail(
  tx: Db,
  keyring: Keyring,
  mail: MailContent & { tenantId: number | null; to: string },
  now: number,
): Promise<void> {
  const uid = randomUUID();
  const sealed = keyring.seal(sealRef({ uid, tenantId: mail.tenantId }), JSON.stringify(mail.data));
  await tx.query(
    sql`insert into mail_outbox (uid, tenant_id, kind, to_address, sealed_data, next_attempt_at, created_at, updated_at)
      values (${uid}, ${mail.tenantId}, ${mail.kind}, ${mail.to}, ${sealed}, ${now}, ${now}, ${now})`,
  );
}

export type ClaimedMail = MailContent & { uid: string; to: string; attempts: number };

type Row = {
  uid: string;
  tenantId: number | null;
  kind: MailContent['kind'];
  to: string;
  sealed: Buffer;
  attempts: number;
};

/** Claims the oldest due mails, including those whose lease has ended. */
/** True if a mail is to be sent. */
export const isMailDue = (now: number) => sql`exists (select from mail_outbox where state = 'PENDING'
  and next_attempt_at <= ${unplanned(now)} and (lease_until is null or lease_until < clock_timestamp()))`;

export async function claimMails(
  db: Db,
  keyring: Keyring,
  claim: { limit: number; leaseMs: number; now: number },
): Promise<ClaimedMail[]> {
  const rows = await db.query<Row>(
    sql`with taken as (
        select uid from mail_outbox where state = 'PENDING' and next_attempt_at <= ${claim.now}
          and (lease_until is null or lease_until < clock_timestamp())
        order by next_attempt_at limit ${claim.limit} for update skip locked)
      update mail_outbox o set lease_until = clock_timestamp() + ${claim.leaseMs} * interval '1 ms'
      from taken where o.uid = taken.uid
      returning o.uid::text, o.tenant_id as "tenantId", o.kind, o.to_address as "to", o.sealed_data as sealed,
        o.attempts`,
  );
  return Promise.all(
    rows.map(async (row) => ({
      uid: row.uid,
      to: row.to,
      attempts: row.attempts,
      kind: row.kind,
      data: JSON.parse(await keyring.unseal(sealRef(row), row.sealed)),
    })),
  );
}

export type MailResult = { status: number | null; error: string | null } & (
  | { state: 'DELIVERED' | 'DEAD' }
  | { state: 'PENDING'; nextAttemptAt: number }
);

/** The sealed data is deleted once the mail is delivered or dead. */
export async function finishMail(db: Db, uid: string, result: MailResult, now: number): Promise<void> {
  const next = result.state === 'PENDING' ? result.nextAttemptAt : now;
  await db.query(
    sql`update mail_outbox set state = ${result.state}, attempts = attempts + 1, next_attempt_at = ${next},
        lease_until = null, updated_at = ${now}, last_status = ${result.status}, last_error = ${result.error},
        sealed_data = case when ${result.state} = 'PENDING' then sealed_data end
      where uid = ${uid}::uuid and state = 'PENDING'`,
  );
}

export async function purgeMails(db: Db, before: number): Promise<void> {
  await db.query(sql`delete from mail_outbox where state <> 'PENDING' and updated_at < ${before}`);
}

function sealRef({ uid, tenantId }: { uid: string; tenantId: number | null }) {
  return { tenantId, kind: 'mail', id: uid, member: 'data' };
}
