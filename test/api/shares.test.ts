import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { share } from '../support/share.ts';

let api: TestApi;
let owner: World;
let viewer: World;
let third: World;
let manager: string;
let ownerManager: string;
beforeAll(async () => {
  api = await startTestApi();
  [owner, viewer, third] = [await createWorld(api), await createWorld(api), await createWorld(api)];
  manager = await api.token(viewer.tenant.id, 'tenant-manager');
  ownerManager = await api.token(owner.tenant.id, 'tenant-manager');
});
afterAll(() => api.stop());

const place = () => `project/${owner.project.id}`;
const offer = (...viewTenantIds: number[]) =>
  api.call('PUT', place(), { viewTenantIds }, { token: ownerManager });
const shares = async (token = manager): Promise<Json[]> =>
  (await api.ok('GET', 'share', undefined, { token })).data;
const seen = async (token = manager) => (await api.call('GET', place(), undefined, { token })).status;
const accept = (token = manager, body: Json = {}) =>
  api.call('POST', `share/${owner.project.id}/accept`, body, { token });
const leave = (token = manager) => api.call('DELETE', `share/${owner.project.id}`, undefined, { token });

describe('a shared project', () => {
  it('is offered only to tenants that exist, and names those that do not', async () => {
    const answer = await offer(viewer.tenant.id, 987_654_321);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [
        {
          pointer: '/viewTenantIds/1',
          code: 'unknown-reference',
          message: 'There is no tenant with the id 987654321.',
        },
      ],
    ]);
    const created = { name: 'Shared', tenantId: owner.tenant.id, viewTenantIds: [987_654_321] };
    expect((await api.call('POST', 'project', created)).status).toBe(422);
    const gone = await api.ok('POST', 'tenant', { name: 'Gone soon' });
    await api.ok('PUT', place(), { viewTenantIds: [gone.id] });
    await api.ok('DELETE', `tenant/${gone.id}`);
    // What was read can be sent back.
    expect((await offer(gone.id)).status).toBe(200);
    expect((await offer()).body.viewTenantIds).toEqual([]);
    expect((await offer(gone.id)).status).toBe(422);
  });

  it('is seen from when it is accepted until it is left or no longer offered, and has to be accepted again then', async () => {
    expect(await shares()).toEqual([]);
    expect((await accept()).status).toBe(404);
    expect((await offer(viewer.tenant.id, third.tenant.id)).body.viewTenantIds).toEqual([
      viewer.tenant.id,
      third.tenant.id,
    ]);
    const entry = {
      projectId: owner.project.id,
      name: owner.project.name,
      ownerTenantId: owner.tenant.id,
      ownerName: owner.tenant.name,
    };
    expect(await shares()).toEqual([{ ...entry, status: 'OFFERED' }]);
    expect(await seen()).toBe(404);
    expect((await accept()).body).toEqual({ ...entry, status: 'ACCEPTED' });
    expect(await seen()).toBe(200);
    expect((await leave()).body.status).toBe('DECLINED');
    expect(await seen()).toBe(404);
    expect((await api.ok('GET', place())).viewTenantIds).toEqual([viewer.tenant.id, third.tenant.id]);
    expect((await accept()).status).toBe(200);
    await offer(third.tenant.id);
    expect([await seen(), await shares(), (await accept()).status]).toEqual([404, [], 404]);
    await offer(viewer.tenant.id);
    expect([await seen(), (await shares())[0]!.status]).toEqual([404, 'OFFERED']);
  });

  it('is accepted by managers of the tenant that it is offered to, and by no one else', async () => {
    await offer(viewer.tenant.id);
    const [user, stranger] = [
      await api.token(viewer.tenant.id, 'tenant-user'),
      await api.token(third.tenant.id, 'tenant-manager'),
    ];
    expect((await accept(user)).status).toBe(403);
    for (const token of [stranger, ownerManager]) expect((await accept(token)).status).toBe(404);
    expect((await accept(stranger, { tenantId: viewer.tenant.id })).status).toBe(422);
    expect((await accept(api.adminToken)).status).toBe(422);
    expect((await accept(api.adminToken, { tenantId: viewer.tenant.id })).status).toBe(200);
    const actions = async (tenantId: number) =>
      (await api.ok('GET', `audit?tenantId=${tenantId}`)).data.map(({ action }: Json) => action);
    expect(await actions(viewer.tenant.id)).toContain('share.accept');
    expect(await actions(owner.tenant.id)).toContain('project.share-accept');
  });
});

