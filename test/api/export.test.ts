import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../../src/lib/csv.ts';
import { sql } from '../../src/lib/sql.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { expectProblem } from '../support/expectProblem.ts';
import { raiseAll, randomFinding } from '../support/randomAlerts.ts';
import { share } from '../support/share.ts';
import { createTenantWorld, type TenantWorld } from './support/createTenantWorld.ts';
import { recordAt } from './support/newBody.ts';
import { endpoints } from './support/observe.ts';

let api: TestApi;
let own: TenantWorld;
let other: TenantWorld;
beforeAll(async () => {
  api = await startTestApi();
  own = await createTenantWorld(api);
  other = await createTenantWorld(api);
  const random = createRandom('exported alerts');
  for (const [{ world }, count] of [
    [own, 620],
    [other, 3],
  ] as const) {
    const place = { tenantId: world.tenant.id, projectId: world.project.id, contractId: world.contract.id };
    const now = Date.now();
    const findings = Array.from({ length: count }, (_, n) => ({
      ...randomFinding(random, place, n, now - 86_400_000, now),
      txHash: null,
    }));
    const [first, ...rest] = findings;
    const odd = { name: '=HYPERLINK("x")', message: 'a "quoted", text\nof two lines' };
    await raiseAll(api.store, [{ ...first!, ...odd, meta: { amount: -5, private: 'hush' } }, ...rest]);
  }
});
afterAll(() => api.stop());

const csv = { accept: 'text/csv' };
const lines = { accept: 'application/x-ndjson' };
const as = (role: keyof TenantWorld['tokens'], who = own) => ({ token: who.tokens[role] });

async function exportLines(path: string, body: Json = {}, sent = as('tenant-viewer')): Promise<Json[]> {
  const answer = await api.call('POST', path, body, { ...sent, headers: lines });
  expect([answer.status, answer.headers.get('content-type')], answer.text).toEqual([
    200,
    'application/x-ndjson; charset=utf-8',
  ]);
  return answer.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function readRows(text: string): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const page of readCsv([text])) rows.push(...page.map(({ cells }) => cells));
  return rows;
}

const openExports = async () =>
  (await api.ok('GET', 'auth/me', undefined, as('tenant-manager'))).plan.use.maxStreams as number;

