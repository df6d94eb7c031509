import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { createWorld, type World } from '../../support/createWorld.ts';
import { expectProblem, faultCode } from '../../support/expectProblem.ts';
import { record } from '../../support/memberRules.ts';
import {
  instanceMembers,
  instanceMetaMembers,
  licenseMembers,
  projectMembers,
  scoreGroupMembers,
  subscriptionMembers,
} from '../../support/recordMembers.ts';

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

let used = 0;
const make = (path: string, body: Json) => api.ok('POST', path, body);
const newLicense = (more: Json = {}) => ({ name: 'Score', version: `${++used}`, ...more });
const newSubscription = (more: Json = {}): Json => ({
  tenantId: world.tenant.id,
  planId: world.plan.id,
  expirationDate: Date.now() + 86_400_000,
  ...more,
});

describe('POST /license', () => {
  const license = record(licenseMembers);

  it('takes every member of docs/api-spec.md and answers with exactly its members', async () => {
    const given = newLicense({
      status: 'DISABLED',
      icon: 'https://example.com/l.png',
      params: '{"min":0,"max":100}',
      groupScript: "['security']",
      scoreScript: '-e.numericSeverity',
    });
    const answer = await api.call('POST', 'license', given);
    expect(answer.status, answer.text).toBe(201);
    expect(license(answer.body)).toEqual([]);
    expect(answer.body).toEqual({ ...answer.body, ...given, scoreGroups: [] });
    expect(await api.ok('GET', `license/${answer.body.id}`)).toEqual(answer.body);
  });

  it('is ACTIVE if nothing is said', async () => {
    const body = await make('license', newLicense());
    expect(license(body)).toEqual([]);
    expect(body).toMatchObject({ status: 'ACTIVE', params: null, groupScript: null, scoreScript: null });
  });

  it('shows its score groups, which are made beside it', async () => {
    const { id } = await make('license', newLicense());
    const given = { name: 'security', title: 'Security', description: 'Of security detectors.' };
    const group = await make('score/group', { licenseId: id, ...given });
    expect(record(scoreGroupMembers)(group)).toEqual([]);
    expect(group).toMatchObject({ ...given, status: 'ACTIVE' });
    const read = await api.ok('GET', `license/${id}`);
    expect(license(read)).toEqual([]);
    expect(read.scoreGroups).toEqual([group]);
    const back = await api.ok('PUT', `license/${id}`, read);
    expect(back).toEqual({ ...read, updatedAt: back.updatedAt });
    const answer = await api.call('PUT', `license/${id}`, { scoreGroups: [] });
    expect(faultCode(expectProblem(answer, 400), '/scoreGroups')).toBe('read-only');
  });

  it.each([
    [{ params: { min: 0 } }, '/params'],
    [{ params: '{min: 0}' }, '/params'],
    [{ params: '' }, '/params'],
    [{ scoreGroups: [] }, '/scoreGroups'],
    [{ id: 1 }, '/id'],
    [{ name: 5 }, '/name'],
    [{ version: 1 }, '/version'],
    [{ status: 'NEW' }, '/status'],
    [{ groupScript: [] }, '/groupScript'],
    [{ scoreScript: {} }, '/scoreScript'],
    [{ organisationId: 1 }, '/organisationId'],
  ])('refuses %j at %s', async (more, pointer) => {
    expectProblem(await api.call('POST', 'license', newLicense(more)), 400, pointer);
  });

  it('gets faulty params and scripts together, the first by its name', async () => {
    const faulty = newLicense({ params: '{', groupScript: 'return (', scoreScript: ')' });
    const { detail, errors } = expectProblem(await api.call('POST', 'license', faulty), 400);
    expect(errors.map(({ pointer }: Json) => pointer)).toEqual(['/params', '/groupScript', '/scoreScript']);
    expect(detail).toMatch(/^\/params: must be JSON .* \(and 2 more\)$/);
  });
});

