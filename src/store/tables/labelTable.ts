import { sql } from '../../lib/sql.ts';
import { labelTags } from '../../model/label.ts';
import { Count, Id, Name, OneChain, Text, Words } from '../../model/schema.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { createOnly, editable } from './fields.ts';
import { byTenant, defineTable, within } from './table.ts';

export const labelTable = defineTable({
  kind: 'label',
  name: 'address_label',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: createOnly(
      Id(
        'The owning tenant; your own if left out. An administrator who leaves it out makes a label for the ' +
          'whole platform, which every tenant sees.',
      ),
    ),
    chainUid: createOnly(OneChain('The chain on which the label holds; every EVM chain if left out.')),
    address: createOnly(
      Text('The address, shown in its canonical spelling.', '0x8589427373d6d84e98730d7795d8f6f8731fda16', {
        max: 200,
      }),
      { required: true, isAddress: 'canonical' },
    ),
    name: editable(Name('What to call the address.', 'Mixer router')),
    tags: editable(
      Words(
        `What the address is known as, kept in capitals. Detectors know ${labelTags.join(', ')}; others may be used.`,
        ['MIXER'],
      ),
      { default: [] },
    ),
    score: editable(Count('How suspicious the address is, from 0 to 100.', 90, 100), { default: 100 }),
    source: editable(
      Text('Where the label comes from; the same address may have one of each source.', 'OFAC', {
        max: 200,
        pattern: '\\S',
      }),
    ),
    note: editable(Text('Anything else worth knowing.', 'Seen in two drains.', { max: 10_000 })),
  },
  hidden: { addressHash: 'integer' },
  visible: within((scope) => sql`(t.tenant_id is null or t.tenant_id = any(${scope.tenantIds}))`),
  writable: byTenant,
  unique: {
    address_label_key: {
      member: 'address',
      message: 'This address already has a label of this source on this chain; change that one.',
    },
  },
});
