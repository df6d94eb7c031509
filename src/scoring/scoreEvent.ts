import type { LicenseTerms } from '../model/licenseTerms.ts';
import type { ScoreEvent, ScoreFault, ScoreStep } from '../model/score.ts';
import type { Sandbox, ScriptResult } from '../scripts/sandbox.ts';
import { applyChange, toScore } from './applyChange.ts';
import { type Asked, readChange, readGroups } from './readAnswer.ts';

/** A license, ready to score. Without a group script every one of its active groups is meant. */
export type ScoringLicense = {
  terms: LicenseTerms;
  groupScript: string | null;
  scoreScript: string | null;
  scoreGroups: readonly { name: string; status: string }[];
};

/** Present scores by group. */
export type Scores = ReadonlyMap<string, number>;

type Scored = { changes: ScoreStep[] } | { fault: ScriptTrouble };
type ScriptTrouble = Omit<ScoreFault, 'at' | 'alertId'>;

/** Asks the scripts of a license what an event means to the scores; one change for each group, in their order. */
export async function scoreEvent(
  run: Sandbox['run'],
  tenantId: number,
  license: ScoringLicense,
  standing: Scores,
  event: ScoreEvent,
): Promise<Scored> {
  const { terms, scoreScript, scoreGroups } = license;
  if (scoreScript === null) return { changes: [] };
  const start = toScore(terms.start);
  const untouched = scoreGroups.map(({ name }): [string, number] => [name, start]);
  const values = { e: event, l: terms.values, s: Object.fromEntries([...untouched, ...standing]) };
  const groups = await namedGroups(run, tenantId, license, values);
  if ('fault' in groups) return groups;
  const changes: ScoreStep[] = [];
  for (const scoreGroup of groups.names) {
    const base = standing.get(scoreGroup) ?? start;
    const [result] = await run(tenantId, { ...values, group: scoreGroup, score: base }, [scoreScript]);
    const answer = read('scoreScript', result!, readChange);
    if ('fault' in answer) return answer;
    if (answer.value) changes.push(toChange(scoreGroup, base, answer.value, terms));
  }
  return { changes };
}

async function namedGroups(
  run: Sandbox['run'],
  tenantId: number,
  { groupScript, scoreGroups }: ScoringLicense,
  values: Readonly<Record<string, unknown>>,
): Promise<{ names: string[] } | { fault: ScriptTrouble }> {
  const active = new Set(scoreGroups.filter(({ status }) => status === 'ACTIVE').map(({ name }) => name));
  if (groupScript === null) return { names: [...active] };
  const [result] = await run(tenantId, values, [groupScript]);
  const answer = read('groupScript', result!, readGroups);
  if ('fault' in answer) return answer;
  if (scoreGroups.length === 0) return { names: answer.value };
  const stray = answer.value.find((name) => !scoreGroups.some((group) => group.name === name));
  if (stray === undefined) return { names: answer.value.filter((name) => active.has(name)) };
  const possible = scoreGroups.map(({ name }) => name).join(', ');
  return trouble('groupScript', `it names the group ${stray}; the license has ${possible}`);
}

function toChange(
  scoreGroup: string,
  base: number,
  { change, key, value }: Asked,
  terms: LicenseTerms,
): ScoreStep {
  const asked = toScore(change);
  return { scoreGroup, base, asked, ...applyChange(base, asked, terms), key, value };
}

function read<T>(
  script: ScriptTrouble['script'],
  result: ScriptResult,
  reader: (answer: unknown) => T,
): { value: T } | { fault: ScriptTrouble } {
  if ('fault' in result) {
    const { code, message, line = null, column = null } = result.fault;
    return { fault: { script, code, message, line, column } };
  }
  try {
    return { value: reader(result.value) };
  } catch (error) {
    if (error instanceof RangeError) return trouble(script, error.message);
    throw error;
  }
}

function trouble(script: ScriptTrouble['script'], message: string): { fault: ScriptTrouble } {
  return { fault: { script, code: 'result', message, line: null, column: null } };
}
