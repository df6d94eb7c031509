import { administrators, byTenant, id, status, type Table, times } from '../table.ts';
import { planTable } from './planTable.ts';

/** The plan as a subscription shows it, which is specified to the member. */
const {
  status: _status,
  maxDestinations: _maxDestinations,
  maxLabels: _maxLabels,
  maxStreams: _maxStreams,
  maxInvites: _maxInvites,
  maxPushedAlerts: _maxPushedAlerts,
  ...planMembers
} = planTable.members;

export const subscriptionTable: Table = {
  kind: 'subscription',
  name: 'subscription',
  members: {
    ...id,
    ...times,
    ...status,
    tenantId: { type: 'integer' },
    startDate: { type: 'integer' },
    expirationDate: { type: 'integer' },
    plan: { type: 'one', from: 'plan p where p.id = t.plan_id', alias: 'p', members: planMembers },
    planId: { type: 'integer' },
    notifyBeforeExpireDays: { type: 'integer[]' },
  },
  visible: byTenant,
  writable: administrators,
};
