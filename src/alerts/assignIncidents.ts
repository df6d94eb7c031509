import { timedUid, uidTime } from '../lib/uid.ts';
import { type Finding, isShadow } from '../model/alert.ts';
import {
  findIncidentsOf,
  type IncidentKey,
  type KeyedIncident,
  lockIncidentKeys,
} from '../store/alerts/incidents.ts';
import type { Db } from '../store/db.ts';

type Candidate = { uid: string; finding: Finding };

/** A repeated cause belongs to the incident of the last time, if that is not longer ago. */
export const repeatGapMs = 5 * 60_000;
/** A cause that goes on for longer than this starts another incident, so that someone is notified again. */
const maxRepeatingMs = 3_600_000;

/**
 * The incident of each finding, by the uid of its alert, and the keys that must be pointed elsewhere. Alerts of one transaction are one incident; so are repetitions of the
 * same causes, as long as they follow each other closely and no one has resolved it. What an action did belongs to the incident
 * of the alert that fired it. Alerts on trial belong to none. Locks the keys of the batch until the transaction ends, so that two
 * processes never start two incidents for one cause.
 */
export async function assignIncidents(
  tx: Db,
  candidates: readonly Candidate[],
): Promise<{ byAlert: Map<string, string>; keys: IncidentKey[] }> {
  const byAlert = await assignActions(tx, candidates);
  const groups = groupByTransaction(candidates.filter(({ finding }) => isGrouped(finding)));
  const wanted = new Map(
    groups.flatMap((group) =>
      group.keys.map((key) => [
        `${group.tenantId} ${key}`,
        { tenantId: group.tenantId, key, lastAt: group.at, incidentUid: newIncidentUid(group) },
      ]),
    ),
  );
  const locked = wanted.size > 0 ? await lockIncidentKeys(tx, [...wanted.values()]) : [];
  const known = new Map(locked.map((row) => [`${row.tenantId} ${row.key}`, row]));
  const stored = new Map(
    locked.map(({ tenantId, key, lastAt, incident }) => {
      const id = `${tenantId} ${key}`;
      return [id, { lastAt, incidentUid: incident?.uid ?? wanted.get(id)?.incidentUid }];
    }),
  );
  for (const group of groups) {
    const incident = chooseIncident(group, known);
    for (const { uid } of group.alerts) byAlert.set(uid, incident.uid);
    for (const key of group.keys) {
      const lastAt = Math.max(group.at, known.get(`${group.tenantId} ${key}`)?.lastAt ?? 0);
      known.set(`${group.tenantId} ${key}`, { tenantId: group.tenantId, key, lastAt, incident });
    }
  }
  const keys = [...known.values()].flatMap(({ tenantId, key, lastAt, incident }) => {
    const before = stored.get(`${tenantId} ${key}`);
    const isMoved = incident && (before?.incidentUid !== incident.uid || before.lastAt !== lastAt);
    return isMoved ? [{ tenantId, key, lastAt, incidentUid: incident.uid }] : [];
  });
  return { byAlert, keys };
}

/** Alerts that share a transaction, or one without. */
type Group = {
  tenantId: number;
  at: number;
  alerts: Candidate[];
  transaction: string | undefined;
  /** Undefined when one of them has a cause that does not repeat. */
  causes: string[] | undefined;
  keys: string[];
};

function isGrouped(finding: Finding): boolean {
  return finding.kind !== 'action' && !isShadow(finding);
}

function groupByTransaction(candidates: readonly Candidate[]): Group[] {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { tenantId, chainUid, txHash } = candidate.finding;
    const id = txHash ? `${tenantId} ${transactionKey(chainUid, txHash)}` : candidate.uid;
    const group = groups.get(id);
    if (group) group.push(candidate);
    else groups.set(id, [candidate]);
  }
  return Array.from(groups.values(), toGroup);
}

function toGroup(alerts: Candidate[]): Group {
  const { tenantId, timestamp: at, chainUid, txHash } = alerts[0]!.finding;
  const transaction = txHash ? transactionKey(chainUid, txHash) : undefined;
  const named = alerts.flatMap(({ finding: { cause, contractId } }) =>
    cause === undefined ? [] : [`cause ${contractId} ${cause}`],
  );
  const causes = named.length === alerts.length ? [...new Set(named)] : undefined;
  return {
    tenantId,
    at,
    alerts,
    transaction,
    causes,
    keys: [...(transaction ? [transaction] : []), ...(causes ?? [])],
  };
}

function transactionKey(chainUid: string | null | undefined, txHash: string): string {
  return `transaction ${chainUid ?? ''} ${txHash.toLowerCase()}`;
}

function chooseIncident(
  group: Group,
  known: ReadonlyMap<string, KeyedIncident>,
): NonNullable<KeyedIncident['incident']> {
  const { tenantId, at, transaction, causes } = group;
  const sameTransaction = transaction && known.get(`${tenantId} ${transaction}`)?.incident;
  if (sameTransaction) return sameTransaction;
  const repeated = causes?.map((cause) => known.get(`${tenantId} ${cause}`));
  const [first] = repeated ?? [];
  const isRepetition = repeated?.every(
    (row) =>
      row?.incident?.uid === first?.incident?.uid &&
      row?.incident?.isOpen &&
      Math.abs(at - row.lastAt) <= repeatGapMs &&
      Math.abs(at - row.incident.firstAt) <= maxRepeatingMs,
  );
  if (isRepetition && first?.incident) return first.incident;
  return { uid: newIncidentUid(group), firstAt: group.at, isOpen: true };
}

function newIncidentUid({ tenantId, at, alerts }: Group): string {
  return timedUid(at, ['incident', tenantId, alerts[0]!.uid]);
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