describe('an export', () => {
  it('an export of every search has the records of the search, and the same for every role that may search', async () => {
    const searches = endpoints.filter(({ isExportable }) => isExportable);
    expect(searches.length).toBeGreaterThan(25);
    for (const { path } of searches) {
      const place = path.slice(1).replace('{id}', () => String(recordAt(own.world, path).id));
      for (const token of [own.tokens.admin, own.tokens['tenant-viewer']]) {
        const found = await api.call('POST', place, { size: 10_000 }, { token });
        const exported = await api.call('POST', place, {}, { token, headers: lines });
        expect(exported.status, `${path}: ${exported.text}`).toBe(found.status);
        if (found.status !== 200) continue;
        const records = exported.text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
        expect(records, path).toEqual(found.body.data);
      }
    }
  });

  it('an export as CSV has a row for each alert that reads back, without formulas', async () => {
    const { data } = await api.ok('POST', 'alert/search', { size: 10_000 }, as('tenant-viewer'));
    const answer = await api.call('POST', 'alert/search', {}, { ...as('tenant-viewer'), headers: csv });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="alert.csv"');
    expect(answer.headers.get('x-export-count')).toBe(String(data.length));
    expect(answer.headers.get('x-export-truncated')).toBeNull();
    const [names, ...rows] = await readRows(answer.text);
    expect(names).toEqual(Object.keys(data[0]));
    expect(rows).toHaveLength(data.length);
    const cell = (value: unknown) =>
      value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    for (const [index, alert] of (data as Json[]).entries()) {
      const expected = names!.map((name) => cell(alert[name]));
      expect(rows[index]!.map((text, at) => (expected[at]!.startsWith('=') ? text.slice(1) : text))).toEqual(
        expected,
      );
    }
    expect(answer.text).toContain(`"'=HYPERLINK(""x"")"`);
  });

  it('has the query, order, part and columns that are wanted', async () => {
    const path = 'alert/search?columns=uid,meta.amount,severity';
    const body = { query: 'severity:HIGH', sort: [{ field: 'uid', order: 'asc' }], from: 2, size: 7 };
    const { data } = await api.ok('POST', 'alert/search', body, as('tenant-viewer'));
    const wanted = data.map(({ uid, meta, severity }: Json) => ({
      uid,
      'meta.amount': meta.amount ?? null,
      severity,
    }));
    expect(wanted).toHaveLength(7);
    expect(await exportLines(path, body)).toEqual(wanted);
    const answer = await api.call('POST', path, body, { ...as('tenant-viewer'), headers: csv });
    expect((await readRows(answer.text)).map((row) => row[0])).toEqual([
      'uid',
      ...data.map(({ uid }: Json) => uid),
    ]);
  });

  it('shows nothing of another tenant, and of a shared project nothing private', async () => {
    const tenants = async () =>
      new Set((await exportLines('alert/search')).map(({ tenantId }) => tenantId as number));
    expect(await tenants()).toEqual(new Set([own.world.tenant.id]));
    const place = `contract/${other.world.contract.id}/detector/alert/search`;
    const refused = await api.call('POST', place, {}, { ...as('tenant-manager'), headers: csv });
    expectProblem(refused, 404);
    await share(api, other.world.project.id, [own.world.tenant.id]);
    expect(await tenants()).toEqual(new Set([own.world.tenant.id, other.world.tenant.id]));
    const foreign = (await exportLines('alert/search')).filter(
      ({ tenantId }) => tenantId === other.world.tenant.id,
    );
    expect(JSON.stringify(foreign)).not.toContain('hush');
    expect(JSON.stringify(await exportLines('alert/search', {}, as('tenant-viewer', other)))).toContain(
      'hush',
    );
  });

  it('is a problem, not a broken file, where the search is refused', async () => {
    const faults: [string, Json, string][] = [
      ['alert/search', { query: 'name:(' }, 'invalid-query'],
      ['alert/search', { sort: [{ field: 'nosuch' }] }, 'invalid-input'],
      ['alert/search', { timeseries: [{ from: 2, to: 1 }] }, 'invalid-input'],
      ['contract/search', { where: 'nosuch = 1' }, 'invalid-where'],
      ['contract/search', { columns: ['id'] }, 'invalid-input'],
      ['contract/search?columns=nam', {}, 'invalid-input'],
      ['contract/search?columns=id,,name', {}, 'invalid-input'],
      ['contract/search?column=id', {}, 'invalid-input'],
    ];
    for (const [path, body, code] of faults)
      for (const headers of [csv, lines]) {
        const answer = await api.call('POST', path, body, { ...as('tenant-viewer'), headers });
        expect(expectProblem(answer, 400).code, path).toBe(code);
      }
    const near = await api.call('POST', 'contract/search?columns=nam', {}, { headers: csv });
    expect(near.body.detail).toContain('did you mean name?');
    expectProblem(await api.call('POST', 'contract/search?columns=id', {}), 400, '/query/columns');
    expectProblem(await api.call('POST', 'user/search', {}, { ...as('tenant-viewer'), headers: csv }), 403);
    expect(await openExports()).toBe(0);
  });

  it('is chosen by what the caller accepts most', async () => {
    const typeOf = async (accept: string) =>
      (await api.call('POST', 'project/search', {}, { headers: { accept } })).headers
        .get('content-type')!
        .split(';')[0];
    expect(await typeOf('text/csv;q=0.5, application/json')).toBe('application/json');
    expect(await typeOf('application/json;q=0.5, text/csv')).toBe('text/csv');
    expect(await typeOf('text/csv;q=0, */*;q=0.1')).toBe('application/json');
    expect(await typeOf('TEXT/CSV; header=present')).toBe('text/csv');
    expect(await typeOf('text/*')).toBe('application/json');
  });

  it('says when it is cut, and ends when its reader does', async () => {
    await api.store.query(
      sql`insert into address_label (created_at, updated_at, tenant_id, address, address_hash, note, tags, score)
        select 1, 1, null, 'address ' || n, n, repeat('x', 100), '{}', 1 from generate_series(1, 100100) n`,
    );
    const cut = await api.call('POST', 'label/search?columns=address', {}, { headers: lines });
    const found = cut.text.trimEnd().split('\n');
    expect([found.length, cut.headers.get('x-export-count')]).toEqual([100_001, '100000']);
    expect(cut.headers.get('x-export-truncated')).toBe('rows');
    expect(JSON.parse(found.at(-1)!)).toMatchObject({
      truncated: true,
      reason: expect.stringContaining('100000'),
    });
    const outgoing = request(`${api.url}/api/v1/label/search`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${own.tokens['tenant-viewer']}`,
        'content-type': 'application/json',
        ...csv,
      },
    });
    outgoing.on('error', () => {}).end('{}');
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(incoming, 'readable');
    expect(await openExports()).toBe(1);
    outgoing.destroy();
    await until(async () => (await openExports()) === 0);
  });

  it('an export that fails midway is no whole file, and is in the log', async () => {
    for (const encoding of ['gzip', 'identity']) {
      const outgoing = request(`${api.url}/api/v1/label/search`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${api.adminToken}`,
          'content-type': 'application/json',
          'accept-encoding': encoding,
          ...csv,
        },
      });
      outgoing.end('{}');
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      expect(incoming.headers['content-encoding'] ?? 'identity').toBe(encoding);
      // More than the buffers in between hold is still to be read.
      await api.store.query(sql`alter table address_label rename to lost`);
      incoming.resume();
      await expect(once(incoming, 'end')).rejects.toThrow('aborted');
      await api.store.query(sql`alter table lost rename to address_label`);
      expect(incoming.complete).toBe(false);
      const line = api.log.find((text) => text.includes('Answer failed while it was sent'));
      expect(line).toContain(incoming.headers['x-request-id']);
      api.log.length = 0;
    }
  });
});
