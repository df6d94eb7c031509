import { Flag, Name, Text } from '../../model/schema.ts';
import { idField, statusField, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const query = (description: string, example: string) =>
  Text(`${description} A query string as in the search of alerts.`, example, { max: 10_000, pattern: '\\S' });

export const inhibitionTable = defineTable({
  kind: 'inhibition',
  name: 'inhibition',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    status: statusField,
    name: editable(Name('What people call it.', 'A drain explains the rest'), { required: true }),
    description: editable(Text('Its purpose.', 'Outflows and price moves follow from a drain.')),
    sourceQuery: editable(
      query(
        'While an incident with such an alert is open, it holds others of the same contract.',
        'name:drain',
      ),
      { required: true },
    ),
    targetQuery: editable(
      query(
        'The alerts of the same contract of which no one is notified meanwhile. One that the other query ' +
          'finds too is notified.',
        'kind:detector AND tags:FINANCIAL',
      ),
      { required: true },
    ),
    includeCritical: editable(
      Flag('Whether it holds CRITICAL alerts too; people are notified of them otherwise.'),
      { default: false },
    ),
  },
  hidden: { cost: 'integer' },
  visible: byTenant,
  writable: byTenant,
});
