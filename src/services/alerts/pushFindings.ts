import { alertUid } from '../../alerts/alertUid.ts';
import { limitRate } from '../../alerts/limitRate.ts';
import { applyPlanned } from '../../alerts/planned/applyPlanned.ts';
import { prepareRaise, raiseAlerts } from '../../alerts/raiseAlerts.ts';
import { getOrThrow } from '../../lib/getOrThrow.ts';
import { settleAll } from '../../lib/settleAll.ts';
import { complianceTags, type Finding, type Severity } from '../../model/alert.ts';
import { type Fault, invalid, Problem } from '../../model/errors.ts';
import {
  type DetectorOrigin,
  findDetectorOrigin,
  recordExternalFindings,
} from '../../store/alerts/externalFindings.ts';
import { addOwnSamples } from '../../store/telemetry/addSamples.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { findWritable, notFound } from '../records/findWritable.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { readPushLimit } from './readPushLimit.ts';

export type Pushed = {
  eid: string;
  timestamp?: number;
  severity?: Severity;
  name?: string;
  message: string;
  meta?: Record<string, unknown>;
  tags?: string[];
  txHash?: string | null;
  blockNumber?: number | null;
  blockHash?: string | null;
};

type Result = { eid: string; uid: string; result: 'created' | 'duplicate' };

/** The oldest chain began in 2009, and a clock may be a little ahead. */
const earliest = Date.UTC(2009, 0, 1);
const aheadMs = 3_600_000;

/** A finding pushed later than this after it happened is history, not news. */
const newsMs = 3_600_000;

/** Findings of an outside engine become alerts of one of the tenant's detectors; an `eid` counts once. */
export async function pushFindings(
  call: Call,
  detectorKind: RecordKind,
  detectorId: number,
  pushed: readonly Pushed[],
): Promise<Result[]> {
  const origin = await findOpenOrigin(call, detectorKind, detectorId);
  checkTimes(pushed, call.now);
  checkMeta(pushed);
  const byEid = new Map(pushed.toReversed().map((item) => [item.eid, toFinding(origin, item, call.now)]));
  // Terms are worked out while the database records.
  const [recorded, limit] = await settleAll([
    recordExternalFindings(
      call.db,
      origin,
      Array.from(byEid, ([eid, finding]) => ({ eid, uid: alertUid(finding) })),
    ),
    readPushLimit(call, origin.tenantId),
    prepareRaise(call.services.store, [...byEid.values()]),
  ]);
  const recordedByEid = new Map(recorded.map((item) => [item.eid, item]));
  const inOrder = [...new Set(pushed.map(({ eid }) => eid))].filter(
    (eid) => getOrThrow(recordedByEid, eid).isNew,
  );
  if (inOrder.length > 0) {
    limit.check(inOrder.length);
    const findings = await applyPlanned(
      call.db,
      inOrder.map((eid) => getOrThrow(byEid, eid)),
    );
    const limited = await limitRate(call.db, findings, call.now);
    const raised = await raiseAlerts(call.db, limited.findings, call.services.alertHooks);
    // A notice about the rate is none of those pushed.
    const fresh = raised.filter(({ finding }) => finding.detectorId === origin.id);
    // Last and sent together, because it holds the detector and the tenant's counts: pushes beside this one wait for its commit alone.
    const [isOpen] = await settleAll([
      limit.count(origin, inOrder.length),
      limited.count(),
      fresh.length > 0 ? recordPush(call, origin, fresh.length) : Promise.resolve(),
    ]);
    if (!isOpen) await findOpenOrigin(call, detectorKind, detectorId);
  }
  return results(pushed, recordedByEid);
}

async function recordPush(call: Call, origin: DetectorOrigin, alerts: number): Promise<void> {
  await audit(call, 'detector', 'push', origin, undefined, undefined, { alerts });
  await countAlerts(call, origin, alerts);
}

