import { randomBytes } from 'node:crypto';
import { typesWith } from '../../destinations/destinationKinds.ts';
import { unprocessable } from '../../model/errors.ts';
import { hasSecret, replaceSecret } from '../../store/destinations/targets.ts';
import type { Row } from '../../store/records/records.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';

const signedTypes = typesWith(({ isSigned }) => isSigned === true);
const isSigned = (type: unknown) => signedTypes.some((signed) => signed === type);

/** A replaced secret signs for this time beside the new one. */
const secretOverlapMs = 24 * 3_600_000;

/** Creates the secret of an HTTP destination; undefined if it has one or needs none. */
export async function ensureSecret(
  call: Call,
  destination: { id: number; tenantId: number; type: unknown },
): Promise<string | undefined> {
  if (!isSigned(destination.type) || (await hasSecret(call.db, destination.tenantId, destination.id)))
    return undefined;
  const secret = createSecret();
  await replaceSecret(call.db, call.services.keyring, destination, secret, {
    now: call.now,
    previousUntil: call.now,
  });
  return secret;
}

/** The new secret signs from now on, beside every old one for a day after it was replaced. */
export async function rotateSecret(
  call: Call,
  kind: RecordKind,
  id: number,
): Promise<{ secret: string; previousUntil: number }> {
  const record: Row = await findWritable(call, kind, id);
  if (!isSigned(record.type))
    throw unprocessable(
      '',
      'no-secret',
      `Only destinations of type ${signedTypes.join(', ')} have a secret.`,
    );
  const destination = { id, tenantId: Number(record.tenantId) };
  const secret = createSecret();
  const previousUntil = call.now + secretOverlapMs;
  const times = { now: call.now, previousUntil };
  if (!(await replaceSecret(call.db, call.services.keyring, destination, secret, times)))
    throw unprocessable(
      '',
      'too-many-secrets',
      'The secret was replaced ten times within a day, and each of those secrets still signs; replace it again when a day has passed since the first.',
    );
  await audit(call, 'destination', 'rotate-secret', destination, undefined, undefined, { previousUntil });
  return { secret, previousUntil };
}

function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
