import { findSchemaId, hasDetector } from '../../store/detectors/detectorSchemas.ts';
import { insertRecord } from '../../store/records/records.ts';
import type { contractTable } from '../../store/tables/contractTable.ts';
import { detectorTable } from '../../store/tables/detectorTable.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';
import { type ChangeOf, tenantOf } from '../records/recordKind.ts';

type ContractChange = ChangeOf<typeof contractTable>;

const automatic = {
  attack_detector: { name: 'Attack detector', source: 'ATTACK_DETECTOR' },
  aml: { name: 'AML', source: 'PLATFORM' },
} as const;

/** The attack detector watches every new contract, the AML detector every one that requires it. */
export async function enableDetectors(call: Call, change: ContractChange, contractId: number): Promise<void> {
  if (!change.current) await enableDetector(call, tenantOf(change), contractId, 'attack_detector');
  if (change.input.amlRequired) await enableDetector(call, tenantOf(change), contractId, 'aml');
}

async function enableDetector(
  call: Call,
  tenantId: number,
  contractId: number,
  schemaName: keyof typeof automatic,
): Promise<void> {
  const schemaId = await findSchemaId(call.db, schemaName);
  if (schemaId === undefined || (await hasDetector(call.db, tenantId, contractId, schemaId))) return;
  const detector = { ...automatic[schemaName], contractId, schemaId, tags: [], config: {} };
  const id = await insertRecord(call.db, detectorTable, {
    tenantId,
    createdAt: call.now,
    updatedAt: call.now,
    ...detector,
  });
  await audit(call, 'detector', 'create', { id, tenantId }, undefined, detector);
}
