import { itemAt } from '../../lib/itemAt.ts';
import { findDetected, findSchemaId } from '../../store/detectors/detectorSchemas.ts';
import { insertRecords } from '../../store/records/records.ts';
import type { contractTable } from '../../store/tables/contractTable.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import type { Call } from '../call.ts';
import { auditCreated } from '../records/audit.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';

type ContractChange = ChangeOf<typeof contractTable>;

const automatic = {
  attack_detector: { name: 'Attack detector', source: 'ATTACK_DETECTOR' },
  aml: { name: 'AML', source: 'PLATFORM' },
} as const;

type Written = { change: ContractChange; id: number };

/** The attack detector watches every new contract, the AML detector every one that requires it. */
export async function enableDetectors(call: Call, written: readonly Written[]): Promise<void> {
  await enable(
    call,
    'attack_detector',
    written.filter(({ change }) => !change.current),
  );
  await enable(
    call,
    'aml',
    written.filter(({ change }) => change.input.amlRequired),
  );
}

async function enable(
  call: Call,
  schemaName: keyof typeof automatic,
  written: readonly Written[],
): Promise<void> {
  if (written.length === 0) return;
  const schemaId = await findSchemaId(call.db, schemaName);
  if (schemaId === undefined) return;
  const contracts = written.map(({ change, id }) => ({ tenantId: tenantOf(change), id }));
  const detected = await findDetected(call.db, contracts, schemaId);
  const detectors = contracts
    .filter(({ id }) => !detected.has(id))
    .map(({ tenantId, id: contractId }) => ({
      tenantId,
      after: { ...automatic[schemaName], contractId, schemaId, tags: [], config: {} },
    }));
  if (detectors.length === 0) return;
  const { ids } = await insertRecords(
    call.db,
    detectorTable,
    detectors.map(({ tenantId, after }) => ({
      tenantId,
      createdAt: call.now,
      updatedAt: call.now,
      ...after,
    })),
  );
  const created = detectors.map((detector, index) => ({ ...detector, id: itemAt(ids, index) }));
  await auditCreated(call, 'detector', created);
}
