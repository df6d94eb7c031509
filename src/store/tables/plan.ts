import { administrators, everyone, id, status, type Table, times } from '../table.ts';

export const planTable: Table = {
  kind: 'plan',
  name: 'plan',
  members: {
    ...id,
    ...times,
    name: { type: 'string' },
    maxUsers: { type: 'integer' },
    maxContracts: { type: 'integer' },
    maxProjects: { type: 'integer' },
    maxTriggers: { type: 'integer' },
    maxDetectors: { type: 'integer' },
    maxWallets: { type: 'integer' },
    maxActions: { type: 'integer' },
    maxApiKeys: { type: 'integer' },
    detectorRateLimit: { type: 'integer' },
    detectorRateLimitDuration: { type: 'integer' },
    ...status,
  },
  visible: everyone,
  writable: administrators,
  unique: { plan_name: { member: 'name', message: 'Another plan has this name.' } },
};
