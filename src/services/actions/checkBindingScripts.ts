import { decide, type ScriptedAction, toScriptAction } from '../../actions/decide.ts';
import { chainUids } from '../../chains/chains.ts';
import { zip } from '../../lib/zip.ts';
import { severityOf } from '../../model/alert.ts';
import type { Fault } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { findMistakes } from '../../scripts/findMistakes.ts';
import { anything, toRecord } from '../../scripts/valueShape.ts';
import {
  type BindingSource,
  findBindingSources,
  findRecentAlerts,
} from '../../store/actions/bindingSources.ts';
import { findScriptedActions } from '../../store/actions/intentLog.ts';
import { findAlertDocuments } from '../../store/destinations/findAlertDocuments.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import type { Call } from '../call.ts';
import { alertShape, detectorEvidence, triggerEvidence } from '../records/alertShape.ts';
import type { ChangedBinding } from './changedBindings.ts';
import { findClosedParameters, throwFaults } from './missingParameters.ts';

/** The scripts by which one source fires several actions. */
export async function checkSourceScripts(
  call: Call,
  tenantId: number,
  source: ScriptSource,
  bindings: readonly (ChangedBinding & { item: { actionId?: number } })[],
): Promise<void> {
  if (bindings.length === 0) return;
  const ids = bindings.flatMap(({ item }) => item.actionId ?? []);
  const actions = await findScriptedActions(call.db, tenantId, ids);
  throwFaults(
    bindings.flatMap(({ item, params, pointer }) => {
      const action = actions.get(item.actionId ?? 0);
      return action ? findClosedParameters(action, params, pointer) : [];
    }),
  );
  await checkBindingScripts(
    call,
    tenantId,
    bindings.flatMap((binding) => {
      const action = actions.get(binding.item.actionId ?? 0);
      return action ? [{ ...binding, action, source }] : [];
    }),
  );
}

/** A binding whose scripts are new or changed, with the action that they belong to and what fires it. */
export type CheckedBinding = ChangedBinding & {
  action: ScriptedAction;
  source: ScriptSource;
};

/** A detector or a trigger alert; without an id it is about to be created. */
export type ScriptSource = {
  kind: BindingSource['kind'];
  id: number | undefined;
  type?: string;
  isExternal?: boolean;
};

const maxPastAlerts = 50;
const backtestBudgetMs = 2000;

/**
 * Checks scripts when they are saved: what cannot work is refused, and what did not work on past alerts is a warning,
 * because the next alert may be another.
 */
export async function checkBindingScripts(
  call: Call,
  tenantId: number,
  bindings: readonly CheckedBinding[],
): Promise<void> {
  const sources = await readSources(call, tenantId, bindings);
  const faults: Fault[] = [];
  for (const binding of bindings) {
    const source = sources.find(({ kind, id }) => kind === binding.source.kind && id === binding.source.id);
    const mistakes = findScriptMistakes(call, binding, { ...binding.source, ...source });
    faults.push(...(mistakes.length > 0 ? mistakes : await trySample(call, tenantId, binding)));
  }
  if (faults.length > 0) throw invalidInput(faults);
  const until = performance.now() + backtestBudgetMs;
  for (const binding of bindings) {
    const source = sources.find(({ kind, id }) => kind === binding.source.kind && id === binding.source.id);
    if (source) await backtest(call, tenantId, binding, source, until);
  }
}

function readSources(call: Call, tenantId: number, bindings: readonly CheckedBinding[]) {
  const idsOf = (kind: BindingSource['kind']) =>
    bindings.flatMap(({ source }) => (source.kind === kind && source.id !== undefined ? [source.id] : []));
  return findBindingSources(call.db, tenantId, {
    detectorIds: idsOf('detector'),
    triggerAlertIds: idsOf('trigger'),
  });
}

function scriptsOf({ filter, params, pointer }: ChangedBinding) {
  return [
    ...(filter ? [{ pointer: `${pointer}/scriptFilter`, source: filter, isFilter: true }] : []),
    ...Object.entries(params).map(([name, source]) => ({
      pointer: `${pointer}/scriptParams/${name}`,
      source,
      isFilter: false,
    })),
  ];
}

const text = { type: 'text' } as const;
const number = { type: 'number' } as const;
const chainUid = { type: 'text', words: chainUids } as const;

