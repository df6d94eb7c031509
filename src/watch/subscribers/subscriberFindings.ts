import type { EvaluationFault } from '../../matching/evaluateMatches.ts';
import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Finding } from '../../model/alert.ts';
import type { DeferredBacklog } from '../../store/watch/deferred.ts';
import { alertAfterFaults } from './openFaultLedger.ts';

export type BlockRange = { first: number; last: number };

/** Alerts the owner that a detector or trigger fails. */
export function faultFinding({ subscriber, message, at, isInvalid, isWaiting }: EvaluationFault): Finding {
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
export function lateFinding(subscriber: SubscriberRef, { count, oldestAt }: DeferredBacklog): Finding {
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

/** Alerts the owner that blocks were not seen, because Vigil was away for longer than nodes keep them. */
export function gapFinding(
  subscriber: SubscriberRef,
  { first, last }: BlockRange,
  chainName: string,
  now: number,
): Finding {
  const { contract } = subscriber;
  const count = last - first + 1;
  const blocks = count === 1 ? `Block ${first}` : `Blocks ${first} to ${last}`;
  const message = `${blocks} of ${chainName} ${count === 1 ? 'was' : 'were'} not seen, because no node keeps ${count === 1 ? 'it' : 'them'} any more: what happened there to ${contract.name} raises no alert. Vigil goes on from block ${last + 1}.`;
  return {
    ...findingAbout(subscriber, now),
    severity: 'HIGH',
    key: `gap ${contract.id} ${first}`,
    eid: `gap-${contract.id}-${first}-${last}`,
    name: 'Blocks not seen',
    message,
    meta: { fault: message, missedFromBlock: first, missedToBlock: last },
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
