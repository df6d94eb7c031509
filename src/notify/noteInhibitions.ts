import type { RaisedAlert } from '../model/alert.ts';
import type { Subject } from '../query/lucene/createSubject.ts';
import type { Db } from '../store/db/db.ts';
import {
  findInhibiting,
  type InhibitionSource,
  insertInhibitionSources,
} from '../store/destinations/inhibitions.ts';
import type { createRuleBudget, Pause } from './rules/createRuleBudget.ts';
import type { Rules } from './rules/createRules.ts';

type Context = {
  rulesOf: (tenantId: number) => Rules | undefined;
  subjectOf: (alert: RaisedAlert) => Subject;
  budget: ReturnType<typeof createRuleBudget>;
  now: number;
};

/**
 * Records which of these alerts begin an inhibition, and returns the inhibitions that hold on their contracts, as
 * `<contract> <inhibition>`. Alerts of one transaction count for each other in any order.
 */
export async function noteInhibitions(
  tx: Db,
  alerts: readonly RaisedAlert[],
  { rulesOf, subjectOf, budget, now }: Context,
): Promise<ReadonlySet<string>> {
  const sources: InhibitionSource[] = [];
  const asked: { tenantId: number; contractId: number }[] = [];
  for (const alert of alerts) {
    const { uid, incident, finding } = alert;
    const { tenantId, contractId, timestamp } = finding;
    const rules = rulesOf(tenantId);
    if (!rules || rules.sources.size === 0) continue;
    // An alert that is decided later is noted then.
    const sides = await budget.run(tenantId, (pause) => findSides(rules, subjectOf(alert), now, pause));
    if (!sides) continue;
    const { startedIds, isTarget } = sides.result;
    if (incident)
      for (const inhibitionId of startedIds)
        sources.push({ tenantId, contractId, inhibitionId, incidentUid: incident.uid, uid, timestamp });
    if (isTarget) asked.push({ tenantId, contractId });
  }
  await insertInhibitionSources(tx, sources, now);
  const stored = await findInhibiting(tx, asked);
  return new Set([
    ...stored,
    ...sources.map(({ contractId, inhibitionId }) => `${contractId} ${inhibitionId}`),
  ]);
}

/** The inhibitions that an alert begins, and whether any may hold it. */
async function findSides({ sources, targets }: Rules, subject: Subject, now: number, pause: Pause) {
  const startedIds: number[] = [];
  for (const { inhibition } of await sources.candidatesFor(subject, pause))
    if (await inhibition.source.matcherAt(now)(subject, pause)) startedIds.push(inhibition.id);
  return { startedIds, isTarget: (await targets.candidatesFor(subject, pause)).length > 0 };
}
