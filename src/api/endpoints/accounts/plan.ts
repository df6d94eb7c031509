import { Problem } from '../../../model/errors.ts';
import { Id, Shape } from '../../../model/schema.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { planTable } from '../../../store/tables/planTable.ts';
import { defineResource } from '../../http/defineResource.ts';

const limits = Object.entries(planTable.fields).filter(([name]) => name.startsWith('max'));
const perLimit = (description: string) =>
  Shape(
    Object.fromEntries(limits.map(([name, { schema }]) => [name, schema])),
    limits.map(([name]) => name),
    description,
  );

/** The plan of a tenant beside what the tenant has. */
export const planUse = Shape(
  {
    id: Id('The plan.'),
    name: planTable.fields.name.schema,
    limits: perLimit('Limit of the plan.'),
    use: perLimit('What the tenant has of each.'),
  },
  ['id', 'name', 'limits', 'use'],
  'Plan of the tenant.',
);

export const plan = defineResource({
  path: '/plan',
  tag: 'Plans',
  about: 'The quantities that a tenant may have. Tenants without a subscription have the plan named free.',
  table: planTable,
  owner: 'platform',
  beforeDelete: async (call, current) => {
    if (current.id === 1)
      throw new Problem(
        'conflict',
        'The default plan cannot be deleted: tenants without a subscription are on it. Change it instead.',
      );
    await refuseIfUsed(call, 'subscriptions of a plan', current.id, 'subscriptions use this plan');
  },
});
