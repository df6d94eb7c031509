import type { Fault } from '../matching/evaluateMatches.ts';
import type { SubscriberRef } from '../matching/subscriber.ts';
import type { Finding } from '../model/alert.ts';
import type { Backlog } from '../store/watch/deferred.ts';
import { alertAfterFaults } from './openFaultLedger.ts';

export type BlockRange = { first: number; last: number };

/** Alerts the owner that a detector or trigger fails. */
export function faultFinding({ subscriber, message, at, isInvalid, isWaiting }: Fault): Finding {
  const { kind, id, name } = subscriber;
  const times = alertAfterFaults(subscriber);
  const problem = isInvalid
    ? 'cannot run and finds nothing until this is fixed'
    : isWaiting
      ? 'is late, because nodes do not answer what it reads; its blocks are kept and evaluated again'
      : `has failed${times > 1 ? ` ${times} times in a row` : ''} and may miss something until this is fixed`;
  return {
    ...findingAbout(subscriber, at),
    severity: 'MEDIUM',
    key: `fault ${kind} ${id}`,
    eid: `fault-${kind}-${id}-${at}`,
    name: `${titleOf(subscriber)} fault`,
    message: `${name} ${problem}: ${message}`,
    meta: { fault: message },
  };
}

/** Alerts the owner that evaluations are late. */
export function lateFinding(subscriber: SubscriberRef, { count, oldestAt }: Backlog): Finding {
  const { kind, id, name } = subscriber;
  const since = new Date(oldestAt).toISOString();
  const message = `${name} is ${count} blocks behind since ${since}, because its scripts need more time than its tenant has a share of. It is switched off when it falls behind by twice as much.`;
  return {
    ...findingAbout(subscriber, oldestAt),
    severity: 'MEDIUM',
    key: `late ${kind} ${id}`,
    eid: `late-${kind}-${id}-${oldestAt}`,
    name: `${titleOf(subscriber)} late`,
    message,
    meta: { fault: message, blocks: count },
  };
}

type SwitchedOff = {
  message: string;
  failed: BlockRange | undefined;
  missed: BlockRange | undefined;
  at: number;
  now: number;
};

/** Alerts the owner that Vigil switched a detector or trigger off. */
export function switchedOffFinding(
  subscriber: SubscriberRef,
  { message, failed, missed, at, now }: SwitchedOff,
): Finding {
  const { kind, id, name } = subscriber;
  return {
    ...findingAbout(subscriber, at),
    severity: 'HIGH',
    key: `switched off ${kind} ${id} ${now}`,
    eid: `switched-off-${kind}-${id}-${now}`,
    name: `${titleOf(subscriber)} switched off`,
    message: `${name}: ${message}`,
    meta: {
      fault: message,
      ...(failed ? { failedFromBlock: failed.first, failedToBlock: failed.last } : {}),
      ...(missed ? { missedFromBlock: missed.first, missedToBlock: missed.last } : {}),
    },
  };
}

function findingAbout({ kind, id, contract }: SubscriberRef, timestamp: number) {
  return {
    tenantId: contract.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    kind,
    group: kind === 'trigger' ? 'trigger' : 'SECURITY',
    timestamp,
    tags: ['vigil', 'fault'],
    chainUid: contract.chainUid,
    ...(kind === 'trigger' ? { triggerId: id } : { detectorId: id }),
  } as const;
}

function titleOf({ kind }: SubscriberRef): string {
  return kind === 'trigger' ? 'Trigger' : 'Detector';
}
