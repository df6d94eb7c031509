import { checkAllowedCalls } from '../../actions/checkAllowedCalls.ts';
import { type Decision, decide } from '../../actions/decide.ts';
import { findTakenInputs } from '../../actions/takenInputs.ts';
import { termsOf } from '../../actions/termsOf.ts';
import { aliasesOf, getChain } from '../../chains/chains.ts';
import { netChanges } from '../../evidence/evm/netChanges.ts';
import { findBindingSources, findRecentAlerts } from '../../store/actions/bindingSources.ts';
import { type ActionSetup, findActionSetup } from '../../store/actions/intentLog.ts';
import { type AlertDocument, findAlertDocuments } from '../../store/destinations/findAlertDocuments.ts';
import { actionTable } from '../../store/tables/actionTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';
import { requireTransactor } from './runAction.ts';
import { type ActionSimulation, createPricer, emptySimulation, prepareOrThrow } from './simulateAction.ts';

/** Effect of the call for one alert, or by hand where `alert` is null. */
type Rehearsed = ActionSimulation & {
  alert:
    | (Pick<AlertDocument, 'uid' | 'timestamp'> & { name: unknown; message: unknown; severity: unknown })
    | null;
  binding: string;
  changes: { address: string; asset: string; tokenId: string | null; amount: string }[] | null;
  storage: { address: string; slot: string; before: string; after: string }[] | null;
};

type RehearsalReport = {
  /** The newest block at the time, after which the calls are tried. */
  block: { number: number; hash: string; timestamp: number } | null;
  /** Alerts that were looked at, and how many of them the filter of their binding lets not pass. */
  alerts: number;
  skipped: number;
  /** Newest alert first. */
  data: Rehearsed[];
};

/** Alerts of each binding that are looked through for those that fire. */
const searchedAlerts = 50;
/** No more scripts start after this time. */
const searchMs = 3000;
/** Changes that a reply lists of each call. */
const listedChanges = 200;

type Fired = { alert: AlertDocument | null; binding: string; decision: Exclude<Decision, { type: 'skip' }> };

/**
 * Rehearses the action for the last alerts that fire it, on a copy of the newest state. Without such an alert, uses its
 * own parameters, if they are complete. Nothing is signed, sent or stored.
 */
export async function rehearseAction(call: Call, id: number, size: number): Promise<RehearsalReport> {
  const owner = await findReadable(call, actionTable, id);
  const setup = await findActionSetup(call.db, owner);
  const { action } = setup;
  const transactor = requireTransactor(call, action);
  const { fired, ...counts } = await findFired(call, setup, size);
  const from = action.wallet.address;
  const calls = fired.flatMap((one) => {
    const { decision } = one;
    return decision.type === 'fire' && !checkAllowedCalls(action, decision.to) ? [{ one, decision }] : [];
  });
  const aliases = aliasesOf(getChain(action.contract.chainUid));
  const inputs = calls.length > 0 ? await findTakenInputs({ transactor, aliases, store: call.db }, from) : [];
  const requests = calls.map(({ decision: { to, data } }) => ({ to, data, terms: termsOf(action) }));
  const prepared =
    calls.length > 0 ? await prepareOrThrow(() => transactor.prepare(from, requests, inputs)) : undefined;
  const priceOf = prepared && createPricer(call, setup, prepared);
  const changes = createChangeReader(call, setup);
  const data: Rehearsed[] = [];
  for (const one of fired) {
    const { decision, binding } = one;
    const alert = one.alert && shownAlert(one.alert);
    const basics = {
      ...emptySimulation,
      alert,
      binding,
      from,
      to: action.contract.address,
      changes: null,
      storage: null,
    };
    if (decision.type === 'fault') {
      data.push({ ...basics, fires: false, reason: decision.reason });
      continue;
    }
    const { to, data: callData, parameters } = decision;
    const made = { ...basics, to, data: callData, parameters, fires: true };
    const index = calls.findIndex((planned) => planned.one === one);
    if (!prepared || !priceOf || index < 0) {
      data.push({ ...made, reason: checkAllowedCalls(action, to)?.reason ?? null });
      continue;
    }
    const priced = { ...made, ...(await priceOf(prepared.offers[index])) };
    data.push({ ...priced, ...(await changes.read(priced)) });
  }
  return { block: changes.block(), ...counts, data };
}

