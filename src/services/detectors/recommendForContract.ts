import { type ChainUid, getChain } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { detectors } from '../../detectors/detectors.ts';
import { fitToPast } from '../../detectors/fitToPast.ts';
import { type Recommendation, recommendDetectors } from '../../detectors/recommendDetectors.ts';
import { messageOf } from '../../lib/messageOf.ts';
import type { ContractKind } from '../../model/contractKinds.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { findDetectorIds, findSchemaId, isDetectedElsewhere } from '../../store/detectors/detectorSchemas.ts';
import { findRecord } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { BacktestRow } from '../../store/watch/backtests.ts';
import type { Call } from '../call.ts';
import { cannotInspect, inspectNow } from '../contracts/inspectAddress.ts';
import { createRecord } from '../records/createRecord.ts';
import type { RecordKind } from '../records/recordKind.ts';
import { findPast, tryOnPast } from './tryOnPast.ts';

export type Recommended = Recommendation & {
  /** The detector of this kind that the contract has already, or now. */
  detectorId: number | null;
  isNew: boolean;
  /** Its results on the last day, as far as it was tried. */
  past: (Pick<BacktestRow, 'uid' | 'state' | 'fromBlock' | 'toBlock'> & { alerts: number | null }) | null;
};

/** One contract of each chain is enough to tell. */
const chainHalt: Recommendation = {
  schemaName: 'chain_halt',
  title: 'Chain halt',
  config: {},
  reason: 'Nothing else tells you when the chain stands still, or no node of it answers.',
};

const names = ['id', 'tenantId', 'chainUid', 'address'] as const;

/**
 * Detectors that fit a contract. Those named in `enable` are created unless the contract has one of the kind, all or none:
 * a second request changes nothing.
 */
export async function recommendForContract(
  call: Call,
  detectorKind: RecordKind,
  id: number,
  { enable, backtest }: { enable: readonly string[]; backtest: boolean },
): Promise<{ kinds: readonly ContractKind[]; data: Recommended[] }> {
  const contract = await findRecord(call.db, contractTable, call.scope, id, names);
  if (!contract) throw new Problem('not-found', 'There is no such contract.');
  const chain = getChain(contract.chainUid);
  const { readAddress, nodes } = families[chain.family];
  const read = readAddress(contract.address, chain);
  if (!nodes?.inspect || 'fault' in read) throw new Problem('conflict', cannotInspect(chain.uid));
  const { inspection, header } = await inspectOrThrow(call, chain.uid, read.canonical);
  const tenantId = Number(contract.tenantId);
  const location = { tenantId, chainUid: chain.uid, id };
  const isHaltSeen = await isDetectedElsewhere(call.db, location, chainHalt.schemaName);
  const general = [...recommendDetectors(inspection), ...(isHaltSeen ? [] : [chainHalt])].filter(
    ({ schemaName }) => detectors.get(schemaName)?.families.includes(chain.family),
  );
  const pastRuns = await findPast(call, { tenantId, contractId: id });
  const target = { tenantId, contractId: id, newestBlock: header.number, blockTimeMs: chain.blockTimeMs };
  const past = backtest ? await tryOnPast(call, target, general, pastRuns) : pastRuns;
  const fitting = general.map((one) => {
    const run = past.get(one.schemaName);
    return run?.result ? fitToPast(one, { ...run, result: run.result }) : one;
  });
  checkNames(enable, fitting);
  // Two requests at once create one detector of a kind.
  if (enable.length > 0) await lockContract(call, id);
  const existing = await findDetectorIds(call.db, tenantId, id);
  const data: Recommended[] = [];
  for (const one of fitting) {
    const before = existing.get(one.schemaName);
    const isNew = before === undefined && enable.includes(one.schemaName);
    const detectorId = isNew ? await create(call, detectorKind, id, one) : (before ?? null);
    data.push({ ...one, detectorId, isNew, past: toPast(past.get(one.schemaName)) });
  }
  return { kinds: inspection.kinds, data };
}

function toPast(run: BacktestRow | undefined): Recommended['past'] {
  if (!run) return null;
  const { uid, state, fromBlock, toBlock, result } = run;
  return { uid, state, fromBlock, toBlock, alerts: result?.alerts ?? null };
}

async function lockContract(call: Call, id: number): Promise<void> {
  const options = { use: 'write', lock: 'change' } as const;
  const contract = await findRecord(call.db, contractTable, call.scope, id, names, options);
  if (!contract) throw new Problem('not-found', 'There is no such contract.');
}

async function inspectOrThrow(call: Call, chainUid: ChainUid, address: string) {
  try {
    return await inspectNow(call, chainUid, address);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    const problem = `The chain does not respond at the moment, so the contract cannot be inspected: ${messageOf(cause)}.`;
    throw new Problem('unavailable', problem, { retryAfterSeconds: 5 }, { cause });
  }
}

function checkNames(enable: readonly string[], fitting: readonly Recommendation[]): void {
  const fittingNames = fitting.map(({ schemaName }) => schemaName);
  const index = enable.findIndex((name) => !fittingNames.includes(name));
  if (index < 0) return;
  throw unprocessable(
    `/enable/${index}`,
    'not-recommended',
    `${enable[index]} is not recommended for this contract; these are: ${fittingNames.join(', ')}.`,
  );
}

async function create(
  call: Call,
  kind: RecordKind,
  contractId: number,
  one: Recommendation,
): Promise<number> {
  const schemaId = await findSchemaId(call.db, one.schemaName);
  if (schemaId === undefined)
    throw new Problem(
      'conflict',
      `The detector schema ${one.schemaName} is not active; an administrator can activate it.`,
    );
  const { id } = await createRecord(call, kind, {
    contractId,
    schemaId,
    name: one.title,
    source: 'PLATFORM',
    status: 'ACTIVE',
    tags: [],
    config: one.config,
    destinations: [],
    actions: [],
  });
  return Number(id);
}
