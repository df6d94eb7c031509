import { shadowTag } from '../../model/alert.ts';
import { unprocessable } from '../../model/errors.ts';
import { isWithin } from '../../query/timeSets/isWithin.ts';
import { createChanges } from '../../query/timeSets/nextChange.ts';
import { compileTimeSet, type TimeSet } from '../../query/timeSets/timeSet.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import { searchDocuments } from '../../store/search/searchDocuments.ts';
import { timeSetTable } from '../../store/tables/timeSetTable.ts';
import type { Call } from '../call.ts';
import { ownerOf } from '../records/findOwners.ts';
import { tenantOf } from '../records/recordKind.ts';
import { checkQuery } from './prepareSilence.ts';

const previewDays = 8;
const previewMs = 7 * 86_400_000;
const shown = 10;
const maxCounted = 100_000;

type Draft = { tenantId?: number; query: string; timeSetId?: number | null; includeCritical?: boolean };

/** The alerts of the last seven days of which no one would have been notified, found by the search of alerts. */
export async function previewSilence(
  call: Call,
  { query, timeSetId = null, includeCritical = false, ...draft }: Draft,
  names: readonly string[],
): Promise<{ data: Row[]; total: number; from: number }> {
  const { now, services } = call;
  const tenantId = tenantOf({ tenantId: await ownerOf(call, { owner: 'tenant' }, draft) });
  checkQuery(query, now);
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const from = now - previewMs;
  const timeSet = timeSetId === null ? undefined : await readSet(call, scope, timeSetId);
  const timeseries = timeSet ? rangesOf(timeSet, from, now) : [{ from, to: now }];
  if (timeseries.length === 0) return { data: [], total: 0, from };
  // Alerts of which no one is notified anyway are not hidden by the silence.
  const quiet = `-suppressed:true -backfilled:true -tags:${shadowTag}`;
  const whole = `+(${query}) ${quiet}${includeCritical ? '' : ' -severity:CRITICAL'}`;
  const search = { query: whole, timeseries, size: shown, trackTotalCount: maxCounted };
  const { data, total } = await searchDocuments(
    services.reports,
    alertTable,
    ownTenantsScope(scope),
    search,
    names,
    now,
  );
  return { data, total, from };
}

async function readSet(call: Call, scope: Call['scope'], id: number): Promise<TimeSet> {
  const record = await findRecord(call.db, timeSetTable, scope, id, ['zone', 'ranges']);
  if (!record) throw unprocessable('/timeSetId', 'unknown-reference', 'There is no time set with this id.');
  return compileTimeSet(record);
}

/** The times between two instants at which the set holds. */
function rangesOf(timeSet: TimeSet, from: number, to: number): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  const nextWithin = createChanges(timeSet);
  let isOn = isWithin(timeSet, from);
  for (let start = from; start <= to; ) {
    const next = nextWithin(start, previewDays) ?? to + 1;
    if (isOn) ranges.push({ from: start, to: Math.min(to, next - 1) });
    isOn = !isOn;
    start = next;
  }
  return ranges;
}
