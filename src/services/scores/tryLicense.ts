import { nextRun } from '../../lib/schedule.ts';
import { invalid, Problem, unprocessable } from '../../model/errors.ts';
import type { LicenseTerms } from '../../model/licenseTerms.ts';
import type { ScoreEvent, TickEvent } from '../../model/score.ts';
import { toScore } from '../../scoring/applyChange.ts';
import { type ScoringLicense, scoreEvent } from '../../scoring/scoreEvent.ts';
import { findRecord } from '../../store/records/records.ts';
import { reportSlowSearch } from '../../store/records/reportSlowSearch.ts';
import { findPastAlerts } from '../../store/scores/findPastAlerts.ts';
import { licenseTable } from '../../store/tables/licenseTable.ts';
import { projectTable } from '../../store/tables/projectTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';
import { scriptOwner } from '../records/scriptOwner.ts';
import { checkLicense } from './checkLicense.ts';

export type Trial = {
  projectId: number;
  from?: number;
  to?: number;
  params?: string | null;
  groupScript?: string | null;
  scoreScript?: string | null;
};

const maxEvents = 1000;
const trialBudgetMs = 5000;
const monthMs = 30 * 86_400_000;

/** Runs the scripts of a license, or proposed ones instead, over past alerts of a project; nothing is stored. */
export async function tryLicense(call: Call, licenseId: number, trial: Trial) {
  const { to = call.now } = trial;
  const from = trial.from ?? Math.max(0, to - monthMs);
  if (from > to) throw invalid('/to', 'order', 'must not be before `from`.');
  const license = await readProposedLicense(call, licenseId, trial);
  const project = await findReadable(call, projectTable, trial.projectId).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    throw unprocessable('/projectId', 'unknown-reference', 'There is no project with this id.');
  });
  const alerts = await reportSlowSearch(() =>
    findPastAlerts(call.services.reports, project, { from, to, limit: maxEvents + 1 }),
  );
  const ticks = ticksBetween(license.terms, from, to);
  const events: ScoreEvent[] = [...alerts, ...ticks].sort((left, right) => left.timestamp - right.timestamp);
  return scoreEvents(call, license, events);
}

async function readProposedLicense(call: Call, id: number, trial: Trial): Promise<ScoringLicense> {
  const saved = await findRecord(call.db, licenseTable, call.scope, id, licenseMembers);
  if (!saved) throw new Problem('not-found', 'There is no such license.');
  const pick = (name: 'params' | 'groupScript' | 'scoreScript') => {
    const value = trial[name] === undefined ? saved[name] : trial[name];
    return typeof value === 'string' ? value : null;
  };
  const [groupScript, scoreScript] = [pick('groupScript'), pick('scoreScript')];
  const terms = await checkLicense(call, { params: pick('params'), groupScript, scoreScript }, saved);
  const groups: readonly { name: string; status: string }[] = Array.isArray(saved.scoreGroups)
    ? saved.scoreGroups
    : [];
  return { terms, groupScript, scoreScript, scoreGroups: groups };
}

const licenseMembers = ['params', 'groupScript', 'scoreScript', 'scoreGroups'] as const;

function ticksBetween({ tick }: LicenseTerms, from: number, to: number): TickEvent[] {
  if (!tick) return [];
  const ticks: TickEvent[] = [];
  let timestamp = nextRun(tick, from - 1);
  while (timestamp <= to && ticks.length <= maxEvents) {
    ticks.push({ type: 'tick', timestamp });
    timestamp = nextRun(tick, timestamp);
  }
  return ticks;
}

async function scoreEvents(call: Call, license: ScoringLicense, events: readonly ScoreEvent[]) {
  const scores = new Map<string, number>();
  const data = [];
  const until = performance.now() + trialBudgetMs;
  let count = 0;
  let fault = null;
  for (const event of events.slice(0, maxEvents)) {
    if (performance.now() > until) break;
    const scored = await scoreEvent(call.services.runScripts, scriptOwner(call), license, scores, event);
    const alert = event.type === 'alert' ? event : null;
    if ('fault' in scored) {
      fault = { ...scored.fault, at: event.timestamp, alertId: alert?.uid ?? null };
      break;
    }
    count++;
    for (const { base: _base, requested: _requested, ...change } of scored.changes) {
      scores.set(change.scoreGroup, change.score);
      data.push({
        type: event.type,
        timestamp: event.timestamp,
        alertId: alert?.uid ?? null,
        alertName: alert?.name ?? null,
        severity: alert?.severity ?? null,
        ...change,
      });
    }
  }
  const untouched = license.scoreGroups.filter(
    ({ name, status }) => status === 'ACTIVE' && !scores.has(name),
  );
  for (const { name } of untouched) scores.set(name, toScore(license.terms.start));
  return {
    events: count,
    isComplete: count === events.length,
    fault,
    groups: Array.from(scores, ([scoreGroup, score]) => ({ scoreGroup, score })),
    data,
  };
}
