import type { ScoreEvent, ScoreStep } from '../../model/score.ts';
import { analyze, lowerCase } from '../../query/analyzer.ts';
import { createTermHash, termHash } from '../../query/termHash.ts';
import { oddTexts, textsOf } from '../alerts/alertRow.ts';
import type { LaneFacts } from './readLane.ts';

export type NewScoreChange = ScoreStep & { i: number; uid: string; event: ScoreEvent };

/** A score change as its row, with what makes it searchable. */
export function scoreRow(lane: LaneFacts, change: NewScoreChange): Record<string, unknown> {
  const { event } = change;
  return {
    tenant_id: lane.tenantId,
    timestamp: event.timestamp,
    license_instance_id: lane.instanceId,
    i: change.i,
    uid: change.uid,
    index: scoreIndex(event.timestamp),
    type: event.type,
    organisation_id: lane.organisationId,
    license_id: lane.licenseId,
    project_id: lane.projectId,
    ...(event.type === 'alert' ? alertColumns(event) : { tags: [], meta: {} }),
    score_group: change.scoreGroup,
    score: change.score,
    score_change: change.scoreChange,
    key: change.key,
    value: change.value,
    odd_words: event.type === 'alert' ? oddTexts([event.name, event.message, ...textsOf(event.meta)]) : null,
    terms: event.type === 'alert' ? scoreTerms(lane.tenantId, event) : [],
    asked: change.asked,
    base: change.base,
  };
}

/** The month that a change lives in, as its readers see it. */
export function scoreIndex(timestamp: number): string {
  return `score-${new Date(timestamp).toISOString().slice(0, 7).replace('-', '.')}`;
}

type AlertEvent = Extract<ScoreEvent, { type: 'alert' }>;

function alertColumns(event: AlertEvent): Record<string, unknown> {
  const monitorId = event.detectorId ?? event.triggerId ?? event.actionId;
  return {
    contract_id: event.contractId,
    tx_hash: event.txHash,
    detector_schema_name: event.detectorSchemaName ?? event.triggerType,
    alert_id: event.uid,
    monitor_id: monitorId === null ? null : String(monitorId),
    alert_name: event.name,
    alert_message: event.message,
    numeric_severity: event.numericSeverity,
    tags: event.tags,
    meta: event.meta,
  };
}

/** Hashes of what a query can look up; the names here are those of the members in `scoreTable`. */
function scoreTerms(tenantId: number, event: AlertEvent): number[] {
  const hashes = new Set<number>();
  const words = (member: string, text: string) => {
    const hash = createTermHash(tenantId, member);
    for (const word of analyze(text)) hashes.add(hash(word));
  };
  if (event.txHash !== null) hashes.add(termHash(tenantId, 'txHash', lowerCase(event.txHash)));
  for (const tag of event.tags) hashes.add(termHash(tenantId, 'tags', tag));
  words('alertName', event.name);
  words('alertMessage', event.message);
  for (const text of textsOf(event.meta)) words('meta', text);
  return [...hashes];
}
