import { toAddressForm } from '../chains/addressForm.ts';
import { chainUids, getChain } from '../chains/chains.ts';
import { mapTexts } from '../lib/mapTexts.ts';
import type { LicenseTerms } from '../model/licenseTerms.ts';
import type { ScoreEvent, ScoreFault, ScoreStep } from '../model/score.ts';
import { fixAddresses } from '../scripts/fixAddresses.ts';
import type { Sandbox } from '../scripts/sandbox.ts';
import { applyChange, toScore } from './applyChange.ts';
import { type RequestedChange, readChange, readGroups } from './readScriptResult.ts';

/** A license, ready to score. Without a group script an event concerns every active group. */
export type ScoringLicense = {
  terms: LicenseTerms;
  groupScript: string | null;
  scoreScript: string | null;
  scoreGroups: readonly { name: string; status: string }[];
};

/** Current scores by group. */
export type Scores = ReadonlyMap<string, number>;

type ScriptFailure = Omit<ScoreFault, 'at' | 'alertId'>;
type Failed = { fault: ScriptFailure };
type Values = Readonly<Record<string, unknown>>;

/** Runs the scripts of a license for an event; returns one change for each group, in their order. */
export async function scoreEvent(
  run: Sandbox['run'],
  tenantId: number,
  license: ScoringLicense,
  scores: Scores,
  event: ScoreEvent,
): Promise<{ changes: ScoreStep[] } | Failed> {
  const { terms, scoreScript, scoreGroups } = license;
  if (scoreScript === null) return { changes: [] };
  const toForm = formOf(event);
  const runScript = createRunner(run, tenantId, toForm);
  const start = toScore(terms.start);
  const untouched = scoreGroups.map(({ name }): [string, number] => [name, start]);
  const values = {
    e: mapTexts(event, toForm),
    l: terms.values,
    s: Object.fromEntries([...untouched, ...scores]),
  };
  const groups = await findGroups(runScript, license, values);
  if ('fault' in groups) return groups;
  const changes: ScoreStep[] = [];
  for (const group of groups.names) {
    const base = scores.get(group) ?? start;
    const inputs = { ...values, group, score: base };
    const result = await runScript('scoreScript', scoreScript, inputs, readChange);
    if ('fault' in result) return result;
    if (result.value) changes.push(toChange(group, base, result.value, terms));
  }
  return { changes };
}

async function findGroups(
  runScript: Runner,
  { groupScript, scoreGroups }: ScoringLicense,
  values: Values,
): Promise<{ names: string[] } | Failed> {
  const active = new Set(scoreGroups.filter(({ status }) => status === 'ACTIVE').map(({ name }) => name));
  if (groupScript === null) return { names: [...active] };
  const result = await runScript('groupScript', groupScript, values, readGroups);
  if ('fault' in result) return result;
  if (scoreGroups.length === 0) return { names: result.value };
  const unknown = result.value.find((name) => !scoreGroups.some((group) => group.name === name));
  if (unknown === undefined) return { names: result.value.filter((name) => active.has(name)) };
  const possible = scoreGroups.map(({ name }) => name).join(', ');
  return toFailed('groupScript', `it names the group ${unknown}; the license has ${possible}`);
}

function toChange(
  scoreGroup: string,
  base: number,
  { change, key, value }: RequestedChange,
  terms: LicenseTerms,
): ScoreStep {
  const requested = toScore(change);
  return { scoreGroup, base, requested, ...applyChange(base, requested, terms), key, value };
}

/** Addresses are compared in the form that alerts of their chain have. */
function formOf(event: ScoreEvent): (text: string) => string {
  const uid = chainUids.find((candidate) => 'chainUid' in event && candidate === event.chainUid);
  return uid === undefined ? (text) => text : toAddressForm(getChain(uid));
}

type Runner = ReturnType<typeof createRunner>;

/** Runs one script and reads its result; a script that fails, or whose result cannot be read, is a fault. */
function createRunner(run: Sandbox['run'], tenantId: number, toForm: (text: string) => string) {
  return async <T>(
    script: ScriptFailure['script'],
    source: string,
    values: Values,
    read: (result: unknown) => T,
  ): Promise<{ value: T } | Failed> => {
    const [result] = await run(tenantId, values, [fixAddresses(source, toForm)]);
    if (!result) throw new Error(`The sandbox returned no result for ${script}.`);
    if ('fault' in result) {
      const { code, message, line = null, column = null } = result.fault;
      return { fault: { script, code, message, line, column } };
    }
    try {
      return { value: read(result.value) };
    } catch (error) {
      if (error instanceof RangeError) return toFailed(script, error.message);
      throw error;
    }
  };
}

function toFailed(script: ScriptFailure['script'], message: string): Failed {
  return { fault: { script, code: 'result', message, line: null, column: null } };
}
