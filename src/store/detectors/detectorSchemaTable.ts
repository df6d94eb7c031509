import { administrators, everyone, id, status, type Table, times } from '../table.ts';

export const detectorSchemaTable: Table = {
  kind: 'detector/schema',
  name: 'detector_schema',
  members: {
    ...id,
    ...times,
    ...status,
    title: { type: 'string' },
    name: { type: 'string' },
    version: { type: 'string' },
    description: { type: 'string' },
    author: { type: 'string' },
    icon: { type: 'string' },
    tags: { type: 'string[]' },
    networkTags: { type: 'string[]' },
    configSchema: { type: 'json' },
  },
  visible: everyone,
  writable: administrators,
  unique: {
    detector_schema_version: {
      member: 'version',
      message: 'This version of the detector schema exists already.',
    },
  },
};
