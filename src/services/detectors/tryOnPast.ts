import { fittedKinds } from '../../detectors/fitToPast.ts';
import type { Recommendation } from '../../detectors/recommendDetectors.ts';
import { findSchemaId } from '../../store/detectors/detectorSchemas.ts';
import { type BacktestRow, countOpenBacktests, findProposedBacktests } from '../../store/watch/backtests.ts';
import type { Call } from '../call.ts';
import { backtestProposed, maxOpenBacktests } from './backtest.ts';

type Place = {
  tenantId: number;
  contractId: number;
  newestBlock: number;
  blockTimeMs: number;
};

const dayMs = 86_400_000;
/** A day of a chain with twelve seconds a block. */
const maxBlocks = 7_200;

/** The newest runs of proposed detectors of the contract within a day, by kind. */
export function findPast(call: Call, { tenantId, contractId }: Pick<Place, 'tenantId' | 'contractId'>) {
  return findProposedBacktests(call.db, tenantId, contractId, call.now - dayMs);
}

/** Queues a run over the last day for each proposal that has none, as far as the tenant may have more waiting. */
export async function tryOnPast(
  call: Call,
  { tenantId, contractId, newestBlock, blockTimeMs }: Place,
  proposals: readonly Recommendation[],
  past: ReadonlyMap<string, BacktestRow>,
): Promise<Map<string, BacktestRow>> {
  const started = new Map(past);
  let free = maxOpenBacktests - (await countOpenBacktests(call.db, tenantId));
  const blocks = Math.min(maxBlocks, Math.ceil(dayMs / blockTimeMs));
  const range = { fromBlock: Math.max(0, newestBlock - blocks + 1), toBlock: newestBlock };
  for (const { schemaName, config, title } of proposals) {
    const schemaId = fittedKinds.includes(schemaName) ? await findSchemaId(call.db, schemaName) : undefined;
    if (schemaId === undefined || started.has(schemaName) || free <= 0) continue;
    free--;
    const proposed = { contractId, schemaId, name: title, config };
    started.set(schemaName, await backtestProposed(call, proposed, range));
  }
  return started;
}
