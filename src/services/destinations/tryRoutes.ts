import { isRecord } from '../../lib/isRecord.ts';
import type { Severity } from '../../model/alert.ts';
import { severities } from '../../model/enumerations.ts';
import { invalid, Problem } from '../../model/errors.ts';
import { createAlertFilters } from '../../notify/createAlertFilters.ts';
import { type DecidedAlert, decideByRules } from '../../notify/decideByRules.ts';
import type { Withheld } from '../../notify/decideNotification.ts';
import type { RouteStep, TakenRoute } from '../../notify/routes/takeRoutes.ts';
import type { CompiledRoute } from '../../notify/rules/compileRoutes.ts';
import { compileRules } from '../../notify/rules/createRules.ts';
import { findAlert } from '../../store/alerts/alertRecords.ts';
import {
  findDecisionRules,
  findReachable,
  type NamedDestination,
} from '../../store/destinations/decisionRules.ts';
import { findInhibiting, findInhibitionNames } from '../../store/destinations/inhibitions.ts';
import { findSilencesById } from '../../store/destinations/silences.ts';
import type { Row } from '../../store/records/records.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { ownTenantsScope } from '../../store/search/documents/documentScopes.ts';
import { searchDocuments } from '../../store/search/searchDocuments.ts';
import type { Call } from '../call.ts';
import { ownerOf } from '../records/findOwners.ts';
import { tenantOf } from '../records/recordKind.ts';
import { checkQuery } from './prepareSilence.ts';
import { withheldReasons } from './withheldReasons.ts';

export type RouteTrial = {
  tenantId?: number;
  alertUid?: string;
  alert?: Row;
  query?: string;
  at?: number;
};

const shown = 20;
const pastMs = 7 * 86_400_000;

/**
 * Predicts the notifications of alerts that are raised now or at another time, with reasons; changes nothing. Routes that are not on yet are
 * tried as if they were.
 */
export async function tryRoutes(call: Call, trial: RouteTrial, names: readonly string[]) {
  const { alertUid, alert, query, at = call.now } = trial;
  const given = [alertUid, alert, query].filter((value) => value !== undefined);
  if (given.length > 1)
    throw invalid('', 'one-of', 'Give one of `alertUid`, `alert` and `query`: what is to be tried.');
  const { tenantId, documents } = await readTried(call, trial, names);
  const { db } = call;
  const { rules } = await compileRules(db, tenantId, at, { withDraft: true });
  const destinations = await findReachable(db, tenantId);
  const isOn = (await findDecisionRules(db, [tenantId])).get(tenantId)?.destinations !== undefined;
  const keys = documents.map((document) => ({ tenantId, contractId: Number(document.contractId) }));
  const inhibiting = await findInhibiting(db, rules.targets.size > 0 ? keys : []);
  const filters = createAlertFilters(at);
  const data = [];
  for (const document of documents) {
    const steps: { routeId: number; name: string; step: RouteStep }[] = [];
    const known = { rules, destinations: rules.routes && destinations, inhibiting, now: at };
    const { code, silenceIds, inhibitionIds, taken } = await decideByRules(
      toDecided(document),
      document,
      [],
      known,
      filters,
      ({ id, name }, step) => steps.push({ routeId: id, name, step }),
    );
    const reason = rules.routes || code !== 'no-destination' ? code : null;
    data.push({
      alert: summaryOf(document),
      code: reason,
      reason: reason && withheldReasons[reason],
      silences: (await findSilencesById(db, tenantId, silenceIds)).map(({ id, reason }) => ({ id, reason })),
      inhibitions: await findInhibitionNames(db, tenantId, inhibitionIds),
      steps,
      routes: taken.map((item) => describeTaken(item, destinations)),
    });
  }
  return { isOn, hasRoutes: rules.routes !== undefined, at, data };
}

async function readTried(
  call: Call,
  { alertUid, alert, query = '*', ...draft }: RouteTrial,
  names: readonly string[],
): Promise<{ tenantId: number; documents: Row[] }> {
  if (alertUid !== undefined) {
    const found = await findAlert(call.db, ownTenantsScope(call.scope), alertUid, names);
    if (!found) throw new Problem('not-found', 'There is no such alert.');
    return { tenantId: Number(found.tenantId), documents: [found] };
  }
  const tenantId = tenantOf({ tenantId: await ownerOf(call, { owner: 'tenant' }, draft) });
  if (alert !== undefined) return { tenantId, documents: [toDocument(alert, tenantId, call.now)] };
  checkQuery(query, call.now);
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const { data } = await searchDocuments(
    call.services.reports,
    alertTable,
    ownTenantsScope(scope),
    { query, timeseries: [{ from: call.now - pastMs, to: call.now }], size: shown },
    names,
    call.now,
  );
  return { tenantId, documents: data };
}

/** An alert as people describe one: what they leave out is as in most alerts. */
function toDocument(alert: Row, tenantId: number, now: number): Row {
  const { severity = 'MEDIUM', tags = [], contractId = 0 } = alert;
  if (!severities.some((name) => name === severity))
    throw invalid('/alert/severity', 'enum', `must be one of ${severities.join(', ')}.`);
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string'))
    throw invalid('/alert/tags', 'type', 'must be a list of words.');
  if (typeof contractId !== 'number' || !Number.isSafeInteger(contractId))
    throw invalid('/alert/contractId', 'type', 'must be the id of a contract.');
  const meta = isRecord(alert.meta) ? alert.meta : {};
  return { kind: 'detector', timestamp: now, ...alert, tenantId, severity, tags, contractId, meta };
}

/** Its severity and tags are checked, or come from the store. */
function toDecided({ severity, tags, contractId, suppressed, backfilled }: Row): DecidedAlert {
  return {
    severity: severity as Severity,
    tags: tags as string[],
    contractId: Number(contractId),
    suppressed: suppressed === true,
    backfilled: backfilled === true,
  };
}

function summaryOf({ uid, name, severity, contractId, timestamp }: Row) {
  return {
    uid: typeof uid === 'string' ? uid : null,
    name: typeof name === 'string' ? name : null,
    severity: severity as Severity,
    contractId: Number(contractId),
    timestamp: Number(timestamp),
  };
}

function describeTaken(
  { route, held, reachable }: TakenRoute<CompiledRoute>,
  destinations: ReadonlyMap<number, NamedDestination>,
) {
  const { id, name, groupBy, waitSeconds, intervalSeconds, repeatSeconds } = route;
  return {
    id,
    name,
    path: pathOf(route),
    held,
    reason: held && withheldReasons[held satisfies Withheld],
    destinations: reachable.flatMap((destinationId) => destinations.get(destinationId) ?? []),
    groupBy,
    waitSeconds,
    intervalSeconds,
    repeatSeconds,
  };
}

/** The names from the root down. */
function pathOf(route: CompiledRoute): string[] {
  return route.parent ? [...pathOf(route.parent), route.name] : [route.name];
}
