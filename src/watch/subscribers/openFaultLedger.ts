import type { EvaluationFault } from '../../matching/evaluateMatches.ts';
import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Db } from '../../store/db/db.ts';
import {
  clearFaults,
  type FaultRow,
  listFaultySubscribers,
  type RecordedFault,
  recordFaults,
} from '../../store/watch/faults.ts';

/** After this many faults in a row the owner gets an alert; after one where the alerts that may be missed are CRITICAL or HIGH. */
export function alertAfterFaults({ isSevere }: SubscriberRef): number {
  return isSevere ? 1 : 3;
}

/** The result of an evaluation; without a fault it succeeded. */
export type Outcome = { subscriber: SubscriberRef; fault?: EvaluationFault };

/** A script that ran into its time limit, and how often in a row. */
export type LoopingScript = { fault: EvaluationFault } & Pick<RecordedFault, 'looped' | 'loopedFrom'>;

export type FaultLedger = Awaited<ReturnType<typeof openFaultLedger>>;

/** Keeps track of the detectors and triggers of a chain that currently fail. */
export async function openFaultLedger(db: Db, chainUid: string) {
  const faulty = new Set((await listFaultySubscribers(db, chainUid)).map(keyOf));
  return {
    /** Records what failed, clears what succeeded again; returns the faults that owners get an alert of and the scripts that loop. */
    async write(
      tx: Db,
      outcomes: readonly Outcome[],
    ): Promise<{ alerting: EvaluationFault[]; looping: LoopingScript[] }> {
      const runs = lastRuns(outcomes);
      await clearFaults(
        tx,
        runs.flatMap(({ subscriber, hasSucceeded }) =>
          hasSucceeded && faulty.has(keyOf(subscriber)) ? [subscriber] : [],
        ),
      );
      const failing = runs.flatMap(toFailing);
      const rows = await recordFaults(tx, failing.map(toRow));
      const recorded = new Map(rows.map((row) => [keyOf(row), row]));
      const alerting: EvaluationFault[] = [];
      const looping: LoopingScript[] = [];
      for (const { subscriber, last: fault } of failing) {
        const row = recorded.get(keyOf(subscriber));
        if (!row) throw new Error(`The fault of ${keyOf(subscriber)} was not recorded.`);
        const { before, count, looped, loopedFrom } = row;
        const limit = alertAfterFaults(subscriber);
        if (before < limit && count >= limit) alerting.push(fault);
        if (looped > 0) looping.push({ fault, looped, loopedFrom });
      }
      return { alerting, looping };
    },
    /** To be called with the outcomes of `write` once its transaction is committed. */
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

/** The faults of a subscriber since it last succeeded. */
type Run = { subscriber: SubscriberRef; hasSucceeded: boolean; faults: EvaluationFault[] };

function lastRuns(outcomes: readonly Outcome[]): Run[] {
  const runs = new Map<string, Run>();
  for (const { subscriber, fault } of outcomes) {
    const run = runs.get(keyOf(subscriber)) ?? { subscriber, hasSucceeded: false, faults: [] };
    runs.set(keyOf(subscriber), run);
    if (fault) run.faults.push(fault);
    else {
      run.hasSucceeded = true;
      run.faults = [];
    }
  }
  return [...runs.values()];
}

type Failing = {
  subscriber: SubscriberRef;
  first: EvaluationFault;
  last: EvaluationFault;
  faults: readonly EvaluationFault[];
};

function toFailing({ subscriber, faults }: Run): Failing[] {
  const [first, last] = [faults[0], faults.at(-1)];
  return first && last ? [{ subscriber, first, last, faults }] : [];
}

function toRow({ subscriber, first, last, faults }: Failing): FaultRow {
  const { kind, id, contract } = subscriber;
  return {
    kind,
    id,
    tenantId: contract.tenantId,
    contractId: contract.id,
    message: last.message,
    // One that cannot even start is reported at once.
    count: last.isInvalid ? alertAfterFaults(subscriber) : faults.length,
    firstAt: first.at,
    lastAt: last.at,
    ...loopsOf(faults),
  };
}

/** The last faults in a row that were script timeouts. */
function loopsOf(faults: readonly EvaluationFault[]): Pick<FaultRow, 'looped' | 'loopedFrom'> {
  const lastOther = faults.findLastIndex(({ loopedAt }) => loopedAt === undefined);
  const loops = faults.slice(lastOther + 1);
  return { looped: loops.length, loopedFrom: loops[0]?.loopedAt ?? null };
}
