import { Type } from 'typebox';
import { prepareSubscription } from '../../../services/accounts/prepareSubscription.ts';
import { planTable } from '../../../store/accounts/planTable.ts';
import { subscriptionTable } from '../../../store/accounts/subscriptionTable.ts';
import { fixed, given, hidden, output } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, Millis, Shape } from '../../http/schema.ts';
import { idField, statusField, tenantId, timeFields } from '../records/common.ts';
import { planSchema } from './plan.ts';

export const subscription = defineResource({
  path: '/subscription',
  tag: 'Subscriptions',
  noun: 'subscription',
  about: 'A subscription gives a tenant a plan for a time.',
  table: subscriptionTable,
  owner: 'tenant',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: fixed(tenantId, { always: true }),
    startDate: given(Millis('When it begins; now if left out.'), { always: true }),
    expirationDate: given(Millis('When it ends; later than `startDate`.', 1_826_236_800_000), {
      required: true,
    }),
    plan: output(Shape(planSchema, Object.keys(planSchema), 'The plan.'), { always: true }),
    planId: hidden(Id('The plan.'), { required: true, references: planTable }),
    notifyBeforeExpireDays: given(
      Type.Unsafe<number[]>({
        type: 'array',
        items: { type: 'integer', minimum: 0, maximum: 3650 },
        uniqueItems: true,
        maxItems: 100,
        description: 'How many days before the end a notice is mailed, once each.',
        examples: [[30, 7, 1]],
      }),
      { default: [] },
    ),
  },
  prepare: prepareSubscription,
});
