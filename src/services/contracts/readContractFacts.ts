import { getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { showValue } from '../../lib/showValue.ts';
import type { ContractKind, Inspection } from '../../model/contractKinds.ts';
import { Problem } from '../../model/errors.ts';
import { type DetectorPrecision, findDetectorsOf, qualityDays } from '../../store/alerts/judgements.ts';
import { findRecord } from '../../store/records/records.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { contractScope } from '../../store/search/documents/documentScopes.ts';
import { searchDocuments } from '../../store/search/searchDocuments.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';
import { cannotInspect, inspectNow } from './inspectAddress.ts';

/** Something about a contract that its owner can change; `since` is the alert that reported it as it is now. */
type ContractFact = {
  name: 'implementation' | 'owner' | 'paused' | 'owners' | 'threshold' | 'minDelay' | 'role';
  value: string;
  since: number | null;
  alertUid: string | null;
  /** The active detector that reports changes; null where none does. */
  detectorId: number | null;
  watchedSince: number | null;
};

type ContractStanding = {
  block: number | null;
  /** Reason why the chain says nothing. */
  fault: string | null;
  kinds: readonly ContractKind[];
  data: ContractFact[];
  detectors: (DetectorPrecision & { precision: number | null })[];
};

type ChangeAlert = {
  uid: string;
  timestamp: number;
  schema: string;
  meta: Readonly<Record<string, unknown>>;
};

/** The detector that reports changes of a fact. */
const reporters: Readonly<Record<ContractFact['name'], readonly string[]>> = {
  implementation: ['proxy_upgrade'],
  owner: ['ownership_change'],
  paused: ['pause_state'],
  owners: ['safe_multisig', 'access_control_change'],
  threshold: ['safe_multisig', 'access_control_change'],
  minDelay: ['governance'],
  role: ['access_control_change'],
};
const maxAlerts = 200;
const maxRoles = 20;

/** Reads from the chain who controls a contract and how it stands, and finds since when in its alerts. */
export async function readContractFacts(call: Call, id: number): Promise<ContractStanding> {
  const contract = await findReadable(call, contractTable, id);
  const [inspected, alerts, detectors] = await Promise.all([
    inspect(call, id),
    findChanges(call, contract),
    // Judgements are private to the tenant that made them.
    contract.isForeign ? [] : findDetectorsOf(call.db, contract, call.now - qualityDays * 86_400_000),
  ]);
  const { inspection } = inspected;
  const reporterOf = (name: ContractFact['name']) => {
    const found = detectors.find(
      ({ schema, status }) => status === 'ACTIVE' && reporters[name].includes(schema),
    );
    return { detectorId: found?.id ?? null, watchedSince: found?.createdAt ?? null };
  };
  const data = [
    ...(inspection ? statesOf(inspection) : []).map(({ name, value, isSetBy }) => ({
      name,
      value,
      ...sinceOf(alerts, isSetBy),
      ...reporterOf(name),
    })),
    ...rolesOf(alerts).map((role) => ({ name: 'role' as const, ...role, ...reporterOf('role') })),
  ];
  return {
    block: inspected.block,
    fault: inspected.fault,
    kinds: inspection?.kinds ?? [],
    data,
    detectors: detectors.map((detector) => ({
      ...detector,
      precision: detector.judged === 0 ? null : detector.right / detector.judged,
    })),
  };
}

async function inspect(
  call: Call,
  id: number,
): Promise<{ inspection?: Inspection; block: number | null; fault: string | null }> {
  const record = await findRecord(call.db, contractTable, call.scope, id, ['chainUid', 'address']);
  const chain = getChain(String(record?.chainUid));
  const { readAddress, nodes } = families[chain.family];
  const read = readAddress(String(record?.address), chain);
  if (!nodes?.inspect || 'fault' in read) return { block: null, fault: cannotInspect(chain.uid) };
  try {
    const { inspection, header } = await inspectNow(call, chain.uid, read.canonical);
    return { inspection, block: header.number, fault: null };
  } catch (error) {
    if (error instanceof Problem) return { block: null, fault: error.message };
    return { block: null, fault: `The chain does not respond: ${messageOf(error)}` };
  }
}

/** Newest first; retracted alerts do not count. */
async function findChanges(call: Call, contract: { id: number; tenantId: number; isForeign: boolean }) {
  const names = [...new Set(Object.values(reporters).flat())];
  const { data } = await searchDocuments(
    call.db,
    alertTable,
    contractScope(contract, 'detector'),
    { query: `detectorSchemaName:(${names.join(' OR ')})`, size: maxAlerts, trackTotalCount: 0 },
    ['uid', 'timestamp', 'detectorSchemaName', 'meta'],
    call.now,
  );
  return data.map(
    ({ uid, timestamp, detectorSchemaName, meta }): ChangeAlert => ({
      uid: String(uid),
      timestamp: Number(timestamp),
      schema: String(detectorSchemaName),
      meta: meta as ChangeAlert['meta'],
    }),
  );
}

type State = {
  name: ContractFact['name'];
  value: string;
  /** True or false if the alert set the fact to this or to another value; undefined if it is about something else. */
  isSetBy(alert: ChangeAlert): boolean | undefined;
};

function statesOf({ implementation, facts }: Inspection): State[] {
  const { owner, paused, owners, threshold, minDelay } = facts;
  const states: (State | undefined)[] = [
    setBy('implementation', implementation, 'proxy_upgrade', ({ implementation: after }) => after),
    setBy('owner', owner, 'ownership_change', ({ newOwner, isPending }) =>
      isPending ? undefined : newOwner,
    ),
    setBy('paused', paused, 'pause_state', ({ isPaused, asset }) => (asset ? undefined : isPaused)),
    setBy('threshold', threshold, 'safe_multisig', ({ threshold: after }) => after),
    owners && { name: 'owners', value: owners.join(', '), isSetBy: () => undefined },
    minDelay !== undefined
      ? { name: 'minDelay', value: String(minDelay), isSetBy: () => undefined }
      : undefined,
  ];
  return states.filter((state) => state !== undefined);
}

function setBy(
  name: ContractFact['name'],
  value: string | number | boolean | null | undefined,
  schema: string,
  after: (meta: ChangeAlert['meta']) => unknown,
): State | undefined {
  if (value === null || value === undefined) return undefined;
  const text = String(value);
  return {
    name,
    value: text,
    isSetBy: (alert) => {
      const set = alert.schema === schema ? after(alert.meta) : undefined;
      return set === undefined || set === null
        ? undefined
        : showValue(set).toLowerCase() === text.toLowerCase();
    },
  };
}

/** The newest change counts. If it led elsewhere, the fact has changed since without an alert. */
function sinceOf(alerts: readonly ChangeAlert[], isSetBy: State['isSetBy']) {
  const last = alerts.find((alert) => isSetBy(alert) !== undefined);
  if (!last) return { since: null, alertUid: null };
  return { since: isSetBy(last) ? last.timestamp : null, alertUid: last.uid };
}

/** Roles that were granted and not taken back since they are watched: contracts cannot list them. */
function rolesOf(alerts: readonly ChangeAlert[]) {
  const seen = new Map<string, { value: string; since: number; alertUid: string } | undefined>();
  for (const { uid, timestamp, schema, meta } of alerts) {
    const { event, account, role, roleName } = meta;
    if (schema !== 'access_control_change' || typeof account !== 'string' || role === undefined) continue;
    const key = `${showValue(role)} ${account}`.toLowerCase();
    if (seen.has(key)) continue;
    const isGranted = event === 'RoleGranted';
    const value = `${showValue(roleName ?? role)}: ${account}`;
    seen.set(key, isGranted ? { value, since: timestamp, alertUid: uid } : undefined);
  }
  return [...seen.values()].filter((role) => role !== undefined).slice(0, maxRoles);
}
