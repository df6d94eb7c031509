import type { Finding } from '../model/alert.ts';
import { alertRow } from '../store/alerts/alertRow.ts';
import { type InsertedAlert, insertAlerts } from '../store/alerts/insertAlerts.ts';
import { ensurePartitions } from '../store/alerts/partitions.ts';
import { sortTerms } from '../store/alerts/sortTerms.ts';
import type { Db, Store } from '../store/db.ts';
import { alertUid } from './alertUid.ts';

export type Raised = { finding: Finding; uid: string };

/**
 * Rows that must come into being along with new alerts: deliveries, action intents, score work. They are written in the
 * alerts' own transaction, and only for alerts that are new.
 */
export type Follow = (tx: Db, raised: readonly Raised[]) => Promise<void>;

/** Prepares the store for a batch; outside of the transaction, because partitions and indexes are there for all. */
export async function prepareRaise(store: Store, findings: readonly Finding[]): Promise<void> {
  await ensurePartitions(store, 'alert', new Set(findings.map(({ timestamp }) => timestamp)));
  await sortTerms(store, findings.length);
}

/**
 * The one way in: a batch of findings becomes alerts, their roll-ups and all that follows from them, in the caller's
 * transaction. What was raised before is left as it is.
 */
export async function raise(
  tx: Db,
  findings: readonly Finding[],
  follow: readonly Follow[] = [],
): Promise<Raised[]> {
  const raised = new Map(findings.map((finding) => [alertUid(finding), finding]));
  const rows: Record<string, unknown>[] = [];
  for (const [uid, finding] of raised) rows.push(await alertRow(finding, uid));
  const inserted = await insertAlerts(tx, rows);
  const fresh = inserted.map(({ uid }: InsertedAlert) => ({ finding: raised.get(uid)!, uid }));
  for (const write of follow) await write(tx, fresh);
  return fresh;
}
