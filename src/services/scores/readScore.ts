import { invalid } from '../../model/errors.ts';
import { type LicenseTerms, readLicenseTerms } from '../../model/licenseTerms.ts';
import {
  findMovements,
  findPresentScores,
  type Movement,
  type PresentScores,
} from '../../store/scores/presentScores.ts';
import { instanceTable } from '../../store/tables/instanceTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';

type Range = { from?: number; to?: number; points?: number };

const monthMs = 30 * 86_400_000;

/** The current scores of a license instance and their history. */
export async function readScore(call: Call, id: number, range: Range) {
  const { to = call.now, points = 200 } = range;
  const from = range.from ?? Math.max(0, to - monthMs);
  if (from >= to) throw invalid('/query/to', 'order', 'must be after `from`.');
  const instance = await findReadable(call, instanceTable, id);
  const present = await findPresentScores(call.db, instance, call.now);
  const widthMs = Math.max(1, Math.ceil((to - from) / points));
  const intervals = Math.ceil((to - from) / widthMs);
  const movements = await findMovements(call.services.reports, instance, { from, widthMs, intervals });
  const data = toGroups(present);
  return {
    licenseId: present.licenseId,
    version: present.version,
    state: present.fault ? 'STOPPED' : present.isScoring ? 'SCORING' : 'INACTIVE',
    fault: present.fault,
    waiting: present.waiting,
    data,
    history: toHistory(data, movements, { from, widthMs, intervals }),
  };
}

function toGroups({ groups, standing, params }: PresentScores) {
  const terms = readTerms(params);
  const bounds = { min: terms?.min ?? null, max: terms?.max ?? null };
  const titles = new Map(groups.map(({ name, title }) => [name, title]));
  const scored = new Set(standing.map(({ scoreGroup }) => scoreGroup));
  const untouched = groups
    .filter(({ name, status }) => status === 'ACTIVE' && !scored.has(name))
    .map(({ name }) => ({ scoreGroup: name, score: terms?.start ?? 0, changes: 0, changedAt: null }));
  return [...standing, ...untouched].map((group) => ({
    ...group,
    title: titles.get(group.scoreGroup) ?? null,
    ...bounds,
  }));
}

/** Params stored before they were checked may be invalid; the fault of the instance reports it. */
function readTerms(params: string | null): LicenseTerms | undefined {
  try {
    return readLicenseTerms(params);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Computed backwards, so that the line ends at the current score in whatever order the alerts arrived. */
function toHistory(
  groups: readonly { scoreGroup: string; score: number }[],
  movements: readonly Movement[],
  { from, widthMs, intervals }: { from: number; widthMs: number; intervals: number },
) {
  const scores = new Map(groups.map(({ scoreGroup, score }) => [scoreGroup, Math.round(score * 1e6)]));
  const points: { ts: number; bucket: Record<string, number> }[] = [];
  const addPoint = (ts: number) =>
    points.push({
      ts,
      bucket: Object.fromEntries(Array.from(scores, ([group, millionths]) => [group, millionths / 1e6])),
    });
  let last = Number.NaN;
  for (const { scoreGroup, interval, millionths } of movements.toReversed()) {
    if (interval !== last && interval < intervals) addPoint(from + (interval + 1) * widthMs);
    last = interval;
    scores.set(scoreGroup, (scores.get(scoreGroup) ?? 0) - millionths);
  }
  addPoint(from);
  return points.toReversed();
}