describe('a viewer of a shared project', () => {
  let token: string;
  beforeAll(async () => {
    await api.ok('PUT', place(), {
      meta: { team: 'blue', private: { phone: 'hushhush' } },
      params: { a: 1, private: { b: 'hushhush' } },
    });
    await share(api, owner.project.id, [viewer.tenant.id, third.tenant.id]);
    token = await api.token(viewer.tenant.id, 'tenant-viewer');
    const detector = {
      contractId: owner.contract.id,
      schemaId: owner.detectorSchema.id,
      name: 'Engine',
      source: 'EXTERNAL',
    };
    const { id } = await api.ok('POST', 'detector', detector);
    const alerts = [
      {
        eid: 'one',
        severity: 'HIGH',
        message: 'Something',
        meta: { usd: 5, open: 'visibleword', private: { usd: 7, note: 'hushhush' } },
      },
    ];
    await api.ok('POST', `detector/${id}/alert`, { alerts });
  });

  it('sees neither who else views it nor what is private in it, and cannot search for it', async () => {
    const mine = await api.ok('GET', place(), undefined, { token });
    expect([mine.viewTenantIds, mine.meta, mine.params]).toEqual([
      [viewer.tenant.id],
      { team: 'blue' },
      { a: 1 },
    ]);
    const full = await api.ok('GET', place(), undefined, { token: ownerManager });
    expect([full.viewTenantIds, full.meta.private]).toEqual([
      [viewer.tenant.id, third.tenant.id],
      { phone: 'hushhush' },
    ]);
    const found = async (where: string, by: string) =>
      (await api.ok('POST', 'project/search', { where }, { token: by })).data.map(({ id }: Json) => id);
    for (const where of [
      `viewTenantIds = ${third.tenant.id}`,
      `meta.private.phone = 'hushhush'`,
      `params.private.b like 'hush%'`,
    ]) {
      expect(await found(where, token), where).toEqual([]);
      expect(await found(where, ownerManager), where).toEqual([owner.project.id]);
    }
    expect(await found(`meta.team = 'blue'`, token)).toEqual([owner.project.id]);
  });

  it('finds, reads, counts and aggregates its alerts without what is private in them', async () => {
    const contract = owner.contract.id;
    const searches = [
      'alert/search',
      `contract/${contract}/detector/alert/search`,
      `project/${owner.project.id}/alert/search`,
    ];
    const totals = async (query: string, by: string) =>
      Promise.all(
        searches.map(
          async (path) => (await api.ok('POST', path, { query, trackTotalCount: 10 }, { token: by })).total,
        ),
      );
    for (const query of [
      'hushhush',
      'meta.private.note:hushhush',
      'meta.\\*:hushhush',
      'meta.private.usd:7',
      'meta.private.usd:>6',
      '_exists_:meta.private.usd',
      'meta.private.note:hush*',
      'meta.private.no\\*:hushhush',
      'meta.private.note:/hush.*/',
    ]) {
      expect(await totals(query, token), query).toEqual([0, 0, 0]);
      expect(await totals(query, ownerManager), query).toEqual([1, 1, 1]);
    }
    expect(await totals('visibleword', token)).toEqual([1, 1, 1]);
    const sent = { token };
    for (const path of searches)
      expect((await api.ok('POST', path, {}, sent)).data[0].meta).toEqual({ usd: 5, open: 'visibleword' });
    const { uid } = (await api.ok('POST', 'alert/search', {}, sent)).data[0];
    const read = await api.call('GET', `alert/${uid}`, undefined, sent);
    expect([read.status, read.text.includes('hushhush')]).toEqual([200, false]);
    const day = { from: Date.now() - 3_600_000, to: Date.now() + 60_000, interval: '1d', query: 'hushhush' };
    const counted = await api.ok('POST', `contract/${contract}/histogram`, day, sent);
    expect(Object.values<number>(counted.total).reduce((sum, count) => sum + count, 0)).toBe(0);
    const aggregation = [{ name: 'notes', field: 'meta.private.note.keyword' }];
    const texts = await Promise.all(
      [token, ownerManager].map(async (by) =>
        JSON.stringify(await api.ok('POST', 'alert/aggregation', { aggregation }, { token: by })),
      ),
    );
    expect(texts.map((text) => text.includes('hushhush'))).toEqual([false, true]);
    const sorted = { sort: [{ field: 'meta.private.usd', order: 'desc' }] };
    expect((await api.ok('POST', 'alert/search', sorted, sent)).data[0].meta.private).toBeUndefined();
  });

  it('is what an organisation is that licenses it: its scores are made without what is private', async () => {
    const instance = await api.ok('POST', 'instance', {
      licenseId: viewer.license.id,
      organisationId: viewer.organisation.id,
      projectId: owner.project.id,
    });
    const by = { token: await api.token(viewer.tenant.id, 'organisation-viewer') };
    const { meta, viewTenantIds } = await api.ok('GET', place(), undefined, by);
    expect([meta, viewTenantIds]).toEqual([{ team: 'blue' }, []]);
    expect((await api.ok('POST', 'alert/search', { query: 'hushhush' }, by)).total).toBe(0);
    expect((await api.ok('POST', 'alert/search', { query: 'visibleword' }, by)).total).toBe(1);
    await api.ok('DELETE', `instance/${instance.id}`);
  });
});
