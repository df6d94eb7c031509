import { getChain } from '../../chains/chains.ts';
import { toChainFacts } from '../../chains/toChainFacts.ts';
import { configSchema } from '../../detectors/configSchema.ts';
import { detectors } from '../../detectors/detectors.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { isUuid } from '../../lib/uid.ts';
import { compileDetector } from '../../matching/compileDetector.ts';
import { alertRateKind } from '../../model/alert.ts';
import { Problem, unprocessable } from '../../model/errors.ts';
import { findSchemaName } from '../../store/detectors/detectorSchemas.ts';
import { findRecord, type Row } from '../../store/records/records.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import {
  type BacktestRow,
  cancelBacktest,
  countOpenBacktests,
  findBacktest,
  findContractToRun,
  findDetectorToRun,
  insertBacktest,
  type NewBacktest,
} from '../../store/watch/backtests.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';
import { findReadable } from '../records/findReadable.ts';
import { sealConfig } from './sealConfig.ts';

const maxBlocks = 100_000;
export const maxOpenBacktests = 5;

type Range = { fromBlock: number; toBlock: number };

/** Queues a run of a stored detector. */
export async function backtestDetector(call: Call, detectorId: number, range: Range): Promise<BacktestRow> {
  const { tenantId } = await findReadable(call, detectorTable, detectorId);
  const { contract, id: _id, ...detector } = await findDetectorToRun(call.db, tenantId, detectorId);
  return queue(call, {
    ...detector,
    ...range,
    tenantId,
    detectorId,
    contractId: contract.id,
    chainUid: contract.chainUid,
  });
}

const ownerNames = ['tenantId'] as const;

type Proposed = { contractId: number; schemaId: number; name?: string; config?: object };

/** Queues a run of a detector that does not exist yet. */
export async function backtestProposed(call: Call, proposed: Proposed, range: Range): Promise<BacktestRow> {
  const { contractId, schemaId, config = {} } = proposed;
  // Viewers of a shared project cannot start work for its owner.
  const owner = await findRecord(call.db, contractTable, call.scope, contractId, ownerNames, {
    use: 'write',
  });
  if (!owner) throw unprocessable('/contractId', 'unknown-reference', 'There is no contract with this id.');
  const tenantId = Number(owner.tenantId);
  const schemaName = await findSchemaName(call.db, schemaId);
  if (schemaName === undefined)
    throw unprocessable('/schemaId', 'unknown-reference', 'There is no detector schema with this id.');
  const contract = await findContractToRun(call.db, tenantId, contractId);
  const sealed = await sealProposed(call, tenantId, schemaName, { ...config });
  const row = { id: 0, name: proposed.name ?? schemaName, schemaName, tags: [], config: sealed };
  const compiled = compileDetector(row, contract, toChainFacts(getChain(contract.chainUid)));
  if ('fault' in compiled) throw unprocessable('/config', 'not-valid', compiled.fault);
  return queue(call, {
    ...row,
    ...range,
    tenantId,
    detectorId: null,
    contractId,
    chainUid: contract.chainUid,
  });
}

/** Credentials wait in the queue sealed. */
async function sealProposed(call: Call, tenantId: number, schemaName: string, config: Row): Promise<Row> {
  const definition = detectors.get(schemaName);
  if (!definition) return config;
  const sealing = { tenantId, detectorId: undefined, before: {} };
  const sealed = await sealConfig(call, configSchema(definition), config, sealing);
  return { ...sealed.config, ...sealed.sealedConfig };
}

async function queue(call: Call, backtest: NewBacktest): Promise<BacktestRow> {
  const { fromBlock, toBlock, chainUid, tenantId, schemaName } = backtest;
  if (
    schemaName === alertRateKind ||
    (schemaName === 'absence' && membersOf(backtest.config).what === 'ALERT')
  )
    throw unprocessable(
      '/schemaId',
      'no-blocks',
      `${schemaName} looks at alerts and at no block; a search shows what its query finds.`,
    );
  if (toBlock < fromBlock)
    throw unprocessable('/toBlock', 'range', 'The last block must not come before the first.');
  if (toBlock - fromBlock >= maxBlocks)
    throw unprocessable(
      '/toBlock',
      'range',
      `A backtest covers at most ${maxBlocks} blocks; this one has ${toBlock - fromBlock + 1}.`,
    );
  if (!call.services.chains.isConfigured(chainUid))
    throw new Problem('conflict', `Past blocks cannot be read. ${noEndpoint(chainUid)}`);
  if ((await countOpenBacktests(call.db, tenantId)) >= maxOpenBacktests)
    throw new Problem(
      'conflict',
      `At most ${maxOpenBacktests} backtests of a tenant may wait or run; cancel one, or wait.`,
    );
  return insertBacktest(call.db, backtest, call.now);
}

export async function readBacktest(call: Call, uid: string): Promise<BacktestRow> {
  const backtest = isUuid(uid) ? await findBacktest(call.db, call.scope, uid) : undefined;
  if (!backtest) throw new Problem('not-found', 'There is no such backtest.');
  return backtest;
}

export async function stopBacktest(call: Call, uid: string): Promise<BacktestRow> {
  await readBacktest(call, uid);
  await cancelBacktest(call.db, call.scope, uid, call.now);
  return readBacktest(call, uid);
}
