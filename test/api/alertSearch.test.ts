import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alertUid } from '../../src/alerts/alertUid.ts';
import { type Finding, severityOf } from '../../src/model/alert.ts';
import { createMatcher } from '../../src/query/lucene/createMatcher.ts';
import { createSubject } from '../../src/query/lucene/createSubject.ts';
import { namedFields } from '../../src/query/lucene/namedFields.ts';
import { parseQuery } from '../../src/query/lucene/parseQuery.ts';
import { resolve } from '../../src/query/lucene/resolve.ts';
import { alertTable } from '../../src/store/search/documents/alertTable.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { sized } from '../../testing/proveSize.ts';
import { startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { raiseAll, randomFinding, randomQuery } from '../support/randomAlerts.ts';

let api: TestApi;
let world: World;
let foreign: World;
let viewer: string;
let findings: Finding[];
const now = Date.now();
const month = 30 * 86_400_000;

beforeAll(async () => {
  api = await startTestApi();
  [world, foreign] = [await createWorld(api), await createWorld(api)];
  viewer = await api.token(world.tenant.id, 'tenant-viewer');
  const random = createRandom('random alerts');
  const place = (home: World) => ({
    tenantId: home.tenant.id,
    projectId: home.project.id,
    contractId: home.contract.id,
  });
  findings = Array.from({ length: 300 }, (_, n) =>
    randomFinding(random, place(world), n, now - 5 * month, now),
  );
  await raiseAll(api.store, findings);
  await raiseAll(
    api.store,
    Array.from({ length: 200 }, (_, n) => randomFinding(random, place(foreign), n, now - 5 * month, now)),
  );
});
afterAll(() => api.stop());

/** The alert as a reader sees it, made from the finding by other code than the store's. */
function document(finding: Finding): Record<string, unknown> {
  const { key: _key, group, ...rest } = finding;
  return {
    ...rest,
    group,
    uid: alertUid(finding),
    numericSeverity: severityOf[finding.severity],
    status: 'UNRESOLVED',
    finality: 'FINAL',
    suppressed: false,
  };
}

function expected(query: string, kind?: string): string[] {
  const matches = createMatcher(resolve(parseQuery(query), alertTable.mapping, now));
  return findings
    .filter((finding) => kind === undefined || finding.kind === kind)
    .map(document)
    .filter((alert) => matches(createSubject(alert)))
    .sort((a, b) => Number(b.timestamp) - Number(a.timestamp) || (String(a.uid) < String(b.uid) ? -1 : 1))
    .map((alert) => String(alert.uid));
}

function isReadable(query: string): boolean {
  try {
    resolve(parseQuery(query), alertTable.mapping, now);
    return true;
  } catch {
    return false;
  }
}

const search = (path: string, body: unknown) => api.call('POST', path, body, { token: viewer });

describe('a search of alerts', () => {
  it('finds through PostgreSQL what the matcher finds, in order, for random queries', async () => {
    const random = createRandom('random queries');
    const wrong: unknown[] = [];
    for (let n = 0; n < sized(50, 400); n++) {
      const query = randomQuery(random);
      if (query.includes('now')) continue;
      const answer = await search('alert/search', { query, size: 1000 });
      if (!isReadable(query)) {
        expect(answer.body.code, query).toBe('invalid-query');
        continue;
      }
      const found = answer.body.data?.map((alert: { uid: string }) => alert.uid) ?? answer.text;
      const right = expected(query);
      if (JSON.stringify(found) !== JSON.stringify(right))
        wrong.push({ query, found: found.length, right: right.length });
      else expect(answer.body.total).toBe(right.length);
    }
    expect(wrong).toEqual([]);
  });

  it('never reaches an alert of another tenant, whatever the query says', async () => {
    const random = createRandom('queries over a tenant');
    for (let n = 0; n < sized(25, 200); n++) {
      const query = `${randomQuery(random)} OR tenantId:${foreign.tenant.id} OR *:* OR contractId:>0`;
      const answer = await search('alert/search', { query, size: 10_000 });
      const tenants = new Set(answer.body.data?.map((alert: { tenantId: number }) => alert.tenantId));
      expect([[], [world.tenant.id]]).toContainEqual([...tenants]);
    }
    const foreignContract = await search(`contract/${foreign.contract.id}/action/alert/search`, {});
    const unknownContract = await search('contract/999999/action/alert/search', {});
    expect(foreignContract.status).toBe(404);
    expect(foreignContract.body.detail).toBe(unknownContract.body.detail);
    const wrong = await search(`contract/${foreign.contract.id}/action/alert/search`, { query: '(' });
    expect([wrong.status, wrong.body.detail]).toEqual([404, unknownContract.body.detail]);
  });

  it('answers exactly the members of docs/api-spec.md for actions and triggers', async () => {
    const members = async (kind: string) => {
      const answer = await search(`contract/${world.contract.id}/${kind}/alert/search`, { size: 1 });
      return Object.keys(answer.body.data[0]).sort();
    };
    expect(await members('action')).toEqual(
      'actionId contractId eid message meta name numericSeverity projectId severity tenantId timestamp txHash uid walletAddress walletChainUid walletId walletName'.split(
        ' ',
      ),
    );
    expect(await members('trigger')).toEqual(
      'contractId eid interceptorType message meta name numericSeverity projectId severity tenantId timestamp triggerId triggerType txHash uid'.split(
        ' ',
      ),
    );
  });

  it('pages without overlap, counts up to the limit and no further, and honours times', async () => {
    const path = `contract/${world.contract.id}/detector/alert/search`;
    const all = expected('*', 'detector');
    const pages: string[] = [];
    for (let from = 0; from < all.length; from += 20) {
      const page = await search(path, { from, size: 20 });
      pages.push(...page.body.data.map((alert: { uid: string }) => alert.uid));
    }
    expect(pages).toEqual(all);
    expect((await search(path, { size: 0, trackTotalCount: 5 })).body).toEqual({ data: [], total: 5 });
    expect((await search(path, { size: 0, trackTotalCount: 0 })).body.total).toBe(0);
    expect((await search(path, { size: 0 })).body.total).toBe(all.length);
    expect((await search(path, { from: 50_000, size: 10 })).body.data).toEqual([]);
    const [from, to] = [now - 3 * month, now - 2 * month];
    const within = findings.filter(
      ({ kind, timestamp }) => kind === 'detector' && timestamp >= from && timestamp <= to,
    );
    expect((await search(path, { size: 0, timeseries: [{ from, to }] })).body.total).toBe(within.length);
  });

  it('sorts by any field that is no text, nulls last in both directions', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const answer = await search('alert/search', { size: 1000, sort: [{ field: 'meta.amount', order }] });
      const amounts = answer.body.data.map((alert: { meta: { amount?: number } }) => alert.meta.amount);
      const known = amounts.filter((amount?: number) => amount !== undefined);
      expect(amounts.slice(0, known.length)).toEqual(
        [...known].sort((a, b) => (order === 'asc' ? a - b : b - a)),
      );
    }
    for (const field of [
      'severity',
      'tags',
      'name.keyword',
      'timestamp',
      'uid',
      'meta.token.keyword',
      'blockNumber',
      'status',
    ]) {
      expect((await search('alert/search', { sort: [{ field }] })).status, field).toBe(200);
    }
    for (const field of ['message', 'meta', 'nosuch', 'terms', 'odd_words']) {
      const answer = await search('alert/search', { sort: [{ field }] });
      expect([answer.status, answer.body.errors[0].pointer], field).toEqual([400, '/sort/0/field']);
    }
  });

  it('refuses what cannot be read with its place', async () => {
    for (const query of ['(a', 'a AND', '"open', '[a TO', 'a:b:c', '/open', 'a~b']) {
      const answer = await search('alert/search', { query });
      expect([answer.status, answer.body.code], query).toEqual([400, 'invalid-query']);
      expect(answer.body.position, query).toBeGreaterThan(0);
    }
    for (const body of [
      { size: 10_001 },
      { from: -1 },
      { trackTotalCount: -1 },
      { sort: [] },
      { timeseries: [] },
      { timeseries: [{ from: 2, to: 1 }] },
    ]) {
      expect((await search('alert/search', body)).status, JSON.stringify(body)).toBe(400);
    }
  });
});

