import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld } from '../support/createWorld.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

it('refuses to search the alerts of a contract that was deleted or is of another tenant, whatever is asked', async () => {
  const { tenant, contract } = await createWorld(api);
  const others = await createWorld(api);
  const token = await api.token(tenant.id, 'tenant-manager');
  const other = await api.token(others.tenant.id, 'tenant-manager');
  const path = `contract/${contract.id}/detector/alert/search`;
  const bodies = [{}, { query: 'message:absent' }, { size: 0 }, { query: 'message:"' }];
  const statuses = async (as: string) => {
    const answers = await Promise.all(bodies.map((body) => api.call('POST', path, body, { token: as })));
    return answers.map(({ status }) => status);
  };
  expect(await statuses(token)).toEqual([200, 200, 200, 400]);
  expect(await statuses(other)).toEqual([404, 404, 404, 404]);
  await api.ok('DELETE', `contract/${contract.id}`, undefined, { token });
  expect(await statuses(token)).toEqual([404, 404, 404, 404]);
});