describe('a license instance', () => {
  const instance = record(instanceMembers);
  const newInstance = async (more: Json = {}) => {
    const { id: licenseId } = await make('license', newLicense());
    return { licenseId, organisationId: world.organisation.id, projectId: world.project.id, ...more };
  };

  it('has exactly the members of docs/api-spec.md, is PENDING and ACTIVE at first, and is shown by its project', async () => {
    const made = await make('instance', await newInstance());
    expect(instance(made)).toEqual([]);
    expect(made).toMatchObject({ licenseStatus: 'PENDING', status: 'ACTIVE', licenseInstanceMeta: [] });
    const meta = await make('instance/meta', {
      licenseInstanceId: made.id,
      startedAt: '2026-11-15T00:00:00Z',
    });
    expect(record(instanceMetaMembers)(meta)).toEqual([]);
    const read = await api.ok('GET', `instance/${made.id}`);
    expect(instance(read)).toEqual([]);
    expect(read.licenseInstanceMeta).toEqual([{ ...meta, status: 'ACTIVE' }]);
    const project = await api.ok('GET', `project/${world.project.id}`);
    expect(record(projectMembers)(project)).toEqual([]);
    expect(project.licenses).toContainEqual(read);
  });

  it.each([
    ['PENDING', 'LICENCED', 200],
    ['PENDING', 'CANCELED', 200],
    ['LICENCED', 'CANCELED', 200],
    ['LICENCED', 'LICENCED', 200],
    ['LICENCED', 'PENDING', 409],
    ['CANCELED', 'LICENCED', 409],
    ['CANCELED', 'PENDING', 409],
  ])('goes from %s to %s with %i', async (from, to, status) => {
    const { id } = await make('instance', await newInstance());
    if (from !== 'PENDING') await api.ok('PUT', `instance/${id}`, { licenseStatus: from });
    const answer = await api.call('PUT', `instance/${id}`, { licenseStatus: to });
    if (status === 409) expectProblem(answer, 409);
    expect(answer.status).toBe(status);
    const now = (await api.ok('GET', `instance/${id}`)).licenseStatus;
    expect(now).toBe(status === 200 ? to : from);
  });

  it.each(['LICENSED', 'pending', null])('knows no licenseStatus %j', async (licenseStatus) => {
    const answer = await api.call('PUT', `instance/${world.instance.id}`, { licenseStatus });
    expectProblem(answer, 400, '/licenseStatus');
  });

  it('cannot move to another license, organisation or project', async () => {
    for (const [member, value] of [
      ['organisationId', 1_000],
      ['projectId', 1_000],
      ['license', {}],
      ['licenseInstanceMeta', []],
    ] as const) {
      expectProblem(await api.call('PUT', `instance/${world.instance.id}`, { [member]: value }), 400);
    }
  });

  it('has periods in ISO 8601 UTC, whatever offset they were given in', async () => {
    const { id } = await make('instance', await newInstance());
    const meta = await make('instance/meta', {
      licenseInstanceId: id,
      startedAt: '2026-11-15T02:00:00+02:00',
      expiredAt: '2027-11-15T00:00:00.5Z',
    });
    expect(meta).toMatchObject({
      startedAt: '2026-11-15T00:00:00.000Z',
      expiredAt: '2027-11-15T00:00:00.500Z',
    });
    for (const startedAt of [1_794_700_800_000, '2026-11-15', '2026-02-30T00:00:00Z', 'tomorrow']) {
      const answer = await api.call('POST', 'instance/meta', { licenseInstanceId: id, startedAt });
      expectProblem(answer, 400, '/startedAt');
    }
  });
});

describe('POST /subscription', () => {
  // Active subscriptions of one tenant may not overlap.
  beforeEach(async () => {
    world.tenant = await make('tenant', { name: `Subscriber ${++used}` });
  });

  const subscription = record(subscriptionMembers);

  it('takes planId and answers with the plan itself and exactly the members of docs/api-spec.md', async () => {
    const startDate = Date.now() - 1_000;
    const given = newSubscription({ startDate, notifyBeforeExpireDays: [30, 7, 1] });
    const answer = await api.call('POST', 'subscription', given);
    expect(answer.status, answer.text).toBe(201);
    expect(subscription(answer.body)).toEqual([]);
    const { planId, notifyBeforeExpireDays: days, ...shown } = given;
    expect(answer.body).toMatchObject({ ...shown, plan: { id: planId }, status: 'ACTIVE' });
    expect(new Set(answer.body.notifyBeforeExpireDays)).toEqual(new Set(days));
    expect(await api.ok('GET', `plan/${planId}`)).toMatchObject(answer.body.plan);
  });

  it('starts now, ACTIVE and without notices, if nothing is said', async () => {
    const before = Date.now();
    const body = await make('subscription', newSubscription());
    expect(subscription(body)).toEqual([]);
    expect(body).toMatchObject({ status: 'ACTIVE', notifyBeforeExpireDays: [] });
    expect(body.startDate).toBeGreaterThanOrEqual(before);
    expect(body.startDate).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    [{ notifyBeforeExpireDays: [7, 7] }, '/notifyBeforeExpireDays'],
    [{ notifyBeforeExpireDays: [1.5] }, '/notifyBeforeExpireDays/0'],
    [{ notifyBeforeExpireDays: ['7'] }, '/notifyBeforeExpireDays/0'],
    [{ notifyBeforeExpireDays: 7 }, '/notifyBeforeExpireDays'],
    [{ plan: { id: 1 } }, '/plan'],
    [{ planId: '1' }, '/planId'],
    [{ startDate: '2026-01-01T00:00:00Z' }, '/startDate'],
    [{ expirationDate: 1.5 }, '/expirationDate'],
    [{ expirationDate: 1 }, '/expirationDate'],
    [{ id: 1 }, '/id'],
  ])('refuses %j at %s', async (more, pointer) => {
    expectProblem(await api.call('POST', 'subscription', newSubscription(more)), 400, pointer);
  });

  it('answers 422 to a plan and to a tenant that do not exist', async () => {
    expectProblem(
      await api.call('POST', 'subscription', newSubscription({ planId: 999_999 })),
      422,
      '/planId',
    );
    const nobody = newSubscription({ tenantId: 999_999 });
    expectProblem(await api.call('POST', 'subscription', nobody), 422, '/tenantId');
  });
});
