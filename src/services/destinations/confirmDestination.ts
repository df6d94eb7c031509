import { isMailed, typesWith } from '../../destinations/destinationKinds.ts';
import { createToken, hashToken } from '../../lib/token.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { findTenantName } from '../../store/accounts/users.ts';
import {
  confirmByHash,
  countConfirmationMails,
  findConfirmation,
  saveConfirmationCode,
} from '../../store/destinations/confirmations.ts';
import { insertMail } from '../../store/destinations/mailOutbox.ts';
import { appendAudit } from '../../store/records/audit.ts';
import type { Call } from '../call.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';

/** A confirmation link expires after this time. */
const confirmationTtlMs = 7 * 24 * 3_600_000;
const dayMs = 24 * 3_600_000;
/** Protects an address from being flooded with confirmation mails. */
const maxMailsPerDay = 5;
const resendIntervalMs = 60_000;

/** Mails a confirmation link, unless the address got too many within a day. It invalidates the previous link. */
export async function mailConfirmation(
  call: Call,
  destination: { tenantId: number; id: number },
  to: string,
): Promise<boolean> {
  const { db, services, now } = call;
  if ((await countConfirmationMails(db, to, now - dayMs)) >= maxMailsPerDay) return false;
  const code = createToken('confirm');
  const expiredAt = now + confirmationTtlMs;
  await saveConfirmationCode(db, destination, { hash: hashToken(code), until: expiredAt, now });
  const data = {
    link: `${services.publicUrl()}/destination/confirm/${code}`,
    tenantName: await findTenantName(db, destination.tenantId),
    expiredAt,
  };
  await insertMail(db, services.keyring, { kind: 'confirm', tenantId: destination.tenantId, to, data }, now);
  return true;
}

/** Mails the link again. */
export async function resendConfirmation(
  call: Call,
  kind: RecordKind,
  id: number,
): Promise<{ to: string; expiredAt: number }> {
  const record = await findWritable(call, kind, id);
  const to = String(record.value);
  const destination = { tenantId: Number(record.tenantId), id };
  if (!typesWith(isMailed).some((type) => type === record.type))
    throw unprocessable(
      '',
      'no-confirmation',
      `Only destinations of type ${typesWith(isMailed).join(', ')} are confirmed.`,
    );
  const { confirmedAt, mailedAt } = await findConfirmation(call.db, destination);
  if (confirmedAt !== null) throw new Problem('illegal-transition', 'The address is confirmed already.');
  if (!call.services.mail)
    throw unprocessable('', 'not-set-up', 'This server is not set up to send mail; set VIGIL_SMTP_URL.');
  const wait = mailedAt === null ? 0 : mailedAt + resendIntervalMs - call.now;
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1000);
    throw new Problem('rate-limited', `A link was mailed just now; try again in ${seconds} seconds.`, {
      retryAfterSeconds: seconds,
    });
  }
  if (!(await mailConfirmation(call, destination, to)))
    throw new Problem(
      'rate-limited',
      `${maxMailsPerDay} links were mailed to this address within a day; try again tomorrow.`,
    );
  return { to, expiredAt: call.now + confirmationTtlMs };
}

/** The code proves that its sender reads mail to the address. */
export async function confirmDestination(
  call: Call,
  code: string,
): Promise<{ address: string; tenant: string }> {
  const confirmed = await confirmByHash(call.db, hashToken(code), call.now);
  if (!confirmed)
    throw new Problem('not-found', 'There is no such link, or it has expired or was used already.');
  const { tenantId, id, address, tenant } = confirmed;
  await appendAudit(call.db, call.services.keyring.audit, {
    at: call.now,
    requestId: call.requestId,
    tenantId,
    actor: { tokenId: null, tokenKind: 'SYSTEM', userId: null },
    action: 'destination.confirm',
    record: { kind: 'destination', id },
    changes: { confirmed: { before: false, after: true } },
  });
  return { address, tenant };
}
