import type { TestClient } from './createClient.ts';

type Source = { tenantId: number; projectId: number; contractId: number; detectorId: number };

/** A project of the tenant with a detector that alerts are pushed into. */
export async function addSource(
  { ok }: Pick<TestClient, 'ok'>,
  tenantId: number,
  members: Record<string, unknown> = {},
): Promise<Source> {
  const project = await ok('POST', 'project', { tenantId, name: 'Vault' });
  const contract = await ok('POST', 'contract', {
    projectId: project.id,
    name: 'Treasury',
    chainUid: 'ethereum',
    address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  });
  const schema = await ok('POST', 'detector/schema', { title: 'Engine', name: 'engine', version: '1.0.0' });
  const detector = await ok('POST', 'detector', {
    contractId: contract.id,
    schemaId: schema.id,
    name: 'Engine',
    source: 'EXTERNAL',
    ...members,
  });
  return { tenantId, projectId: project.id, contractId: contract.id, detectorId: detector.id };
}
