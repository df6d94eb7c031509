import { Type } from 'typebox';
import { Id, Millis } from '../../model/schema.ts';
import { idField, statusField, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable, one, writeOnly } from './fields.ts';
import { planTable } from './planTable.ts';
import { administrators, byTenant, defineTable } from './table.ts';

export const subscriptionTable = defineTable({
  kind: 'subscription',
  name: 'subscription',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: createOnly(tenantId, { notNull: true }),
    startDate: editable(Millis('When it begins; now if left out.'), { notNull: true }),
    expirationDate: editable(Millis('When it ends; later than `startDate`.', 1_826_236_800_000), {
      required: true,
    }),
    plan: one('The plan.', { from: (t) => `plan p where p.id = ${t}.plan_id`, alias: 'p' }, planTable.fields),
    planId: writeOnly(Id('The plan.'), { required: true, searchable: true }),
    notifyBeforeExpireDays: editable(
      Type.Unsafe<number[]>({
        type: 'array',
        items: { type: 'integer', minimum: 0, maximum: 3650 },
        uniqueItems: true,
        maxItems: 100,
        description: 'Days before the end on which a notice is mailed.',
        examples: [[30, 7, 1]],
      }),
      { default: [] },
    ),
  },
  visible: byTenant,
  writable: administrators,
});
