import type { AuditKeys } from '../../lib/auditKey.ts';
import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { Db } from '../../store/db/db.ts';
import { dropDeferred } from '../../store/watch/deferred.ts';
import { recordSwitchOff } from '../../store/watch/faults.ts';
import { switchOff } from '../../store/watch/switchOff.ts';
import { type BlockRange, switchedOffFinding } from './subscriberFindings.ts';

type SwitchOff = {
  subscriber: SubscriberRef;
  /** As the end of a sentence. */
  reason: string;
  /** Blocks in which it failed. */
  failed?: BlockRange;
  at: number;
  now: number;
};

/**
 * Switches a detector or trigger off and deletes its deferred evaluations; the fault names the blocks that it missed.
 * Returns the alert for its owner, or undefined when it is no longer active.
 */
export async function switchOffSubscriber(
  tx: Db,
  keys: Pick<AuditKeys, 'newest'>,
  { subscriber, reason, failed, at, now }: SwitchOff,
): Promise<Finding | undefined> {
  const { kind, id, contract } = subscriber;
  const { tenantId, chainUid, id: contractId } = contract;
  const missed = await dropDeferred(tx, chainUid, subscriber);
  const blocks = [
    ...(failed ? [`It failed in ${describe(failed)}.`] : []),
    ...(missed ? [`It was not shown ${describe(missed)}, where ${missed.count} waited for it.`] : []),
  ].join(' ');
  const message = `Switched off, because ${reason}. ${blocks} Enable it again when this is corrected.`;
  if (!(await switchOff(tx, keys, { kind, id, tenantId, reason: message, now }))) return undefined;
  await recordSwitchOff(tx, { kind, id, tenantId, contractId, message, at });
  return switchedOffFinding(subscriber, { message, failed, missed, at, now });
}

function describe({ first, last }: BlockRange): string {
  return first === last ? `block ${first}` : `blocks ${first} to ${last}`;
}
