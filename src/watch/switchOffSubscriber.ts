import type { AuditKeys } from '../lib/auditKey.ts';
import type { SubscriberRef } from '../matching/subscriber.ts';
import type { Finding } from '../model/alert.ts';
import type { Db } from '../store/db.ts';
import { type Backlog, dropDeferred } from '../store/watch/deferred.ts';
import { recordSwitchOff } from '../store/watch/faults.ts';
import { switchOff } from '../store/watch/switchOff.ts';

type Blocks = { first: number; last: number };

type Reason = {
  subscriber: SubscriberRef;
  /** Why, as the end of a sentence. */
  why: string;
  /** Blocks that it was shown in vain. */
  failed?: Blocks;
  at: number;
  now: number;
};

/**
 * Switches a detector or trigger off and forgets what it was yet to be shown; the fault names the blocks that it has missed.
 * Returns the alert for its owner, or undefined when it is not active any more.
 */
export async function switchOffSubscriber(
  tx: Db,
  keys: Pick<AuditKeys, 'newest'>,
  { subscriber, why, failed, at, now }: Reason,
): Promise<Finding | undefined> {
  const { kind, id, contract } = subscriber;
  const { tenantId, chainUid, id: contractId } = contract;
  const dropped = await dropDeferred(tx, chainUid, subscriber);
  const missed = [
    ...(failed ? [`It failed in ${shown(failed)}.`] : []),
    ...(dropped ? [`It was not shown ${shown(dropped)}, where ${dropped.count} waited for it.`] : []),
  ].join(' ');
  const message = `Switched off, because ${why}. ${missed} Enable it again when this is corrected.`;
  if (!(await switchOff(tx, keys, { kind, id, tenantId, reason: message, now }))) return undefined;
  await recordSwitchOff(tx, { kind, id, tenantId, contractId, message, at });
  return {
    ...noticeOf(subscriber, at),
    severity: 'HIGH',
    key: `switched off ${kind} ${id} ${now}`,
    eid: `switched-off-${kind}-${id}-${now}`,
    name: `${kind === 'trigger' ? 'Trigger' : 'Detector'} switched off`,
    message: `${subscriber.name}: ${message}`,
    meta: {
      fault: message,
      ...(failed ? { failedFromBlock: failed.first, failedToBlock: failed.last } : {}),
      ...(dropped ? { missedFromBlock: dropped.first, missedToBlock: dropped.last } : {}),
    },
  };
}

/** Notifies the owner that evaluations are late. */
export function lateFinding(subscriber: SubscriberRef, { count, oldestAt }: Backlog): Finding {
  const { kind, id, name } = subscriber;
  const since = new Date(oldestAt).toISOString();
  const message = `${name} is ${count} blocks behind since ${since}, because its scripts need more time than its tenant has a share of. It is switched off when it falls behind by twice as much.`;
  return {
    ...noticeOf(subscriber, oldestAt),
    severity: 'MEDIUM',
    key: `late ${kind} ${id}`,
    eid: `late-${kind}-${id}-${oldestAt}`,
    name: `${kind === 'trigger' ? 'Trigger' : 'Detector'} late`,
    message,
    meta: { fault: message, blocks: count },
  };
}

function noticeOf({ kind, id, contract }: SubscriberRef, timestamp: number) {
  const own = kind === 'trigger' ? { triggerId: id } : { detectorId: id };
  return {
    tenantId: contract.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    kind,
    group: kind === 'trigger' ? 'trigger' : 'SECURITY',
    timestamp,
    tags: ['vigil', 'fault'],
    chainUid: contract.chainUid,
    ...own,
  } as const;
}

function shown({ first, last }: Blocks): string {
  return first === last ? `block ${first}` : `blocks ${first} to ${last}`;
}
