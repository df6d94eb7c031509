import { severityOf } from '../../../model/alert.ts';
import type { StoryIntent } from '../../../store/alerts/incidentStory.ts';
import { isPrevented, type StoryAlert } from './storyAlert.ts';
import type { LossAlert } from './sumLosses.ts';

/**
 * PENDING has no block yet, RETRACTED lost its block, PREVENTED never took effect. STOPPED: an action or pause came after
 * the last loss. ONGOING: that loss is minutes old.
 */
export const progresses = [
  'PENDING',
  'ONGOING',
  'STOPPED',
  'PREVENTED',
  'QUIET',
  'RESOLVED',
  'RETRACTED',
] as const;

export type IncidentProgress = {
  state: (typeof progresses)[number];
  /** The action or pause that ended it. */
  stoppedBy: { name: string; blockNumber: number | null; txHash: string | null; at: number } | null;
  /** Actions that failed to. */
  failed: { name: string; reason: string | null }[];
  /** Time of the last loss, or without one of the last severe alert. */
  lastAt: number | null;
};

/** As long as repeated alerts belong to one incident. */
const quietAfterMs = 5 * 60_000;

export function judgeProgress(
  incidentStatus: string,
  alerts: readonly StoryAlert[],
  losing: readonly LossAlert[],
  intents: readonly StoryIntent[],
  now: number,
  isUndone: (alert: StoryAlert) => boolean = isPrevented,
): IncidentProgress {
  const isOpen = (alert: StoryAlert) => alert.status !== 'RETRACTED' && !isUndone(alert);
  const standing = losing.map(({ alert }) => alert).filter(isOpen);
  const happened = alerts.filter((alert) => alert.kind !== 'action' && isOpen(alert));
  const severe = happened.filter(({ numericSeverity }) => numericSeverity >= severityOf.HIGH);
  const harm = standing.length > 0 ? standing : severe.length > 0 ? severe : happened;
  const lastAt = harm.length > 0 ? Math.max(...harm.map(({ timestamp }) => timestamp)) : null;
  const failed = intents
    .filter(({ state }) => state === 'FAILED')
    .map(({ actionName, reason }) => ({ name: actionName, reason }));
  const prevented = losing.some(({ alert }) => isUndone(alert));
  const isBefore = prevented && standing.length === 0;
  const stoppedBy = findStop(alerts, intents, isBefore ? [] : harm);
  const judged = (state: IncidentProgress['state']): IncidentProgress => ({
    state,
    stoppedBy,
    failed,
    lastAt,
  });
  if (isBefore) return judged('PREVENTED');
  if (happened.length === 0) return judged(alerts.some(isUndone) ? 'PREVENTED' : 'RETRACTED');
  if (stoppedBy) return judged('STOPPED');
  if (incidentStatus === 'RESOLVED') return judged('RESOLVED');
  if (harm.length > 0 && harm.every(({ finality }) => finality === 'PENDING')) return judged('PENDING');
  return judged(lastAt !== null && now - lastAt < quietAfterMs ? 'ONGOING' : 'QUIET');
}

/** A confirmed action, or a pause that an alert reports, after the last harm. */
function findStop(
  alerts: readonly StoryAlert[],
  intents: readonly StoryIntent[],
  harm: readonly StoryAlert[],
): IncidentProgress['stoppedBy'] {
  const lastBlock = Math.max(-1, ...harm.map(({ blockNumber }) => blockNumber ?? -1));
  const lastAt = Math.max(0, ...harm.map(({ timestamp }) => timestamp));
  const chains = new Set(harm.map(({ chainUid }) => chainUid));
  const confirmed = intents
    .filter(
      ({ state, minedBlock, chainUid, updatedAt }) =>
        state === 'CONFIRMED' &&
        (chains.has(chainUid) && minedBlock !== null ? minedBlock > lastBlock : updatedAt > lastAt),
    )
    .sort((a, b) => (a.minedBlock ?? 0) - (b.minedBlock ?? 0))[0];
  if (confirmed) {
    const { actionName: name, minedBlock: blockNumber, txHash, updatedAt: at } = confirmed;
    return { name, blockNumber, txHash, at };
  }
  const pause = alerts.find(
    ({ detectorSchemaName, meta, status, timestamp }) =>
      detectorSchemaName === 'pause_state' &&
      meta.isPaused === true &&
      status !== 'RETRACTED' &&
      timestamp > lastAt,
  );
  if (!pause || harm.length === 0) return null;
  const { name, blockNumber, txHash, timestamp: at } = pause;
  return { name, blockNumber, txHash, at };
}
