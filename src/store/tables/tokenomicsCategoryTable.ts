import { Id, Name, Text } from '../../model/schema.ts';
import { idField, searchedTenant, statusField, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';
import { tokenomicsScheduleTable } from './tokenomicsScheduleTable.ts';

export const tokenomicsCategoryTable = defineTable({
  kind: 'tokenomics/category',
  name: 'tokenomics_category',
  fields: {
    id: idField,
    uid: readOnly(
      Text('Identifier that can stand for the id when deleting.', '0b8f6f0e-4a52-4a5e-9a32-6f1f2a3c4d5e'),
      { notNull: true },
    ),
    ...timeFields,
    status: statusField,
    contractId: createOnly(Id('The token contract.'), { required: true }),
    name: editable(Name('Name of the category.', 'Team'), { required: true }),
    description: editable(Text('What the share is for.', 'Vests over four years.', { max: 10_000 })),
    address: editable(
      Text(
        'Address that holds the allocation, in the form of the contract’s chain.',
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        { max: 200 },
      ),
      { isAddress: true },
    ),
    amount: editable(Text('The whole allocation in tokens.', '1000000', { max: 160, format: 'amount' })),
  },
  searched: searchedTenant,
  visible: byTenant,
  writable: byTenant,
  owns: () => [{ table: tokenomicsScheduleTable, column: 'category_id', ofTenant: true }],
});
