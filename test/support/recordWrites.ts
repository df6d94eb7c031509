import type { Json } from '../../testing/startTestApi.ts';
import type { World } from './createWorld.ts';

/** For every record kind by path: what creates one more in a world, and what changes it afterwards. */
export const recordWrites: Record<string, { create: (world: World, name: string) => Json; update: Json }> = {
  '/organisation': { create: (_, name) => ({ name }), update: { description: 'changed' } },
  '/tenant': {
    create: ({ organisation }, name) => ({ name, organisationId: organisation.id }),
    update: { description: 'changed' },
  },
  '/user': {
    create: ({ tenant }, name) => ({
      tenantId: tenant.id,
      email: `${name}@example.com`,
      roles: ['tenant-viewer'],
      password: 'correct horse battery',
    }),
    update: { name: 'changed', password: 'another horse battery' },
  },
  '/apikey': {
    create: ({ tenant }, name) => ({ tenantId: tenant.id, label: name, roles: ['tenant-viewer'] }),
    update: { label: 'changed' },
  },
  '/invite': {
    create: ({ tenant }, name) => ({
      tenantId: tenant.id,
      email: `${name}@example.com`,
      roles: ['tenant-viewer'],
      url: 'https://console.example.com/accept',
    }),
    update: {},
  },
  '/plan': { create: (_, name) => ({ name, ...limits }), update: { maxUsers: 3 } },
  '/subscription': {
    create: ({ tenant, plan }) => ({
      tenantId: tenant.id,
      planId: plan.id,
      // Behind the world's own, because active ones of one tenant may not overlap.
      startDate: 5_000_000_000_000,
      expirationDate: 6_000_000_000_000,
    }),
    update: { notifyBeforeExpireDays: [7, 1] },
  },
  '/project': {
    create: ({ tenant }, name) => ({ tenantId: tenant.id, name }),
    update: { description: 'changed' },
  },
  '/contract': {
    create: ({ project }, name) => ({
      projectId: project.id,
      name,
      chainUid: 'anvil',
      address: '0x00000000000000000000000000000000000000c0',
    }),
    update: { category: 'changed' },
  },
  '/timeset': {
    create: ({ tenant }, name) => ({
      tenantId: tenant.id,
      name,
      zone: 'Europe/Paris',
      ranges: [{ from: '22:00', to: '06:00' }],
    }),
    update: { zone: 'UTC' },
  },
  '/silence': {
    create: ({ tenant }) => ({
      tenantId: tenant.id,
      query: 'severity:LOW',
      to: Date.now() + 3_600_000,
      reason: 'Maintenance',
    }),
    update: { reason: 'changed' },
  },
  '/schedule': {
    create: ({ tenant, duty }, name) => ({
      tenantId: tenant.id,
      name,
      zone: 'Europe/Paris',
      layers: [{ userIds: [duty.id], unit: 'WEEKS', every: 1, start: Date.now() }],
    }),
    update: { description: 'changed' },
  },
  '/escalationchain': {
    create: ({ tenant, duty }, name) => ({
      tenantId: tenant.id,
      name,
      steps: [{ userId: duty.id, waitMinutes: 5 }],
    }),
    update: { repeat: 2 },
  },
  '/route': {
    create: ({ tenant, route }, name) => ({ tenantId: tenant.id, parentId: route.id, name }),
    update: { description: 'changed' },
  },
  '/inhibition': {
    create: ({ tenant }, name) => ({
      tenantId: tenant.id,
      name,
      sourceQuery: 'name:drain',
      targetQuery: 'name:outflow',
    }),
    update: { description: 'changed' },
  },
  '/plannedchange': {
    create: ({ contract }, name) => ({
      contractId: contract.id,
      name,
      actors: [],
      from: Date.now(),
      to: Date.now() + 3_600_000,
      expected: [{ kind: 'pause_state', values: { isPaused: 'true' } }],
    }),
    update: { description: 'changed' },
  },
  '/wallet': {
    create: ({ tenant }, name) => ({
      tenantId: tenant.id,
      name,
      chainUid: 'anvil',
      privateKey: `0x${'5'.repeat(64)}`,
    }),
    update: { tags: ['changed'] },
  },
  '/destination': {
    create: ({ tenant }) => ({
      tenantId: tenant.id,
      type: 'HTTP',
      uri: 'https://example.com/other',
      headers: { 'X-Secret': 'header-value-0123456789' },
    }),
    update: { tags: ['WALLET'] },
  },
  '/detector/schema': {
    create: (_, name) => ({ title: name, name, version: '2.0.0' }),
    update: { description: 'changed' },
  },
  '/detector': {
    create: ({ contract, detectorSchema }, name) => ({
      contractId: contract.id,
      schemaId: detectorSchema.id,
      name,
    }),
    update: { tags: ['changed'] },
  },
  '/trigger': {
    create: ({ contract }, name) => ({ contractId: contract.id, name, triggerType: 'FUNCTION_CALL' }),
    update: { alerts: [{ severity: 'LOW', name: 'changed' }] },
  },
  '/action': {
    create: ({ contract, wallet }, name) => ({
      contractId: contract.id,
      walletId: wallet.id,
      name,
      funcSignature: 'pause()',
    }),
    update: { description: 'changed' },
  },
  '/label': {
    create: ({ tenant }, name) => ({
      tenantId: tenant.id,
      name,
      address: '0x00000000000000000000000000000000000000c0',
    }),
    update: { note: 'changed' },
  },
  '/view': {
    create: ({ tenant }, name) => ({ tenantId: tenant.id, name, shared: true }),
    update: { query: 'changed' },
  },
  '/license': { create: (_, name) => ({ name, version: '2' }), update: { scoreScript: "'changed'" } },
  '/score/group': {
    create: ({ license }, name) => ({ licenseId: license.id, name }),
    update: { title: 'changed' },
  },
  '/instance': {
    create: ({ license, organisation, project }) => ({
      licenseId: license.id,
      organisationId: organisation.id,
      projectId: project.id,
    }),
    update: { licenseStatus: 'LICENCED' },
  },
  '/instance/meta': {
    create: ({ instance }) => ({ licenseInstanceId: instance.id, startedAt: '2027-01-01T00:00:00.000Z' }),
    update: { expiredAt: '2028-01-01T00:00:00.000Z' },
  },
  '/tokenomics/category': {
    create: ({ contract }, name) => ({ contractId: contract.id, name }),
    update: { amount: '17' },
  },
  '/tokenomics/schedule': {
    create: ({ tokenomicsCategory }, name) => ({
      categoryId: tokenomicsCategory.id,
      name,
      amounts: [{ timestamp: 1, amount: '5' }],
    }),
    update: { amounts: [{ timestamp: 2, amount: '6' }] },
  },
};

const limits = {
  maxUsers: 1,
  maxContracts: 1,
  maxProjects: 1,
  maxTriggers: 1,
  maxDetectors: 1,
  maxWallets: 1,
  maxActions: 1,
  maxApiKeys: 1,
};