/** The detector, if it takes findings now. */
async function findOpenOrigin(call: Call, kind: RecordKind, id: number): Promise<DetectorOrigin> {
  const origin = await findDetectorOrigin(call.db, call.scope, id);
  if (!origin) {
    await findWritable(call, kind, id);
    throw notFound(kind);
  }
  if (origin.source !== 'EXTERNAL') {
    throw new Problem(
      'conflict',
      `Alerts can be pushed into detectors of the source EXTERNAL; this one is ${origin.source}.`,
    );
  }
  if (origin.disabled !== null) {
    throw new Problem(
      'conflict',
      `The ${origin.disabled} is disabled, so that no alert is raised; enable it before pushing findings.`,
    );
  }
  return origin;
}

/** The first item with an `eid` made the alert; the ones after it repeat it. */
function results(
  pushed: readonly Pushed[],
  recorded: ReadonlyMap<string, { uid: string; isNew: boolean }>,
): Result[] {
  const seen = new Set<string>();
  return pushed.map(({ eid }) => {
    const { uid, isNew } = getOrThrow(recorded, eid);
    const result = isNew && !seen.has(eid) ? 'created' : 'duplicate';
    seen.add(eid);
    return { eid, uid, result };
  });
}

/** In the alerts' own transaction, which may be undone or tried again: an alert is counted exactly once. */
async function countAlerts({ db, now }: Call, origin: DetectorOrigin, count: number): Promise<void> {
  const sample = {
    metric: 'alerts',
    labels: { chain: origin.chainUid, type: 'detector' },
    minute: now - (now % 60_000),
    value: count,
    count,
    min: 1,
    max: 1,
    last: 1,
  } as const;
  await addOwnSamples(db, [sample], origin.tenantId);
}

function checkTimes(pushed: readonly Pushed[], now: number): void {
  const faults = pushed.flatMap(({ timestamp }, index): Fault[] => {
    if (timestamp === undefined || (timestamp >= earliest && timestamp <= now + aheadMs)) return [];
    const message = 'must be in epoch milliseconds, after 2009 and not in the future.';
    return [{ pointer: `/alerts/${index}/timestamp`, code: 'time', message }];
  });
  const [first] = faults;
  if (first) throw new Problem('invalid-input', `${first.pointer}: ${first.message}`, { errors: faults });
}

/** Distinct names make an alert expensive to read, and every search and stream reads it. */
const metaMembers = 10_000;

function checkMeta(pushed: readonly Pushed[]): void {
  const index = pushed.findIndex(({ meta }) => countMembers(meta) > metaMembers);
  if (index >= 0)
    throw invalid(`/alerts/${index}/meta`, 'too-many', `must have at most ${metaMembers} members in all.`);
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return members.reduce((sum: number, member) => sum + countMembers(member), members.length);
}

function toFinding(origin: DetectorOrigin, item: Pushed, now: number): Finding {
  const isCompliance = origin.schemaTags.some((tag) => complianceTags.includes(tag));
  const identity = {
    tenantId: origin.tenantId,
    kind: 'detector',
    timestamp: item.timestamp ?? now,
    key: `external ${origin.id} ${item.eid}`,
  } as const;
  // One literal: the members of objects that are put together from others are slow to read.
  return {
    tenantId: identity.tenantId,
    projectId: origin.projectId,
    contractId: origin.contractId,
    kind: identity.kind,
    group: isCompliance ? 'COMPLIANCE' : 'SECURITY',
    severity: item.severity ?? 'MEDIUM',
    timestamp: identity.timestamp,
    backfilled: item.timestamp !== undefined && now - item.timestamp > newsMs,
    key: identity.key,
    uid: alertUid(identity),
    eid: item.eid,
    name: item.name ?? origin.name,
    message: item.message,
    meta: item.meta ?? {},
    tags: item.tags ?? [],
    txHash: item.txHash ?? null,
    chainUid: origin.chainUid,
    blockNumber: item.blockNumber ?? null,
    blockHash: item.blockHash ?? null,
    detectorId: origin.id,
    detectorSchemaName: origin.schemaName,
  };
}
