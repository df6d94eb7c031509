import { randomBytes } from 'node:crypto';
import { unprocessable } from '../../model/errors.ts';
import { hasSecret, replaceSecret } from '../../store/destinations/targets.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';

/** How long a secret that was replaced signs as well. */
const overlapMs = 24 * 3_600_000;

/** A destination that is or becomes an HTTP one gets its secret; undefined if it has one or needs none. */
export async function ensureSecret(
  call: Call,
  destination: { id: number; tenantId: number; type: unknown },
): Promise<string | undefined> {
  if (destination.type !== 'HTTP' || (await hasSecret(call.db, destination.tenantId, destination.id)))
    return undefined;
  const secret = newSecret();
  await replaceSecret(call.db, call.services.keyring, destination, secret, {
    now: call.now,
    previousUntil: call.now,
  });
  return secret;
}

/** The new secret signs from now on, and every old one beside it for a day after it was replaced. */
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
  const times = { now: call.now, previousUntil };
  if (!(await replaceSecret(call.db, call.services.keyring, place, secret, times)))
    throw unprocessable(
      '',
      'too-many-secrets',
      'The secret was replaced ten times within a day, and each of those secrets still signs; replace it again when a day has passed since the first.',
    );
  await audit(call, 'destination', 'rotate-secret', place, undefined, undefined, { previousUntil });
  return { secret, previousUntil };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
