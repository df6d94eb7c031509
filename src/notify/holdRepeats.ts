import { destinationKinds, isGrouped } from '../destinations/destinationKinds.ts';
import { groupBy } from '../lib/groupBy.ts';
import { type RaisedAlert, severityOf } from '../model/alert.ts';
import type { Db } from '../store/db/db.ts';
import { findIncidentNotices, type IncidentNotice } from '../store/destinations/findIncidentNotices.ts';
import type { Recipient } from '../store/destinations/recipients.ts';

type Selected = Pick<Recipient, 'destinationId' | 'type'> & { alert: RaisedAlert };

const minuteMs = 60_000;
/** Minutes that people wait for the growth of an incident that they know. */
const growthMinutes = { INFO: 5, LOW: 5, MEDIUM: 5, HIGH: 1, CRITICAL: 1 } as const;
/** A message that can be edited disturbs no one when it grows; the messenger limits how often it may. */
const editEveryMs = 15_000;

/**
 * Due times of an incident's further alerts at destinations that people read: together, some time after the last
 * message, or at once if worse than all before. Webhooks get every alert at once.
 */
export async function holdRepeats(
  tx: Db,
  selected: readonly Selected[],
  now: number,
): Promise<(item: Selected) => number | undefined> {
  const growing = selected.filter(({ type, alert }) => isGrouped(destinationKinds[type]) && isFurther(alert));
  if (growing.length === 0) return () => undefined;
  const incidents = groupBy(growing, ({ alert }) => alert.incident?.uid ?? '');
  const notices = new Map<string, IncidentNotice>();
  const keys = Array.from(incidents, ([uid, [first]]) => ({ uid, tenantId: first.alert.finding.tenantId }));
  for (const notice of await findIncidentNotices(tx, keys, now))
    notices.set(`${notice.incidentUid} ${notice.destinationId}`, notice);
  return ({ destinationId, type, alert }) => {
    const kind = destinationKinds[type];
    if (!isGrouped(kind) || !isFurther(alert)) return undefined;
    const notice = notices.get(`${alert.incident?.uid} ${destinationId}`);
    const { severity } = alert.finding;
    if (!notice || severityOf[severity] > notice.numericSeverity) return undefined;
    if (notice.dueAt > now) return notice.dueAt;
    const isEdited = kind.edits === true && notice.hasMessage;
    return Math.max(now, notice.dueAt + (isEdited ? editEveryMs : growthMinutes[severity] * minuteMs));
  };
}

/** Outcomes of actions are always news. */
function isFurther({ incident, finding }: RaisedAlert): boolean {
  return incident !== undefined && incident.number > 1 && finding.kind !== 'action';
}
