import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { detectorSchemaTable } from '../../../store/detectors/detectorSchemaTable.ts';
import { given, replySchema } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Icon, JsonObject, Name, Text, Words } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

const fields = {
  id: idField,
  ...timeFields,
  status: statusField,
  title: given(Name('Title for people.', 'Ownership change'), { required: true }),
  name: given(Text('Name of the detector.', 'ownership_change', { max: 100, pattern: '\\S' }), {
    required: true,
  }),
  version: given(Text('Version of the schema.', '1.0.0', { max: 50, pattern: '\\S' }), { required: true }),
  description: given(Text('What it detects.', 'The owner of the contract changes.', { max: 10_000 })),
  author: given(Text('Who wrote it.', 'Vigil')),
  icon: given(Icon('Address of an icon.', 'https://example.com/owner.png')),
  tags: given(Words('Category and further labels.', ['SECURITY']), { default: [] }),
  networkTags: given(Words('Chain families that it works on.', ['evm']), { default: [] }),
  configSchema: given(JsonObject('JSON Schema of the configuration.', { type: 'object' })),
};

/** The schema inside a detector. */
export const nestedSchema = replySchema(fields, ['configSchema'], 'The detector schema.');

export const detectorSchema = defineResource({
  path: '/detector/schema',
  tag: 'Detectors',
  noun: 'detector schema',
  about: 'What a detector looks for and how it is configured.',
  table: detectorSchemaTable,
  owner: 'platform',
  fields,
  beforeDelete: (call, { id }) =>
    refuseIfUsed(call, 'detectors of a schema', Number(id), 'detectors use this schema'),
});
