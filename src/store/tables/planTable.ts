import { Type } from 'typebox';
import { Count, Name } from '../../model/schema.ts';
import { idField, searchedStatus, timeFields } from './commonFields.ts';
import { editable } from './fields.ts';
import { administrators, defineTable, everyone } from './table.ts';

export const planTable = defineTable({
  kind: 'plan',
  name: 'plan',
  fields: {
    id: idField,
    ...timeFields,
    name: editable(Name('Unique name.', 'team'), { required: true }),
    maxUsers: editable(Count('Most users of a tenant.', 5), { required: true }),
    maxContracts: editable(Count('Most contracts of a tenant.', 25), { required: true }),
    maxProjects: editable(Count('Most projects of a tenant.', 5), { required: true }),
    maxTriggers: editable(Count('Most triggers of a tenant.', 50), { required: true }),
    maxDetectors: editable(Count('Most detectors of a tenant.', 100), { required: true }),
    maxWallets: editable(Count('Most wallets of a tenant.', 5), { required: true }),
    maxActions: editable(Count('Most actions of a tenant.', 25), { required: true }),
    maxApiKeys: editable(Count('Most API keys of a tenant.', 10), { required: true }),
    detectorRateLimit: editable(
      Count(
        'Most detector alerts of one severity and above that notify a tenant in `detectorRateLimitDuration`.',
        1000,
      ),
      { default: 1000 },
    ),
    detectorRateLimitDuration: editable(
      Count('Length of that time in milliseconds.', 3_600_000, Number.MAX_SAFE_INTEGER),
      { default: 3_600_000 },
    ),
    maxDestinations: editable(Count('Most destinations of a tenant.', 100), { default: 100, detail: true }),
    maxLabels: editable(Count('Most address labels of a tenant.', 100_000), {
      default: 100_000,
      detail: true,
    }),
    maxStreams: editable(
      Count('Most streams of alerts that a tenant has open at once, in each process.', 20),
      { default: 20, detail: true },
    ),
    maxInvites: editable(Count('Most open invites of a tenant.', 50), { default: 50, detail: true }),
    maxViews: editable(Count('Most saved views of a tenant.', 200), { default: 200, detail: true }),
    maxTimeSets: editable(Count('Most time sets of a tenant.', 200), { default: 200, detail: true }),
    maxSilences: editable(Count('Most silences of a tenant that have not ended.', 1000), {
      default: 1000,
      detail: true,
    }),
    maxSchedules: editable(Count('Most on-call schedules of a tenant.', 200), { default: 200, detail: true }),
    maxEscalationChains: editable(Count('Most escalation chains of a tenant.', 200), {
      default: 200,
      detail: true,
    }),
    maxRoutes: editable(Count('Most routes of a tenant.', 1000), { default: 1000, detail: true }),
    maxInhibitions: editable(Count('Most inhibitions of a tenant.', 200), { default: 200, detail: true }),
    maxPlannedChanges: editable(Count('Most planned changes of a tenant whose window has not ended.', 200), {
      default: 200,
      detail: true,
    }),
    apiKeyDays: editable(
      Type.Integer({
        description: 'Most days that an API key lives, and how long it does where no `lifetime` is given.',
        minimum: 1,
        maximum: 3650,
        examples: [365],
      }),
      { default: 365, detail: true },
    ),
    maxPushedAlerts: editable(Count('Most alerts that a tenant pushes in a minute.', 6000), {
      default: 6000,
      detail: true,
    }),
  },
  searched: searchedStatus,
  visible: everyone,
  writable: administrators,
  unique: { plan_name: { member: 'name', message: 'Another plan has this name.' } },
});
