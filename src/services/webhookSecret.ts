import { randomBytes } from 'node:crypto';
import { unprocessable } from '../model/errors.ts';
import { hasSecret, replaceSecret } from '../store/deliveries/targets.ts';
import type { Row } from '../store/records.ts';
import { audit } from './audit.ts';
import type { Call } from './call.ts';
import { findWritable } from './findWritable.ts';
import type { RecordKind } from './recordKind.ts';

/** How long the secret before the last signs as well. */
const overlapMs = 24 * 3_600_000;

/** A destination that is or becomes an HTTP one gets its secret; undefined if it has one or needs none. */
export async function ensureSecret(
  call: Call,
  destination: { id: number; tenantId: number; type: unknown },
): Promise<string | undefined> {
  if (destination.type !== 'HTTP' || (await hasSecret(call.db, destination.tenantId, destination.id)))
    return undefined;
  const secret = newSecret();
  await replaceSecret(call.db, call.services.keyring, destination, secret, null);
  return secret;
}

/** The new secret signs from now on, and the old one beside it for a day. */
export async function rotateSecret(
  call: Call,
  kind: RecordKind,
  id: number,
): Promise<{ secret: string; previousUntil: number }> {
  const record: Row = await findWritable(call, kind, id);
  if (record.type !== 'HTTP')
    throw unprocessable('', 'no-secret', 'Only destinations of type HTTP have a secret.');
  const place = { id, tenantId: Number(record.tenantId) };
  const secret = newSecret();
  const previousUntil = call.now + overlapMs;
  await replaceSecret(call.db, call.services.keyring, place, secret, previousUntil);
  await audit(call, 'destination', 'rotate-secret', place, undefined, undefined, { previousUntil });
  return { secret, previousUntil };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
