import { hash } from 'node:crypto';
import { canonicalHash } from '../lib/canonicalHash.ts';
import { groupBy } from '../lib/groupBy.ts';
import { uidTime } from '../lib/uid.ts';
import { type Finding, isSevere, isShadow, severityOf } from '../model/alert.ts';
import {
  findIncidentKeys,
  findIncidentsOf,
  type IncidentKey,
  lockIncidentKeys,
} from '../store/alerts/incidents.ts';
import { writeStartedIncidents } from '../store/alerts/loneIncidents.ts';
import type { Db } from '../store/db/db.ts';
import { findIncidentStates, type IncidentState } from '../store/search/documents/findIncidentStates.ts';

type Candidate = { uid: string; finding: Finding };

/** A repeated cause belongs to the incident of the last time, if that is not longer ago. */
export const repeatGapMs = 5 * 60_000;
/** A cause that goes on for longer than this starts another incident, so that someone is notified again. */
const maxRepeatingMs = 3_600_000;

/**
 * The incident of each finding, by alert uid. Findings of one transaction or of a repeated cause share one until it is
 * resolved; trial alerts have none. Locks the keys, so two processes never start two incidents.
 */
export async function assignIncidents(
  tx: Db,
  candidates: readonly Candidate[],
): Promise<{ byAlert: Map<string, string>; keys: IncidentKey[] }> {
  const groups = groupByTransaction(candidates.filter(({ finding }) => isGrouped(finding)));
  const wanted = new Map(
    groups.flatMap((group) =>
      group.keys.map((key) => [
        key,
        { key, tenantId: group.tenantId, lastAt: group.at, incidentUid: group.alerts[0].uid },
      ]),
    ),
  );
  const locked = wanted.size > 0 ? await lockIncidentKeys(tx, [...wanted.values()]) : [];
  const asked = groups.flatMap((group) => hintKeys(group).map((key) => ({ key, tenantId: group.tenantId })));
  const waiting =
    asked.length > 0
      ? await findIncidentKeys(
          tx,
          asked.map(({ key }) => key),
        )
      : [];
  const tenants = new Map([...asked, ...wanted.values()].map(({ key, tenantId }) => [key, tenantId]));
  const stored = new Map<string, IncidentKey>([
    ...wanted,
    ...[...waiting, ...locked].map((row) => [row.key, row] as const),
  ]);
  const incidents = await findIncidentStates(
    tx,
    [...locked, ...waiting].map(({ key, incidentUid: uid }) => ({ uid, tenantId: tenants.get(key)! })),
  );
  const states: Known = new Map(
    [...locked, ...waiting].map(({ key, lastAt, incidentUid }) => [
      key,
      { lastAt, incident: incidents.get(incidentUid)! },
    ]),
  );
  const byAlert = await assignActions(tx, candidates);
  for (const group of groups) {
    const incident = chooseIncident(group, states);
    for (const { uid } of group.alerts) byAlert.set(uid, incident.uid);
    for (const key of group.keys)
      states.set(key, { lastAt: Math.max(group.at, states.get(key)?.lastAt ?? 0), incident });
  }
  await writeJoined(tx, candidates, byAlert, incidents);
  const keys = Array.from(states, ([key, { lastAt, incident }]) => ({
    key,
    lastAt,
    incidentUid: incident.uid,
  })).filter(({ key, lastAt, incidentUid }) => {
    const before = stored.get(key);
    return before?.incidentUid !== incidentUid || before.lastAt !== lastAt;
  });
  return { byAlert, keys };
}

/** Incidents by their keys, with the time of the newest alert of each key. */
type Known = Map<string, { lastAt: number; incident: Omit<IncidentState, 'isLone'> }>;

/** An incident that another alert joins gets its row before anything is added to it. */
async function writeJoined(
  tx: Db,
  candidates: readonly Candidate[],
  byAlert: ReadonlyMap<string, string>,
  incidents: ReadonlyMap<string, IncidentState>,
): Promise<void> {
  const joined = candidates.flatMap(({ uid, finding: { kind, tenantId } }) => {
    const incidentUid = byAlert.get(uid);
    const isJoined = incidentUid && (kind === 'action' || incidents.get(incidentUid)?.isLone);
    return isJoined ? [{ tenantId, uid: incidentUid }] : [];
  });
  await writeStartedIncidents(tx, joined);
}

/** Alerts that share a transaction, or one without. */
type Group = {
  tenantId: number;
  at: number;
  alerts: [Candidate, ...Candidate[]];
  transaction: string | undefined;
  /** Undefined when one of them has a cause that does not repeat. */
  causes: string[] | undefined;
  /** Signs of a robbery without its transaction, or with the transaction alone. */
  block: string[];
  actors: string[];
  keys: string[];
};

function isGrouped(finding: Finding): boolean {
  return finding.kind !== 'action' && !isShadow(finding);
}

