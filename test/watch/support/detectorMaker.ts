import type { TestClient } from '../../../testing/createClient.ts';
import type { Json } from '../../../testing/startTestApi.ts';

/** A tenant with one watched contract and these detectors; their ids in the same order. */
export async function detectorMaker(
  vigil: TestClient,
  address: string,
  wanted: readonly (readonly [schemaName: string, config: Json])[],
): Promise<number[]> {
  const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: 'Watchers' });
  const { id: projectId } = await vigil.ok('POST', 'project', { tenantId, name: 'Watched' });
  const contract = { projectId, name: 'Contract', chainUid: 'anvil', address };
  const { id: contractId } = await vigil.ok('POST', 'contract', contract);
  const { data: schemas } = await vigil.ok('POST', 'detector/schema/search', { size: 1000 });
  const ids: number[] = [];
  for (const [name, config] of wanted) {
    const { id: schemaId } = schemas.find((schema: Json) => schema.name === name);
    ids.push((await vigil.ok('POST', 'detector', { contractId, schemaId, name, config })).id);
  }
  return ids;
}