describe('an alert', () => {
  it('can be read, resolved and tagged by its tenant alone, and is found by its new tags', async () => {
    const uid = alertUid(findings[0]!);
    const user = await api.token(world.tenant.id, 'tenant-user');
    const stranger = await api.token(foreign.tenant.id, 'tenant-user');
    expect((await api.call('GET', `alert/${uid}`, undefined, { token: viewer })).body.status).toBe(
      'UNRESOLVED',
    );
    expect((await api.call('GET', `alert/${uid}`, undefined, { token: stranger })).status).toBe(404);
    expect((await api.call('PUT', `alert/${uid}`, { status: 'RESOLVED' }, { token: stranger })).status).toBe(
      404,
    );
    expect((await api.call('PUT', `alert/${uid}`, { status: 'RESOLVED' }, { token: viewer })).status).toBe(
      403,
    );
    const changed = await api.ok(
      'PUT',
      `alert/${uid}`,
      { status: 'RESOLVED', tags: ['seen'] },
      { token: user },
    );
    expect([changed.status, changed.tags]).toEqual(['RESOLVED', ['seen']]);
    const found = await search('alert/search', { query: 'tags:seen AND status:RESOLVED' });
    expect(found.body.data.map((alert: { uid: string }) => alert.uid)).toEqual([uid]);
    for (const old of findings[0]!.tags) {
      const gone = await search('alert/search', { query: `tags:"${old}"`, size: 1000 });
      expect(gone.body.data.map((alert: { uid: string }) => alert.uid)).not.toContain(uid);
    }
    await api.ok(
      'PUT',
      `alert/${uid}`,
      { status: 'UNRESOLVED', tags: [...findings[0]!.tags] },
      { token: user },
    );
  });

  it('is resolved in bulk by query, in the own tenant only', async () => {
    const user = await api.token(world.tenant.id, 'tenant-user');
    const query = 'severity:CRITICAL';
    const { count } = await api.ok('POST', 'alert/resolve', { query }, { token: user });
    expect(count).toBe(expected(query).length);
    expect((await search('alert/search', { query: 'status:RESOLVED', size: 0 })).body.total).toBe(count);
    expect(
      (await api.ok('POST', 'alert/search', { query: `status:RESOLVED AND tenantId:${foreign.tenant.id}` }))
        .total,
    ).toBe(0);
    expect((await api.ok('POST', 'alert/resolve', { query, resolved: false }, { token: user })).count).toBe(
      count,
    );
  });

  it('is raised once, however often it is raised', async () => {
    const before = (await search('alert/search', { size: 0 })).body.total;
    await raiseAll(api.store, findings);
    await Promise.all([
      raiseAll(api.store, findings.slice(0, 100)),
      raiseAll(api.store, findings.slice(50, 150)),
    ]);
    expect((await search('alert/search', { size: 0 })).body.total).toBe(before);
    expect(await verifyRollups(api.store)).toEqual([]);
  });
});

