import { Icon, JsonObject, Name, Text, Words } from '../../model/schema.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { editable } from './fields.ts';
import { administrators, defineTable, everyone } from './table.ts';

export const detectorSchemaTable = defineTable({
  kind: 'detector/schema',
  name: 'detector_schema',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    title: editable(Name('Title for people.', 'Ownership change'), { required: true }),
    name: editable(Text('Name of the detector.', 'ownership_change', { max: 100, pattern: '\\S' }), {
      required: true,
    }),
    version: editable(Text('Version of the schema.', '1.0.0', { max: 50, pattern: '\\S' }), {
      required: true,
    }),
    description: editable(Text('What it detects.', 'The owner of the contract changes.', { max: 10_000 })),
    author: editable(Text('Who wrote it.', 'Vigil')),
    icon: editable(Icon('Address of an icon.', 'https://example.com/owner.png')),
    tags: editable(Words('Category and further labels.', ['SECURITY']), { default: [] }),
    networkTags: editable(Words('Chain families that it works on.', ['evm']), { default: [] }),
    configSchema: editable(JsonObject('JSON Schema of the configuration.', { type: 'object' })),
  },
  visible: everyone,
  writable: administrators,
  unique: {
    detector_schema_version: {
      member: 'version',
      message: 'This version of the detector schema exists already.',
    },
  },
});
