import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';

type Target = {
  url: string;
  root_selector: string;
  columns: { selector: string }[];
  url_options: { method: string; data?: string };
};

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

it('answers every request of the dashboard of incidents to a viewer, with each member that its tables show', async () => {
  const { id: tenantId } = await api.ok('POST', 'tenant', { name: 'Acme' });
  const { detectorId } = await addSource(api, tenantId);
  const alert = { eid: 'one', severity: 'CRITICAL', name: 'Drain', message: 'All of it.' };
  await api.ok('POST', `detector/${detectorId}/alert`, { alerts: [alert] });
  const token = await api.token(tenantId, 'tenant-viewer');
  const file = join(import.meta.dirname, '..', '..', 'deploy', 'grafana', 'vigil-incidents.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: { targets?: Target[] }[] };
  const targets = panels.flatMap((panel) => panel.targets ?? []);
  expect(targets.length).toBeGreaterThan(2);
  for (const { url, root_selector: root, columns, url_options: options } of targets) {
    const body = options.data === undefined ? undefined : JSON.parse(options.data);
    const reply = await api.ok(options.method, url.slice(1), body, { token });
    const [row] = reply[root];
    for (const { selector } of columns) expect(row, `${url} gives ${selector}`).toHaveProperty(selector);
  }
});
