import { type LicenseTerms, readLicenseTerms } from '../model/licenseTerms.ts';
import type { ScoreFault } from '../model/score.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import type { Store } from '../store/db/db.ts';
import { holdsLane, type Lane } from '../store/scores/lanes.ts';
import { publishScoreChanges } from '../store/scores/publishScoreChanges.ts';
import { type LaneState, readLane, type ScoreWork } from '../store/scores/readLane.ts';
import type { NewScoreChange } from '../store/scores/scoreRow.ts';
import { settleLane } from '../store/scores/settleLane.ts';
import { ensurePartitions } from '../store/search/months/partitions.ts';
import { scoreUid } from './applyChange.ts';
import { scoreEvent } from './scoreEvent.ts';
import { undoAlert } from './undoAlert.ts';

type ScoringOptions = { store: Store; run: Sandbox['run']; now: () => number };
/** Written changes; nothing if another process has taken over the lane, which then scores it again. */
export type LaneOutcome = { changes: { type: string; count: number }[]; fault?: ScoreFault };

/** Events of one transaction. */
const batchSize = 200;
/** The batch is written after this time, also when events remain. */
const scriptBudgetMs = 500;

/**
 * Scores the queue of one instance in order, in one transaction with the removal of the work. A failing script leaves
 * its fault at the lane; its event and all later ones stay queued.
 */
export async function scoreLane(options: ScoringOptions, lane: Lane): Promise<LaneOutcome> {
  const facts = await readLane(options.store, lane, batchSize);
  const [first] = facts.work;
  const terms = readTerms(facts);
  if ('fault' in terms && first !== undefined) {
    const fault = { ...terms.fault, ...faultSource(first, options.now()) };
    return settle(options, facts, { changes: [], done: [], fault });
  }
  if ('fault' in terms) return settle(options, facts, { changes: [], done: [] });
  if (first?.type === 'retraction') return undo(options, facts, first, terms.value);
  return settle(options, facts, await score(options, facts, terms.value));
}

type LicenseFailure = Omit<ScoreFault, 'at' | 'alertId'>;

function readTerms({ params }: LaneState): { value: LicenseTerms } | { fault: LicenseFailure } {
  try {
    return { value: readLicenseTerms(params) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const { message } = error;
    return { fault: { script: 'params', code: 'result', message, line: null, column: null } };
  }
}

type LaneProgress = { changes: NewScoreChange[]; done: number[]; fault?: ScoreFault };

async function score(
  { run, now }: ScoringOptions,
  facts: LaneState,
  terms: LicenseTerms,
): Promise<LaneProgress> {
  const { groupScript, scoreScript, scoreGroups, tenantId, instanceId } = facts;
  const standing = new Map(Object.entries(facts.standing));
  const changes: NewScoreChange[] = [];
  const done: number[] = [];
  const until = performance.now() + scriptBudgetMs;
  for (const item of facts.work) {
    if (item.type === 'retraction' || performance.now() > until) break;
    const event = item.data;
    const scored = await scoreEvent(
      run,
      tenantId,
      { terms, groupScript, scoreScript, scoreGroups },
      standing,
      event,
    );
    if ('fault' in scored) return { changes, done, fault: { ...scored.fault, ...faultSource(item, now()) } };
    for (const change of scored.changes) {
      const i = facts.nextI + changes.length;
      const uid = scoreUid({ tenantId, instanceId, timestamp: event.timestamp, i });
      changes.push({ ...change, event, i, uid });
      standing.set(change.scoreGroup, change.score);
    }
    done.push(item.id);
  }
  return { changes, done };
}

function faultSource(item: ScoreWork, time: number): Pick<ScoreFault, 'at' | 'alertId'> {
  return { at: time, alertId: item.type === 'alert' && item.data.type === 'alert' ? item.data.uid : null };
}

async function settle(
  { store, now }: ScoringOptions,
  facts: LaneState,
  done: LaneProgress,
): Promise<LaneOutcome> {
  const { changes, fault } = done;
  const times = changes.map(({ event }) => event.timestamp);
  await ensurePartitions(store, 'score_change', new Set(times));
  const settled = { ...done, fault, nextI: facts.nextI + changes.length };
  const isPublished = facts.hasSubscribers && changes.length > 0;
  const isOurs =
    isPublished || (await store.isDistributed())
      ? await store.transaction(async (tx) => {
          if (!(await settleLane(tx, facts, settled))) return false;
          if (!isPublished) return true;
          await publishScoreChanges(tx, facts, { i: facts.nextI, since: Math.min(...times), now: now() });
          return true;
        })
      : await settleLane(store, facts, settled);
  if (!isOurs) return { changes: [] };
  const counts = new Map<string, number>();
  for (const { event } of changes) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
  return {
    changes: Array.from(counts, ([type, count]) => ({ type, count })),
    ...(fault ? { fault } : {}),
  };
}

async function undo(
  { store, now }: ScoringOptions,
  facts: LaneState,
  work: Extract<ScoreWork, { type: 'retraction' }>,
  terms: LicenseTerms,
): Promise<LaneOutcome> {
  await ensurePartitions(store, 'score_change', [work.at]);
  const count = await store.transaction(async (tx) => {
    if (!(await holdsLane(tx, facts))) return 0;
    const nextI = await undoAlert(tx, facts, work, terms);
    if (facts.hasSubscribers)
      await publishScoreChanges(tx, facts, { i: facts.nextI, since: work.at, now: now() });
    await settleLane(tx, facts, { changes: [], done: [work.id], nextI, fault: undefined });
    return nextI - facts.nextI;
  });
  return { changes: count > 0 ? [{ type: 'retraction', count }] : [] };
}