/** The action as scripts see it in `a`. */
const actionShape = toRecord({
  id: number,
  name: text,
  description: text,
  funcSignature: text,
  gasPrice: text,
  gasLimit: number,
  gasTip: text,
  params: anything,
  contract: toRecord({ id: number, projectId: number, address: text, name: text, chainUid }),
  wallet: toRecord({ id: number, name: text, chainUid, address: text }),
});

function findScriptMistakes(
  call: Call,
  binding: CheckedBinding,
  { kind, type, isExternal = false }: ScriptSource,
): Fault[] {
  const evidence =
    type === undefined
      ? undefined
      : kind === 'detector'
        ? detectorEvidence(type, isExternal)
        : triggerEvidence(type);
  const values = { e: alertShape(evidence), a: actionShape };
  return scriptsOf(binding).flatMap(({ pointer, source }) =>
    findMistakes(source, values).flatMap(({ message, isFault }): Fault[] => {
      if (isFault) return [{ pointer, code: 'script', message: `${message}.` }];
      call.warnings.push(`${pointer}: ${message}.`);
      return [];
    }),
  );
}

/** Runs the scripts on an alert with every member. What they make of `meta` only a real alert can show. */
async function trySample(
  call: Call,
  tenantId: number,
  { action, source, ...binding }: CheckedBinding,
): Promise<Fault[]> {
  const scripts = scriptsOf(binding).filter(({ source }) => !/meta|\[/i.test(source));
  if (scripts.length === 0) return [];
  const values = { e: sampleAlert(source.kind, tenantId, action, call.now), a: toScriptAction(action) };
  const results = await call.services.runScripts(
    tenantId,
    values,
    scripts.map((script) => script.source),
  );
  return zip(scripts, results).flatMap(([{ pointer, isFilter }, result]): Fault[] => {
    if ('fault' in result)
      return [{ pointer, code: 'script', message: `fails on a sample alert: ${result.fault.message}.` }];
    if (!isFilter || !result.value || result.value === true) return [];
    return [{ pointer, code: 'script', message: 'must give true or false.' }];
  });
}

function sampleAlert(
  kind: BindingSource['kind'],
  tenantId: number,
  { contract }: ScriptedAction,
  timestamp: number,
): Record<string, unknown> {
  const { id, name, address, chainUid, projectId } = contract;
  return {
    ...Object.fromEntries(Array.from(alertTable.columns, ([member]) => [member, null])),
    uid: '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071',
    kind,
    group: kind === 'trigger' ? 'trigger' : 'SECURITY',
    timestamp,
    tenantId,
    projectId,
    contractId: id,
    [`${kind}Id`]: 1,
    severity: 'HIGH',
    numericSeverity: severityOf.HIGH,
    status: 'UNRESOLVED',
    finality: 'CONFIRMED',
    eid: 'sample',
    txHash: `0x${'5c'.repeat(32)}`,
    chainUid,
    blockNumber: 21_000_042,
    blockHash: `0x${'4e'.repeat(32)}`,
    name: 'Sample',
    message: 'A sample of an alert.',
    tags: [],
    suppressed: false,
    backfilled: false,
    meta: {},
    contract: { id, name, address, chainUid },
    project: { id: projectId, name: 'Sample' },
  };
}

/** Warns when the binding would have fired for none of the past alerts, or failed on some. */
async function backtest(
  call: Call,
  tenantId: number,
  { action, filter, params, pointer }: CheckedBinding,
  source: BindingSource,
  until: number,
): Promise<void> {
  const keys = await findRecentAlerts(call.db, tenantId, source, maxPastAlerts);
  const alerts = keys.length === 0 ? [] : await findAlertDocuments(call.db, keys);
  const failures: string[] = [];
  let fired = 0;
  let tried = 0;
  for (const alert of alerts) {
    if (performance.now() > until) break;
    const undecided = { action, scripts: { filter, params }, manualParams: {} };
    const decision = await decide(call.services.runScripts, tenantId, alert, undecided);
    if (decision.type === 'fire') fired++;
    if (decision.type === 'fault') failures.push(decision.reason);
    tried++;
  }
  const past = `${tried === 1 ? 'the last alert' : `the last ${tried} alerts`} of ${source.name}`;
  const [first] = failures;
  if (first) call.warnings.push(`${pointer}: on ${failures.length} of ${past} the scripts fail: ${first}`);
  else if (tried > 0 && fired === 0)
    call.warnings.push(
      `${pointer}: the filter is true for none of ${past}, so the action would not have fired.`,
    );
}
