import { expect, it } from 'vitest';
import { startTestApi } from '../harness/api.ts';
import { render } from '../../src/lib/sql.ts';
import { createAggregatedAlerts } from './support/aggregatedAlerts.ts';
it('x', async () => {
  const api = await startTestApi();
  const { viewer: token } = await createAggregatedAlerts(api, 600);
  const reports = api.services.reports as any;
  const old = reports.query;
  reports.query = async (s: any) => { const t = performance.now(); const r = await old(s); const ms = performance.now() - t; console.log(ms.toFixed(1), r.length, render(s).text.length);
    if (ms > 40) { const { text, values } = render(s); const parts = text.split(/\$\d+/); console.log(text); console.log((await old({ strings: ['explain analyze ' + parts[0], ...parts.slice(1)], values })).map((x: any) => x['QUERY PLAN']).join('\n')); }
    return r; };
  const nest = (depth: number): any => ({ name: 'n', field: 'kind', ...(depth > 1 ? { aggregation: [nest(depth - 1)] } : {}) });
  const a = await api.call('POST', 'alert/aggregation', { aggregation: [{ name: 'a', field: 'uid', size: 1000, aggregation: [{ name: 'e', field: 'eid' }, nest(3)] }] }, { token });
  expect(a.status).toBe(200);
  await api.stop();
}, 100000);
