import type { ScoreEvent, ScoreStep } from '../../model/score.ts';
import { lowerCase } from '../../query/analyzer.ts';
import { createTermHash, termHash } from '../../query/termHash.ts';
import { indexTexts, textsOf } from '../search/terms/indexTexts.ts';
import type { LaneState } from './readLane.ts';

export type NewScoreChange = ScoreStep & { i: number; uid: string; event: ScoreEvent };

/** A score change as its row, with its search terms. */
export async function scoreRow(lane: LaneState, change: NewScoreChange): Promise<Record<string, unknown>> {
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
    ...(event.type === 'alert'
      ? await alertColumns(lane.tenantId, event)
      : { tags: [], meta: {}, odd_words: null, terms: [] }),
    score_group: change.scoreGroup,
    score: change.score,
    score_change: change.scoreChange,
    key: change.key,
    value: change.value,
    asked: change.requested,
    base: change.base,
  };
}

/** The month of a change, as the API shows it. */
export function scoreIndex(timestamp: number): string {
  return `score-${new Date(timestamp).toISOString().slice(0, 7).replace('-', '.')}`;
}

type AlertEvent = Extract<ScoreEvent, { type: 'alert' }>;

async function alertColumns(tenantId: number, event: AlertEvent): Promise<Record<string, unknown>> {
  const texts = { alertName: [event.name], alertMessage: [event.message], meta: textsOf(event.meta) };
  const { odd, terms } = await indexTexts(tenantId, texts, createWordHashes);
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
    odd_words: odd,
    terms: [...wholeTerms(tenantId, event), ...terms],
  };
}

function createWordHashes(tenantId: number, column: string): (word: string) => number[] {
  const hash = createTermHash(tenantId, column);
  return (word) => [hash(word)];
}

/** Hashes of the values that are looked up as a whole; the names are those of the members in `scoreTable`. */
function wholeTerms(tenantId: number, { txHash, tags }: AlertEvent): number[] {
  return [
    ...(txHash === null ? [] : [termHash(tenantId, 'txHash', lowerCase(txHash))]),
    ...tags.map((tag) => termHash(tenantId, 'tags', tag)),
  ];
}
