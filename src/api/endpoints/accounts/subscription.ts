import { prepareSubscription } from '../../../services/accounts/prepareSubscription.ts';
import { planTable } from '../../../store/tables/planTable.ts';
import { subscriptionTable } from '../../../store/tables/subscriptionTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const subscription = defineResource({
  path: '/subscription',
  tag: 'Subscriptions',
  about: 'A subscription gives a tenant a plan for a time.',
  table: subscriptionTable,
  owner: 'tenant',
  references: { planId: planTable },
  prepare: prepareSubscription,
});
