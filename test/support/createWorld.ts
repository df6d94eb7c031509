import type { Json, TestApi } from '../../testing/startTestApi.ts';

export type World = {
  organisation: Json;
  tenant: Json;
  plan: Json;
  subscription: Json;
  user: Json;
  apikey: Json;
  invite: Json;
  project: Json;
  contract: Json;
  wallet: Json;
  destination: Json;
  detectorSchema: Json;
  detector: Json;
  trigger: Json;
  action: Json;
  label: Json;
  view: Json;
  timeset: Json;
  silence: Json;
  /** A user who is on call. */
  duty: Json;
  schedule: Json;
  escalationchain: Json;
  route: Json;
  inhibition: Json;
  plannedchange: Json;
  license: Json;
  scoreGroup: Json;
  instance: Json;
  instanceMeta: Json;
  tokenomicsCategory: Json;
  tokenomicsSchedule: Json;
};

let count = 0;

/** One tenant in an organisation of its own, with one record of every kind, made over the API by an administrator. */
export async function createWorld(api: Pick<TestApi, 'ok'>): Promise<World> {
  const n = ++count;
  const make = (path: string, body: Json) => api.ok('POST', path, body);
  const organisation = await make('organisation', { name: `Organisation ${n}` });
  const tenant = await make('tenant', { name: `Tenant ${n}`, organisationId: organisation.id });
  const plan = await make('plan', {
    name: `Plan ${n}`,
    maxUsers: 1000,
    maxContracts: 1000,
    maxProjects: 1000,
    maxTriggers: 1000,
    maxDetectors: 1000,
    maxWallets: 1000,
    maxActions: 1000,
    maxApiKeys: 1000,
  });
  const tenantId = tenant.id;
  const subscription = await make('subscription', {
    tenantId,
    planId: plan.id,
    expirationDate: 4_000_000_000_000,
  });
  const user = await make('user', { tenantId, email: `user${n}@example.com`, roles: ['tenant-viewer'] });
  const apikey = await make('apikey', { tenantId, label: 'key', roles: ['tenant-viewer'] });
  const invite = await make('invite', {
    tenantId,
    email: `invited${n}@example.com`,
    roles: ['tenant-viewer'],
    url: 'https://console.example.com/accept',
  });
  const project = await make('project', { tenantId, name: 'Project' });
  const contract = await make('contract', {
    projectId: project.id,
    name: 'Contract',
    chainUid: 'anvil',
    address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  });
  const wallet = await make('wallet', { tenantId, name: 'Wallet', chainUid: 'anvil', allowedCalls: null });
  const destination = await make('destination', { tenantId, type: 'HTTP', uri: 'https://example.com/hook' });
  const detectorSchema = await make('detector/schema', {
    title: 'Schema',
    name: `schema_${n}`,
    version: '1.0.0',
  });
  const detector = await make('detector', {
    contractId: contract.id,
    schemaId: detectorSchema.id,
    name: 'Detector',
    destinations: [{ tenantDestinationId: destination.id }],
  });
  const trigger = await make('trigger', {
    contractId: contract.id,
    name: 'Trigger',
    triggerType: 'FUNCTION_CALL',
    alerts: [{ severity: 'HIGH', name: 'Called', destinations: [{ tenantDestinationId: destination.id }] }],
  });
  const action = await make('action', {
    contractId: contract.id,
    walletId: wallet.id,
    name: 'Action',
    funcSignature: 'pause()',
    destinations: [{ tenantDestinationId: destination.id }],
    detectors: [{ detectorId: detector.id, scriptFilter: 'true', scriptParams: {} }],
    triggerAlerts: [{ triggerAlertId: trigger.alerts[0].id }],
  });
  const label = await make('label', {
    tenantId,
    address: '0x8589427373d6d84e98730d7795d8f6f8731fda16',
    tags: ['MIXER'],
  });
  const view = await make('view', { tenantId, name: 'View', query: 'severity:HIGH', shared: true });
  const timeset = await make('timeset', { tenantId, name: 'Nights', zone: 'UTC', ranges: [{ to: '06:00' }] });
  const silence = await make('silence', {
    tenantId,
    query: 'name:maintenance',
    to: Date.now() + 86_400_000,
    reason: 'Maintenance',
  });
  const duty = await make('user', { tenantId, email: `duty${n}@example.com`, roles: ['tenant-viewer'] });
  const schedule = await make('schedule', {
    tenantId,
    name: 'Treasury',
    zone: 'UTC',
    layers: [{ userIds: [duty.id], unit: 'DAYS', every: 1, start: Date.now() }],
  });
  const escalationchain = await make('escalationchain', {
    tenantId,
    name: 'Treasury',
    steps: [{ userId: duty.id, waitMinutes: 5 }],
  });
  // A draft, so that bindings go on.
  const root = await make('route', { tenantId, name: 'Root' });
  const route = await make('route', {
    tenantId,
    parentId: root.id,
    name: 'Treasury',
    query: 'tags:treasury',
  });
  const inhibition = await make('inhibition', {
    tenantId,
    name: 'Drain',
    sourceQuery: 'name:drain',
    targetQuery: 'name:outflow',
  });
  const plannedchange = await make('plannedchange', {
    contractId: contract.id,
    name: 'Release',
    from: Date.now(),
    to: Date.now() + 86_400_000,
    expected: [{ kind: 'proxy_upgrade', values: { implementation: '0x01' } }],
  });
  const license = await make('license', { name: `License ${n}`, version: '1' });
  const scoreGroup = await make('score/group', { licenseId: license.id, name: 'security' });
  const instance = await make('instance', {
    licenseId: license.id,
    organisationId: organisation.id,
    projectId: project.id,
  });
  const instanceMeta = await make('instance/meta', {
    licenseInstanceId: instance.id,
    startedAt: '2026-01-01T00:00:00.000Z',
  });
  const tokenomicsCategory = await make('tokenomics/category', { contractId: contract.id, name: 'Team' });
  const tokenomicsSchedule = await make('tokenomics/schedule', {
    categoryId: tokenomicsCategory.id,
    name: 'Yearly',
    amounts: [{ timestamp: 1, amount: '5' }],
  });
  return {
    organisation,
    tenant,
    plan,
    subscription,
    user,
    apikey,
    invite,
    project,
    contract,
    wallet,
    destination,
    detectorSchema,
    detector,
    trigger,
    action,
    label,
    view,
    timeset,
    silence,
    duty,
    schedule,
    escalationchain,
    route,
    inhibition,
    plannedchange,
    license,
    scoreGroup,
    instance,
    instanceMeta,
    tokenomicsCategory,
    tokenomicsSchedule,
  };
}