type Found = { fired: Fired[]; alerts: number; skipped: number };

/** The newest alerts of the action's bindings that their scripts let pass, or on which these fail. */
async function findFired(call: Call, setup: ActionSetup, size: number): Promise<Found> {
  const { action, bindings } = setup;
  const { tenantId } = action;
  const idsOf = (kind: 'detector' | 'trigger') =>
    bindings.flatMap((binding) => (binding.kind === kind ? [binding.source] : []));
  const sources = await findBindingSources(call.db, tenantId, {
    detectorIds: idsOf('detector'),
    triggerAlertIds: idsOf('trigger'),
  });
  const found = await Promise.all(
    sources.map(async (source) => {
      const binding = bindings.find(({ kind, source: id }) => kind === source.kind && id === source.id);
      const keys = await findRecentAlerts(call.db, tenantId, source, searchedAlerts);
      return binding ? keys.map((key) => ({ key, binding })) : [];
    }),
  );
  const newest = found.flat().toSorted((left, right) => right.key.timestamp - left.key.timestamp);
  const documents =
    newest.length === 0
      ? []
      : await findAlertDocuments(
          call.db,
          newest.map(({ key }) => key),
        );
  const byUid = new Map(documents.map((document) => [document.uid, document]));
  const fired: Fired[] = [];
  let alerts = 0;
  let skipped = 0;
  const until = performance.now() + searchMs;
  for (const { key, binding } of newest) {
    const alert = byUid.get(key.uid);
    if (!alert) continue;
    if (fired.length >= size || performance.now() > until) break;
    const undecided = { action, scripts: binding, manualParams: {} };
    const decision = await decide(call.services.runScripts, tenantId, alert, undecided);
    alerts++;
    if (decision.type === 'skip') skipped++;
    else fired.push({ alert, binding: binding.name, decision });
  }
  if (fired.length > 0) return { fired, alerts, skipped };
  const scripts = { filter: null, params: {} };
  const byHand = await decide(call.services.runScripts, tenantId, null, {
    action,
    scripts,
    manualParams: {},
  });
  const isComplete = byHand.type === 'fire';
  return { fired: isComplete ? [{ alert: null, binding: 'manual', decision: byHand }] : [], alerts, skipped };
}

/** Asks a node what calls change, each call once: most alerts fire the same one. */
function createChangeReader(call: Call, { action }: ActionSetup) {
  const client = call.services.chains.client(getChain(action.contract.chainUid).uid);
  const cache = new Map<string, Pick<Rehearsed, 'changes' | 'storage'>>();
  let block: RehearsalReport['block'] = null;
  return {
    block: () => block,
    async read({
      from,
      to,
      data,
      gasLimit,
    }: ActionSimulation): Promise<Pick<Rehearsed, 'changes' | 'storage'>> {
      const key = `${to} ${data}`;
      const before = cache.get(key);
      if (before) return before;
      const units = gasLimit === null ? undefined : BigInt(gasLimit);
      const seen =
        data === null
          ? undefined
          : // Details that a node does not show are no reason to withhold the result.
            await client
              ?.rehearse?.({ from: from.toLowerCase(), to: to.toLowerCase(), data, units })
              .catch(() => undefined);
      if (seen) block = seen.block;
      const changes = seen?.effects && (await netChanges(seen.effects, seen.effects.frames));
      const shown = {
        changes:
          changes?.slice(0, listedChanges).map(({ party, asset, tokenId, amount }) => ({
            address: party,
            asset,
            tokenId: tokenId === null ? null : String(tokenId),
            amount: String(amount),
          })) ?? null,
        storage: seen?.storage?.slice(0, listedChanges) ?? null,
      };
      cache.set(key, shown);
      return shown;
    },
  };
}

function shownAlert({ uid, timestamp, name, message, severity }: AlertDocument): Rehearsed['alert'] {
  return { uid, timestamp, name, message, severity };
}
