import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CountedLimit, countQuantities } from '../../src/store/accounts/plans.ts';
import { sized } from '../../testing/proveSize.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { createWorld, type World } from '../support/createWorld.ts';
import { address, tally, together } from '../support/together.ts';

/** More than the server has connections to the database. */
const crowd = sized(50, 200);

let api: TestApi;
let world: World;
beforeAll(async () => {
  api = await startTestApi();
  world = await createWorld(api);
});
afterAll(() => api.stop());

describe('the limits of a plan', () => {
  const kinds: [CountedLimit, string, (world: World, i: number) => Json][] = [
    [
      'maxUsers',
      'user',
      ({ tenant }, i) => ({
        tenantId: tenant.id,
        email: `crowd${tenant.id}-${i}@example.com`,
        roles: ['tenant-viewer'],
      }),
    ],
    [
      'maxContracts',
      'contract',
      ({ project }, i) => ({ projectId: project.id, name: 'C', chainUid: 'anvil', address: address(i) }),
    ],
    ['maxProjects', 'project', ({ tenant }, i) => ({ tenantId: tenant.id, name: `P ${i}` })],
    [
      'maxTriggers',
      'trigger',
      ({ contract }, i) => ({ contractId: contract.id, name: `T ${i}`, triggerType: 'FUNCTION_CALL' }),
    ],
    [
      'maxDetectors',
      'detector',
      ({ contract, detectorSchema }, i) => ({
        contractId: contract.id,
        schemaId: detectorSchema.id,
        name: `D ${i}`,
      }),
    ],
    ['maxWallets', 'wallet', ({ tenant }, i) => ({ tenantId: tenant.id, name: `W ${i}`, chainUid: 'anvil' })],
    [
      'maxActions',
      'action',
      ({ contract, wallet }, i) => ({
        contractId: contract.id,
        walletId: wallet.id,
        name: `A ${i}`,
        funcSignature: 'pause()',
      }),
    ],
    [
      'maxApiKeys',
      'apikey',
      ({ tenant }, i) => ({ tenantId: tenant.id, label: `K ${i}`, roles: ['tenant-viewer'] }),
    ],
    [
      'maxDestinations',
      'destination',
      ({ tenant }, i) => ({ tenantId: tenant.id, type: 'HTTP', value: `https://example.com/${i}` }),
    ],
    ['maxLabels', 'label', ({ tenant }, i) => ({ tenantId: tenant.id, address: address(i) })],
    ['maxViews', 'view', ({ tenant }, i) => ({ tenantId: tenant.id, name: `V ${i}`, shared: true })],
    [
      'maxTimeSets',
      'timeset',
      ({ tenant }, i) => ({ tenantId: tenant.id, name: `S ${i}`, zone: 'UTC', ranges: [{}] }),
    ],
    [
      'maxSilences',
      'silence',
      ({ tenant }, i) => ({
        tenantId: tenant.id,
        query: `name:${i}`,
        to: Date.now() + 60_000,
        reason: 'Test',
      }),
    ],
    [
      'maxSchedules',
      'schedule',
      ({ tenant, duty }, i) => ({
        tenantId: tenant.id,
        name: `S ${i}`,
        zone: 'UTC',
        layers: [{ userIds: [duty.id], unit: 'DAYS', every: 1, start: 0 }],
      }),
    ],
    [
      'maxEscalationChains',
      'escalationchain',
      ({ tenant, duty }, i) => ({
        tenantId: tenant.id,
        name: `E ${i}`,
        steps: [{ userId: duty.id, waitMinutes: 5 }],
      }),
    ],
    [
      'maxRoutes',
      'route',
      ({ tenant, route }, i) => ({ tenantId: tenant.id, parentId: route.id, name: `R ${i}` }),
    ],
    [
      'maxInhibitions',
      'inhibition',
      ({ tenant }, i) => ({
        tenantId: tenant.id,
        name: `I ${i}`,
        sourceQuery: 'name:a',
        targetQuery: 'name:b',
      }),
    ],
    [
      'maxPlannedChanges',
      'plannedchange',
      ({ contract }, i) => ({
        contractId: contract.id,
        name: `C ${i}`,
        from: Date.now(),
        to: Date.now() + 60_000,
        expected: [{ kind: 'pause_state', values: { isPaused: 'true' } }],
      }),
    ],
    [
      'maxInvites',
      'invite',
      ({ tenant }, i) => ({
        tenantId: tenant.id,
        email: `guest${tenant.id}-${i}@example.com`,
        roles: ['tenant-viewer'],
        url: 'https://console.example.com/accept',
      }),
    ],
  ];

  it.each(kinds)(
    `%s: of ${crowd} creations at once with room for one, exactly one succeeds`,
    async (limit, path, body) => {
      const has = async () => (await countQuantities(api.store, world.tenant.id, api.services.now()))[limit];
      const allowed = (await has()) + 1;
      await api.ok('PUT', `plan/${world.plan.id}`, { [limit]: allowed });
      const answers = await together(crowd, (i) => api.call('POST', path, body(world, i)));
      expect(tally(answers)).toEqual({ 201: 1, 403: crowd - 1 });
      for (const answer of answers.filter(({ status }) => status === 403))
        expect(answer.body).toMatchObject({ code: 'plan-limit', limit: allowed, count: allowed });
      expect(await has()).toBe(allowed);
    },
  );
});
