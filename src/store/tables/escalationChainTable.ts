import { type Static, Type } from 'typebox';
import { Id, List, Name, nullable, Shape, Text } from '../../model/schema.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const step = Shape(
  {
    userId: nullable(Id('Calls this user by the destinations of the contact (`/contact`).')),
    scheduleId: nullable(Id('Calls the user who is on call by this schedule at that time.')),
    destinationId: nullable(Id('Calls this destination.')),
    waitMinutes: Type.Integer({
      description: 'How long it waits for an answer before the next step.',
      minimum: 0,
      maximum: 1440,
      examples: [5],
    }),
  },
  ['waitMinutes'],
);

export const escalationChainTable = defineTable({
  kind: 'escalationchain',
  name: 'escalation_chain',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    name: editable(Name('Name, unique in the tenant.', 'Treasury'), { required: true }),
    description: editable(Text('Its purpose.', 'Everything that moves money.')),
    steps: editable(
      Type.Unsafe<Static<typeof step>[]>({
        ...List(step, 'Who is called, in this order. Each names one of user, schedule or destination.', {
          minItems: 1,
          maxItems: 20,
        }),
        examples: [[{ destinationId: 1, waitMinutes: 5 }]],
      }),
      { required: true },
    ),
    repeat: editable(
      Type.Integer({
        description: 'How many times all steps are made again where no one answers.',
        minimum: 0,
        maximum: 9,
        examples: [2],
      }),
      { default: 0 },
    ),
  },
  searched: searchedStatus,
  hidden: { userIds: 'integer[]', scheduleIds: 'integer[]', destinationIds: 'integer[]' },
  visible: byTenant,
  writable: byTenant,
  unique: { escalation_chain_name: { member: 'name', message: 'Another escalation chain has this name.' } },
});