function groupByTransaction(candidates: readonly Candidate[]): Group[] {
  const groups = groupBy(candidates, ({ uid, finding: { tenantId, chainUid, txHash } }) =>
    txHash ? transactionKey(tenantId, chainUid, txHash) : uid,
  );
  return Array.from(groups, ([key, alerts]) => toGroup(key, alerts));
}

function toGroup(key: string, alerts: Group['alerts']): Group {
  const { tenantId, timestamp: at, txHash } = alerts[0].finding;
  const transaction = txHash ? key : undefined;
  const named = alerts.flatMap(({ finding: { cause, contractId } }) =>
    cause === undefined ? [] : [toKey(tenantId, `cause ${contractId} ${cause}`)],
  );
  const causes = named.length === alerts.length ? [...new Set(named)] : undefined;
  const block = [...new Set(alerts.flatMap(({ finding }) => blockKeys(finding)))];
  const actors = [...new Set(alerts.flatMap(({ finding }) => actorKeys(finding)))];
  const keys = [...(transaction ? [transaction] : []), ...block, ...actors, ...(causes ?? [])];
  return { tenantId, at, alerts, transaction, causes, block, actors, keys };
}

/**
 * A loss without a transaction and severe alerts of the same project and block are one robbery. The loss may come
 * before its block, so its contract is remembered for a while.
 */
function blockKeys({ tenantId, projectId, contractId, severity, ...finding }: Finding): string[] {
  const { chainUid, blockHash, isPending, txHash } = finding;
  const isLoss = txHash ? isSevere(severity) : severityOf[severity] >= severityOf.MEDIUM;
  if (!isLoss || !chainUid) return [];
  if (isPending) return [waitingKey(tenantId, chainUid, contractId)];
  return blockHash ? [toKey(tenantId, `block ${chainUid} ${projectId} ${blockHash}`)] : [];
}

function waitingKey(tenantId: number, chainUid: string, contractId: number): string {
  return toKey(tenantId, `waiting ${chainUid} ${contractId}`);
}

/**
 * Possible causes of a loss without a transaction: an announcement, or an active thief with a transaction in its block.
 */
function hintKeys({ alerts, transaction, block }: Group): string[] {
  if (transaction || block.length === 0) return [];
  return alerts.flatMap(({ finding }) => {
    const { tenantId, chainUid, contractId } = finding;
    return chainUid ? [waitingKey(tenantId, chainUid, contractId), ...suspectKeys(finding)] : [];
  });
}

function suspectKeys({ tenantId, severity, chainUid, suspects = [] }: Finding): string[] {
  return isSevere(severity) ? suspects.map((suspect) => toKey(tenantId, `actor ${chainUid} ${suspect}`)) : [];
}

function actorKeys({ tenantId, severity, chainUid, actors = [] }: Finding): string[] {
  return isSevere(severity) ? actors.map((actor) => toKey(tenantId, `actor ${chainUid} ${actor}`)) : [];
}

function transactionKey(tenantId: number, chainUid: string | null | undefined, txHash: string): string {
  return toKey(tenantId, `transaction ${chainUid ?? ''} ${canonicalHash(txHash)}`);
}

function toKey(tenantId: number, text: string): string {
  return hash('sha256', `${tenantId} ${text}`, 'hex').slice(0, 32);
}

function chooseIncident(group: Group, states: Known): Omit<IncidentState, 'isLone'> {
  const { at, transaction, causes, block, actors } = group;
  const isRecent = (row: Known extends Map<string, infer R> ? R | undefined : never) =>
    row?.incident.isOpen === true &&
    Math.abs(at - row.lastAt) <= repeatGapMs &&
    Math.abs(at - row.incident.firstAt) <= maxRepeatingMs;
  // A first sign of the block has notified already, so it outranks lesser alerts of the transaction.
  for (const key of [...block, ...hintKeys(group)]) {
    const row = states.get(key);
    if (isRecent(row)) return row!.incident;
  }
  const sameTransaction = transaction && states.get(transaction)?.incident;
  if (sameTransaction) return sameTransaction;
  for (const key of actors) {
    const row = states.get(key);
    if (isRecent(row)) return row!.incident;
  }
  const repeated = causes?.map((cause) => states.get(cause));
  const [first] = repeated ?? [];
  const isRepetition = repeated?.every((row) => row?.incident.uid === first?.incident.uid && isRecent(row));
  if (isRepetition && first) return first.incident;
  return { uid: group.alerts[0].uid, firstAt: at, isOpen: true };
}

async function assignActions(tx: Db, candidates: readonly Candidate[]): Promise<Map<string, string>> {
  const fired = candidates.flatMap(({ uid, finding: { kind, tenantId, meta } }) => {
    const { alertUid } = meta;
    if (kind !== 'action' || typeof alertUid !== 'string') return [];
    const timestamp = uidTime(alertUid);
    return timestamp === undefined ? [] : [{ uid, tenantId, alertUid, timestamp }];
  });
  if (fired.length === 0) return new Map();
  return new Map((await findIncidentsOf(tx, fired)).map(({ uid, incidentUid }) => [uid, incidentUid]));
}
