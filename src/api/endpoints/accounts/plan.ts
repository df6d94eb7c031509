import { Problem } from '../../../model/errors.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { planTable } from '../../../store/accounts/planTable.ts';
import { detail, given } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Count, Id, Name, Shape } from '../../http/schema.ts';
import { idField, nestedCommon, timeFields } from '../records/common.ts';

const quantities = {
  maxUsers: Count('Most users of a tenant.', 5),
  maxContracts: Count('Most contracts of a tenant.', 25),
  maxProjects: Count('Most projects of a tenant.', 5),
  maxTriggers: Count('Most triggers of a tenant.', 50),
  maxDetectors: Count('Most detectors of a tenant.', 100),
  maxWallets: Count('Most wallets of a tenant.', 5),
  maxActions: Count('Most actions of a tenant.', 25),
  maxApiKeys: Count('Most API keys of a tenant.', 10),
  detectorRateLimit: Count('Most detector alerts of a tenant in `detectorRateLimitDuration`.', 1000),
  detectorRateLimitDuration: Count(
    'Length of that time in milliseconds.',
    3_600_000,
    Number.MAX_SAFE_INTEGER,
  ),
};
/** Shown where one plan is read, and with the use of a tenant, but not inside of a subscription. */
const quotas = {
  maxDestinations: Count('Most destinations of a tenant.', 100),
  maxLabels: Count('Most address labels of a tenant.', 100_000),
  maxStreams: Count('Most streams of alerts that a tenant has open at once, in each process.', 20),
  maxInvites: Count('Most open invites of a tenant.', 50),
  maxPushedAlerts: Count('Most alerts that a tenant pushes in a minute.', 6000),
};
const name = Name('Unique name.', 'team');

/** The plan as a subscription shows it. */
export const planSchema = { ...nestedCommon, name, ...quantities };

const limits = Object.entries({ ...quantities, ...quotas }).filter(([name]) => name.startsWith('max'));
const perLimit = (description: string) =>
  Shape(
    Object.fromEntries(limits),
    limits.map(([name]) => name),
    description,
  );

/** The plan of a tenant beside what the tenant has. */
export const planUse = Shape(
  {
    id: Id('The plan.'),
    name,
    limits: perLimit('What the plan allows.'),
    use: perLimit('What the tenant has of each.'),
  },
  ['id', 'name', 'limits', 'use'],
  'Plan of the tenant.',
);

export const plan = defineResource({
  path: '/plan',
  tag: 'Plans',
  noun: 'plan',
  about: 'The quantities that a tenant may have. Tenants without a subscription have the plan named free.',
  table: planTable,
  owner: 'platform',
  fields: {
    id: idField,
    ...timeFields,
    name: given(name, { required: true }),
    maxUsers: given(quantities.maxUsers, { required: true }),
    maxContracts: given(quantities.maxContracts, { required: true }),
    maxProjects: given(quantities.maxProjects, { required: true }),
    maxTriggers: given(quantities.maxTriggers, { required: true }),
    maxDetectors: given(quantities.maxDetectors, { required: true }),
    maxWallets: given(quantities.maxWallets, { required: true }),
    maxActions: given(quantities.maxActions, { required: true }),
    maxApiKeys: given(quantities.maxApiKeys, { required: true }),
    detectorRateLimit: given(quantities.detectorRateLimit, { default: 1000 }),
    detectorRateLimitDuration: given(quantities.detectorRateLimitDuration, { default: 3_600_000 }),
    maxDestinations: detail(quotas.maxDestinations, { default: 100 }),
    maxLabels: detail(quotas.maxLabels, { default: 100_000 }),
    maxStreams: detail(quotas.maxStreams, { default: 20 }),
    maxInvites: detail(quotas.maxInvites, { default: 50 }),
    maxPushedAlerts: detail(quotas.maxPushedAlerts, { default: 6000 }),
  },
  beforeDelete: async (call, current) => {
    if (current.id === 1)
      throw new Problem('conflict', 'This is the plan of tenants without a subscription; change it instead.');
    await refuseIfUsed(call, 'subscriptions of a plan', Number(current.id), 'subscriptions use this plan');
  },
});
