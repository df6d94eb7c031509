import { chainUids } from '../../../chains/chains.ts';
import { labelTags } from '../../../model/label.ts';
import { prepareLabel } from '../../../services/labels/prepareLabel.ts';
import { labelTable } from '../../../store/labels/labelTable.ts';
import { fixed, given } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Count, Id, Name, OneOf, Text, Words } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

export const labelTenant = Id(
  'The owning tenant; your own if left out. An administrator who leaves it out makes a label for the whole platform, which every tenant sees.',
);
export const labelChain = OneOf(
  chainUids,
  'The chain on which the label holds; every EVM chain if left out.',
  'ethereum',
);
export const labelTagWords = Words(
  `What the address is known as, kept in capitals. Detectors know ${labelTags.join(', ')}; others may be used.`,
  ['MIXER'],
);
export const labelSource = Text(
  'Where the label comes from; the same address may have one of each source.',
  'OFAC',
  {
    max: 200,
    pattern: '\\S',
  },
);

export const label = defineResource({
  path: '/label',
  tag: 'Labels',
  noun: 'label',
  about:
    'What is known of an address: sanctions, exploits, mixers, bridges, spenders. Detectors look labels up while they watch.',
  table: labelTable,
  owner: 'anyone',
  limit: 'maxLabels',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: fixed(labelTenant),
    chainUid: fixed(labelChain),
    address: fixed(
      Text('The address, shown in its canonical spelling.', '0x8589427373d6d84e98730d7795d8f6f8731fda16', {
        max: 200,
      }),
      { required: true },
    ),
    name: given(Name('What to call the address.', 'Mixer router')),
    tags: given(labelTagWords, { default: [] }),
    score: given(Count('How suspicious the address is, from 0 to 100.', 90, 100), { default: 100 }),
    source: given(labelSource),
    note: given(Text('Anything else worth knowing.', 'Seen in two drains.', { max: 10_000 })),
  },
  prepare: prepareLabel,
});
