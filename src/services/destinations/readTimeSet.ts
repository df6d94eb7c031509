import { Problem } from '../../model/errors.ts';
import { isWithin } from '../../query/timeSets/isWithin.ts';
import { nextChange } from '../../query/timeSets/nextChange.ts';
import { compileTimeSet } from '../../query/timeSets/timeSet.ts';
import { findRecord } from '../../store/records/records.ts';
import { timeSetTable } from '../../store/tables/timeSetTable.ts';
import type { Call } from '../call.ts';

const shownChanges = 10;

/** State of a time set at an instant, and its next change. */
export async function readTimeSet({ db, scope, now }: Call, id: number, time = now) {
  const record = await findRecord(db, timeSetTable, scope, id, ['zone', 'ranges']);
  if (!record) throw new Problem('not-found', 'There is no such time set.');
  const timeSet = compileTimeSet(record);
  const isNow = isWithin(timeSet, time);
  const changes: { at: number; isWithin: boolean }[] = [];
  for (let last = time, state = isNow; changes.length < shownChanges; ) {
    const next = await nextChange(timeSet, last);
    if (next === undefined) break;
    state = !state;
    changes.push({ at: next, isWithin: state });
    last = next;
  }
  return { at: time, isWithin: isNow, changes };
}
