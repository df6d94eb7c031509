import type { Fault } from '../matching/evaluateMatches.ts';
import type { SubscriberRef } from '../matching/subscriber.ts';
import type { Finding } from '../model/alert.ts';
import type { Db } from '../store/db.ts';
import {
  clearFaults,
  type FaultRow,
  listFaultySubscribers,
  type RecordedFault,
  recordFaults,
} from '../store/watch/faults.ts';

/** After this many faults in a row the owner is told. */
const alertAfterFaults = 3;

/** What came of evaluations, in order; without a fault they worked. */
export type Outcome = { subscriber: SubscriberRef; fault?: Fault };

/** A script that did not end, and how often in a row it did not. */
export type LoopingScript = { fault: Fault } & Pick<RecordedFault, 'looped' | 'loopedFrom'>;

export type FaultLedger = Awaited<ReturnType<typeof openFaultLedger>>;

/** Which detectors and triggers of a chain fail at the moment. */
export async function openFaultLedger(db: Db, chainUid: string) {
  const faulty = new Set((await listFaultySubscribers(db, chainUid)).map(keyOf));
  return {
    /** Notes what failed, forgets what works again, and returns the faults that are to be told and the scripts that loop. */
    async write(
      tx: Db,
      outcomes: readonly Outcome[],
    ): Promise<{ alerting: Fault[]; looping: LoopingScript[] }> {
      const runs = lastRuns(outcomes);
      await clearFaults(
        tx,
        runs.flatMap(({ subscriber, hasSucceeded }) =>
          hasSucceeded && faulty.has(keyOf(subscriber)) ? [subscriber] : [],
        ),
      );
      const failing = runs.filter(({ faults }) => faults.length > 0);
      const noted = new Map((await recordFaults(tx, failing.map(toRow))).map((row) => [keyOf(row), row]));
      const alerting: Fault[] = [];
      const looping: LoopingScript[] = [];
      for (const { subscriber, faults } of failing) {
        const { before, count, looped, loopedFrom } = noted.get(keyOf(subscriber))!;
        const fault = faults.at(-1)!;
        if (before < alertAfterFaults && count >= alertAfterFaults) alerting.push(fault);
        if (looped > 0) looping.push({ fault, looped, loopedFrom });
      }
      return { alerting, looping };
    },
    /** To be told of what was written, once that is certain. */
    committed(outcomes: readonly Outcome[]): void {
      for (const { subscriber, fault } of outcomes)
        if (fault) faulty.add(keyOf(subscriber));
        else faulty.delete(keyOf(subscriber));
    },
  };
}

function keyOf({ kind, id }: { kind: string; id: number }): string {
  return `${kind} ${id}`;
}

/** The faults of each since it last worked. */
type Run = { subscriber: SubscriberRef; hasSucceeded: boolean; faults: Fault[] };

function lastRuns(outcomes: readonly Outcome[]): Run[] {
  const runs = new Map<string, Run>();
  for (const { subscriber, fault } of outcomes) {
    const run = runs.get(keyOf(subscriber)) ?? { subscriber, hasSucceeded: false, faults: [] };
    runs.set(keyOf(subscriber), run);
    if (fault) run.faults.push(fault);
    else Object.assign(run, { hasWorked: true, faults: [] });
  }
  return [...runs.values()];
}

function toRow({ subscriber: { kind, id, contract }, faults }: Run): FaultRow {
  const last = faults.at(-1)!;
  return {
    kind,
    id,
    tenantId: contract.tenantId,
    contractId: contract.id,
    message: last.message,
    // One that cannot even start is told of at once.
    count: last.isInvalid ? alertAfterFaults : faults.length,
    firstAt: faults[0]!.at,
    lastAt: last.at,
    ...loopsOf(faults),
  };
}

/** Those at the end that were nothing but scripts which did not end. */
function loopsOf(faults: readonly Fault[]): Pick<FaultRow, 'looped' | 'loopedFrom'> {
  const other = faults.findLastIndex(({ loopedAt }) => loopedAt === undefined);
  const loops = faults.slice(other + 1);
  return { looped: loops.length, loopedFrom: loops[0]?.loopedAt ?? null };
}

/** A detector that does not work is itself something to be told of. */
export function faultFinding({ subscriber, message, at, isInvalid }: Fault): Finding {
  const { kind, id, name, contract } = subscriber;
  const what = isInvalid
    ? 'cannot run and finds nothing'
    : `has failed ${alertAfterFaults} times in a row and may miss something`;
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
    message: `${name} ${what} until this is mended: ${message}`,
    meta: { fault: message },
    tags: ['vigil', 'fault'],
    chainUid: contract.chainUid,
    ...(kind === 'trigger' ? { triggerId: id } : { detectorId: id }),
  };
}
