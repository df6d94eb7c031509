import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

it('shows members beyond the specified replies where one record is read, and takes the record back as it was read', async () => {
  const { body: tenant } = await api.call('POST', 'tenant', { name: 'Read back' });
  const made = await api.call('POST', 'wallet', {
    tenantId: tenant.id,
    chainUid: 'anvil',
    name: 'Guardian',
    maxGasPrice: '12.5',
    maxHourlySpend: '0.5',
  });
  expect(made.status).toBe(201);
  expect(made.body).not.toHaveProperty('maxGasPrice');
  const read = await api.call('GET', `wallet/${made.body.id}`);
  expect(read.body).toMatchObject({ maxGasPrice: '12.5', maxHourlySpend: '0.5' });
  const changed = await api.call('PUT', `wallet/${made.body.id}`, read.body, {
    headers: { 'if-match': read.headers.get('etag') ?? '' },
  });
  expect(changed.status).toBe(200);
  expect(changed.body).not.toHaveProperty('maxGasPrice');
});
