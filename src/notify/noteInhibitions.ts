import { yieldToEventLoop } from '../lib/eventLoop.ts';
import type { RaisedAlert } from '../model/alert.ts';
import type { Subject } from '../query/lucene/createSubject.ts';
import type { Db } from '../store/db/db.ts';
import {
  findInhibiting,
  type InhibitionSource,
  insertInhibitionSources,
} from '../store/destinations/inhibitions.ts';
import type { Rules } from './rules/createRules.ts';

/**
 * Records which of these alerts begin an inhibition, and returns the inhibitions that hold on their contracts, as
 * `<contract> <inhibition>`. Alerts of one transaction count for each other in any order.
 */
export async function noteInhibitions(
  tx: Db,
  alerts: readonly RaisedAlert[],
  rulesOf: (tenantId: number) => Rules | undefined,
  subjectOf: (alert: RaisedAlert) => Subject,
  now: number,
): Promise<ReadonlySet<string>> {
  const sources: InhibitionSource[] = [];
  const asked: { tenantId: number; contractId: number }[] = [];
  for (const alert of alerts) {
    const { uid, incident, finding } = alert;
    const { tenantId, contractId, timestamp } = finding;
    const rules = rulesOf(tenantId);
    if (!rules || rules.sources.size === 0) continue;
    const subject = subjectOf(alert);
    for (const { inhibition } of await rules.sources.candidatesFor(subject, yieldToEventLoop))
      if (incident && (await inhibition.source.matcherAt(now)(subject, yieldToEventLoop)))
        sources.push({
          tenantId,
          contractId,
          inhibitionId: inhibition.id,
          incidentUid: incident.uid,
          uid,
          timestamp,
        });
    if ((await rules.targets.candidatesFor(subject, yieldToEventLoop)).length > 0)
      asked.push({ tenantId, contractId });
  }
  await insertInhibitionSources(tx, sources, now);
  const stored = await findInhibiting(tx, asked);
  return new Set([
    ...stored,
    ...sources.map(({ contractId, inhibitionId }) => `${contractId} ${inhibitionId}`),
  ]);
}
