import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import { contractScope } from '../../src/store/search/documents/documentScopes.ts';
import { searchProven } from '../../src/store/search/searchJson.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createWorld } from '../support/createWorld.ts';
import { raiseAll } from '../support/randomAlerts.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

it('says with an answer, also one without hits, whether the contract is there', async () => {
  const world = await createWorld(api);
  const { tenant, project, contract, detector } = world;
  await raiseAll(api.store, [
    {
      tenantId: tenant.id,
      projectId: project.id,
      contractId: contract.id,
      detectorId: detector.id,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp: Date.now(),
      key: 'only',
      eid: 'only',
      name: 'only',
      message: 'The only one',
      meta: {},
      tags: [],
    },
  ]);
  const search = async (query: string, tenantId = tenant.id) => {
    const within = contractScope({ id: contract.id, tenantId }, 'detector');
    return searchProven(api.store, alertTable, within, { query }, ['name'], Date.now());
  };
  const none = '{"data":[],"total":0}';
  expect(await search('message:only')).toEqual({
    json: '{"data":[{"name":"only"}],"total":1}',
    isProven: true,
  });
  // By the index of terms, as soon as it is known which words are common.
  await until(async () => (await search('message:absent')).isProven);
  expect(await search('message:absent')).toEqual({ json: none, isProven: true });
  // Of another tenant it is not.
  expect(await search('message:absent', tenant.id + 1)).toEqual({ json: none, isProven: false });
  const token = await api.token(tenant.id, 'tenant-manager');
  const path = `contract/${contract.id}/detector/alert/search`;
  const absent = { query: 'message:absent' };
  expect((await api.call('POST', path, absent, { token })).body).toEqual({ data: [], total: 0 });
  await api.ok('DELETE', `contract/${contract.id}`, undefined, { token });
  expect(await search('message:absent')).toEqual({ json: none, isProven: false });
  expect((await api.call('POST', path, absent, { token })).status).toBe(404);
});
