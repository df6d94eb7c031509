import { groupBy } from '../../../lib/groupBy.ts';
import { momentOf, type StoryAlert } from './storyAlert.ts';

/** Alerts of one transaction, or of one block without any: the strongest stands for all. */
export type Fold = {
  at: number;
  chainUid: string | null;
  blockNumber: number | null;
  txHash: string | null;
  strongest: StoryAlert;
  /** The others, strongest first. */
  folded: StoryAlert[];
};

/** The alerts of detectors and triggers in the order in which they happened, duplicates under the strongest. */
export function foldAlerts(alerts: readonly StoryAlert[]): Fold[] {
  const own = alerts.filter(({ kind }) => kind !== 'action');
  const byBlock = groupBy(own, momentOf);
  const keyOf = (alert: StoryAlert) => {
    if (alert.txHash !== null) return `${alert.chainUid} ${alert.txHash}`;
    // A balance that fell belongs to the one transaction of its block that is known.
    const hashes = new Set(byBlock.get(momentOf(alert))?.flatMap(({ txHash }) => txHash ?? []));
    const [hash, ...others] = hashes;
    return hash !== undefined && others.length === 0 ? `${alert.chainUid} ${hash}` : momentOf(alert);
  };
  return Array.from(groupBy(own, keyOf).values(), toFold).sort((a, b) => a.at - b.at);
}

function toFold(alerts: readonly [StoryAlert, ...StoryAlert[]]): Fold {
  const [strongest, ...folded] = alerts.toSorted(
    (a, b) =>
      Number(a.status === 'RETRACTED') - Number(b.status === 'RETRACTED') ||
      b.numericSeverity - a.numericSeverity ||
      a.timestamp - b.timestamp,
  ) as [StoryAlert, ...StoryAlert[]];
  return {
    at: Math.min(...alerts.map(({ timestamp }) => timestamp)),
    chainUid: strongest.chainUid,
    blockNumber: alerts.find(({ blockNumber }) => blockNumber !== null)?.blockNumber ?? null,
    txHash: alerts.find(({ txHash }) => txHash !== null)?.txHash ?? null,
    strongest,
    folded,
  };
}
