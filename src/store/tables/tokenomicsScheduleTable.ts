import { Id, List, Millis, Name, Shape, Text } from '../../model/schema.ts';
import { idField, searchedTenant, statusField, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

export const tokenomicsScheduleTable = defineTable({
  kind: 'tokenomics/schedule',
  name: 'tokenomics_schedule',
  fields: {
    id: idField,
    uid: readOnly(
      Text('Identifier that can stand for the id when deleting.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
      { notNull: true },
    ),
    ...timeFields,
    status: statusField,
    categoryId: createOnly(Id('The category.'), { required: true }),
    name: editable(Name('Name of the schedule.', 'Yearly'), { required: true }),
    amounts: editable(
      List(
        Shape(
          {
            timestamp: Millis('When the amount is released.'),
            amount: Text('How many tokens.', '250000', { max: 160, format: 'amount' }),
          },
          ['timestamp', 'amount'],
        ),
        'Dated amounts, kept in order of time; several of one time add up.',
        { minItems: 1, maxItems: 1000 },
      ),
      { required: true },
    ),
  },
  searched: searchedTenant,
  visible: byTenant,
  writable: byTenant,
});
