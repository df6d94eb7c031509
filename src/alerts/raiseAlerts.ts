import { settleAll } from '../lib/settleAll.ts';
import type { Finding, RaisedAlert } from '../model/alert.ts';
import { insertAlerts } from '../store/alerts/insertAlerts.ts';
import type { Db, Store } from '../store/db/db.ts';
import type { AlertRow } from '../store/search/documents/alertColumns.ts';
import { ensurePartitions } from '../store/search/months/partitions.ts';
import { alertRow } from '../store/search/terms/alertRow.ts';
import { prepareTerms, takeWords } from '../store/search/terms/findingTerms.ts';
import { flushPendingTerms } from '../store/search/terms/flushPendingTerms.ts';
import { addToIncidents } from './addToIncidents.ts';
import { alertUid } from './alertUid.ts';
import { assignIncidents } from './assignIncidents.ts';
import { recordPlanned } from './planned/applyPlanned.ts';

/**
 * Looks up who follows new alerts, and returns what writes the rows that belong to them (deliveries, action intents, score work), in
 * the transaction that inserts the alerts; undefined if there are none.
 */
export type AlertHook = (tx: Db, raised: readonly RaisedAlert[]) => Promise<HookWrite | undefined>;
type HookWrite = () => Promise<void>;

/** Prepares the store for a batch; outside the transaction, because all transactions share partitions and indexes. */
export async function prepareRaise(
  store: Store,
  findings: readonly Finding[],
  /** Their transaction adds new words to the dictionary itself. All of them are of one shard group. */
  areWordsDeferred = false,
): Promise<void> {
  await ensurePartitions(store, 'alert', new Set(findings.map(({ timestamp }) => timestamp)));
  if (findings[0]) await flushPendingTerms(store, findings.length, findings[0].tenantId);
  await prepareTerms(store, findings, areWordsDeferred);
}

/**
 * The only way to create alerts: inserts a batch of findings as alerts with their roll-ups and runs the hooks, in the caller's
 * transaction. Findings that were raised before change nothing and are not returned.
 */
export async function raiseAlerts(
  tx: Db,
  findings: readonly Finding[],
  hooks: readonly AlertHook[] = [],
): Promise<RaisedAlert[]> {
  const byUid = new Map(findings.map((finding) => [alertUid(finding), finding]));
  const candidates = Array.from(byUid, ([uid, finding]) => ({ uid, finding }));
  const { byAlert, keys } = await assignIncidents(tx, candidates);
  const words = await takeWords(
    tx,
    candidates.map(({ finding }) => finding),
  );
  const rows: AlertRow[] = [];
  for (const { uid, finding } of candidates) rows.push(await alertRow(finding, uid, byAlert.get(uid)));
  const inserted = await insertAlerts(tx, rows, words);
  const fresh = inserted.alerts.map(({ uid, isResolved, incidentUid, beginsIncident }) => ({
    finding: byUid.get(uid)!,
    uid,
    isResolved,
    incidentUid,
    beginsIncident,
  }));
  const raised = await addToIncidents(tx, fresh, keys);
  await recordPlanned(tx, raised);
  await runHooks(tx, hooks, raised);
  await inserted.count();
  return raised;
}

/** Their look-ups are sent together; they write one after the other, so that all transactions lock in the same order. */
export async function runHooks(
  tx: Db,
  hooks: readonly AlertHook[],
  raised: readonly RaisedAlert[],
): Promise<void> {
  const writes = await settleAll(hooks.map((hook) => hook(tx, raised)));
  for (const write of writes) await write?.();
}
