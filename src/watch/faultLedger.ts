import type { Fault } from '../matching/evaluateMatches.ts';
import type { Subscriber } from '../matching/subscriber.ts';
import type { Finding } from '../model/alert.ts';
import type { Db } from '../store/db.ts';
import { clearFaults, listFaulty, noteFaults } from '../store/watch/faults.ts';

/** After this many faults in a row the owner is told. */
const alarmAfter = 3;

export type FaultLedger = Awaited<ReturnType<typeof openFaultLedger>>;

/** Which detectors and triggers of a chain fail at the moment. */
export async function openFaultLedger(db: Db, chainUid: string) {
  const keyOf = ({ kind, id }: { kind: string; id: number }) => `${kind} ${id}`;
  const faulty = new Set((await listFaulty(db, chainUid)).map(keyOf));
  return {
    /** Notes what failed, forgets what works again, and returns the faults that are to be told. */
    async write(tx: Db, faults: readonly Fault[], worked: readonly Subscriber[]): Promise<Fault[]> {
      const mended = worked.filter((subscriber) => faulty.has(keyOf(subscriber)));
      await clearFaults(tx, mended);
      for (const subscriber of mended) faulty.delete(keyOf(subscriber));
      const rows = faults.map(({ subscriber, message, at }) => ({
        kind: subscriber.kind,
        id: subscriber.id,
        tenantId: subscriber.contract.tenantId,
        contractId: subscriber.contract.id,
        message,
        at,
      }));
      const alarms = new Set((await noteFaults(tx, rows, alarmAfter)).map(keyOf));
      for (const { subscriber } of faults) faulty.add(keyOf(subscriber));
      return faults.filter(({ subscriber }) => alarms.delete(keyOf(subscriber)));
    },
  };
}

/** A detector that does not work is itself something to be told of. */
export function faultFinding({ subscriber, message, at }: Fault): Finding {
  const { kind, id, name, contract } = subscriber;
  return {
    tenantId: contract.tenantId,
    projectId: contract.projectId,
    contractId: contract.id,
    kind,
    group: kind === 'trigger' ? 'trigger' : 'SECURITY',
    severity: 'MEDIUM',
    timestamp: at,
    key: `fault ${kind} ${id}`,
    eid: `fault-${kind}-${id}-${at}`,
    name: `${kind === 'trigger' ? 'Trigger' : 'Detector'} fault`,
    message: `${name} has failed ${alarmAfter} times in a row and finds nothing until this is mended: ${message}`,
    meta: { fault: message },
    tags: ['vigil', 'fault'],
    chainUid: contract.chainUid,
    ...(kind === 'trigger' ? { triggerId: id } : { detectorId: id }),
  };
}