describe('findings of an outside engine', () => {
  it('become alerts once for each eid, with a result for each', async () => {
    const user = await api.token(world.tenant.id, 'tenant-user');
    const detector = await api.ok('POST', 'detector', {
      contractId: world.contract.id,
      schemaId: world.detectorSchema.id,
      name: 'Engine',
      source: 'EXTERNAL',
    });
    const push = (alerts: unknown[]) =>
      api.call('POST', `detector/${detector.id}/alert`, { alerts }, { token: user });
    const first = await push([
      { eid: 'a', message: 'first' },
      { eid: 'b', message: 'second', severity: 'CRITICAL' },
      { eid: 'a', message: 'again' },
    ]);
    expect(first.body.results.map(({ result }: { result: string }) => result)).toEqual([
      'created',
      'created',
      'duplicate',
    ]);
    const second = await push([
      { eid: 'b', message: 'later', timestamp: now - 1000 },
      { eid: 'c', message: 'third' },
    ]);
    expect(second.body.results.map(({ result }: { result: string }) => result)).toEqual([
      'duplicate',
      'created',
    ]);
    expect(second.body.results[0].uid).toBe(first.body.results[1].uid);
    const found = await search('alert/search', {
      query: `name.keyword:Engine AND detectorId:${detector.id}`,
      size: 10,
    });
    expect(found.body.data.map(({ message }: { message: string }) => message).sort()).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect((await push([{ eid: 'x', message: 'm', timestamp: 5 }])).body.errors[0].pointer).toBe(
      '/alerts/0/timestamp',
    );
    const platform = await api.call(
      'POST',
      `detector/${world.detector.id}/alert`,
      { alerts: [{ eid: 'x', message: 'm' }] },
      { token: user },
    );
    expect(platform.status).toBe(409);
    const stranger = await api.token(foreign.tenant.id, 'tenant-manager');
    expect(
      (
        await api.call(
          'POST',
          `detector/${detector.id}/alert`,
          { alerts: [{ eid: 'x', message: 'm' }] },
          { token: stranger },
        )
      ).status,
    ).toBe(404);
    expect(await verifyRollups(api.store)).toEqual([]);
    const counted = { metric: 'alerts', tags: { type: ['detector'] } };
    const { data } = await api.ok('POST', 'tenant/telemetry', counted, { token: viewer });
    const values = data.map(({ bucket }: { bucket: { value: number } }) => bucket.value);
    expect(values.reduce((sum: number, value: number) => sum + value, 0)).toBe(3);
  });
});

it('names the fields of a query', () => {
  expect([...namedFields(parseQuery('a:b AND (c:d OR _exists_:e) f'))]).toEqual(['a', 'c', 'e']);
});
