import { settleAll } from '../lib/settleAll.ts';
import type { RaisedAlert } from '../model/alert.ts';
import type { AlertLinks } from '../model/notification.ts';
import type { Db } from '../store/db/db.ts';
import { findDecisionRules } from '../store/destinations/decisionRules.ts';
import type { AlertDocument } from '../store/destinations/findAlertDocuments.ts';
import { readDocuments } from './alertDocuments.ts';
import { deliver, findByAlert } from './notifyOnAlerts.ts';
import { createRules } from './rules/createRules.ts';

type Undecided = { raised: RaisedAlert; raisedAt: number };

export type DecideLater = (
  tx: Db,
  undecided: readonly Undecided[],
  options: { isLate: boolean },
) => Promise<void>;

/** Decides alerts after the transaction that raised them. Those that ended or were answered meanwhile need no notification. */
export function createDecideLater({ links, now }: { links: AlertLinks; now: () => number }): DecideLater {
  const findRules = createRules();
  return async (tx, undecided, { isLate }) => {
    const documents = await readDocuments(
      tx,
      undecided.map(({ raised }) => raised),
    );
    const open = undecided.flatMap((alert) => toPresent(alert, documents.get(alert.raised.uid)));
    if (open.length === 0) return;
    const decidedAt = now();
    const tenantIds = [...new Set(open.map(({ finding }) => finding.tenantId))];
    const [recipients, versions] = await settleAll([findByAlert(tx, open), findDecisionRules(tx, tenantIds)]);
    const rules = await findRules(tx, versions, decidedAt);
    await deliver(tx, open, { recipients, versions, rules, links, at: decidedAt, isLate });
  };
}

/** The alert if it is open; in a block if it came into one since it was raised. */
function toPresent({ raised, raisedAt }: Undecided, document: AlertDocument | undefined): RaisedAlert[] {
  if (document?.status !== 'UNRESOLVED') return [];
  const { acknowledged, acknowledgedAt } = document;
  // One that came into an acknowledged incident has an older acknowledgement, and notifies like any other.
  if (acknowledged === true && Number(acknowledgedAt) >= raisedAt) return [];
  const { finding } = raised;
  const { blockNumber } = document;
  return finding.isPending && blockNumber !== null
    ? [{ ...raised, finding: { ...finding, blockNumber, isPending: false } }]
    : [raised];
}
