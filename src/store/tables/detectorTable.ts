import { detectorSources } from '../../model/enumerations.ts';
import { Id, JsonObject, Name, OneOf, Text, Words } from '../../model/schema.ts';
import { actionTable } from './actionTable.ts';
import {
  bindingFields,
  bindingStatus,
  guidanceFields,
  idField,
  scriptFields,
  searchedTenant,
  statusField,
  timeFields,
} from './commonFields.ts';
import { boundDestination } from './destinationTable.ts';
import { detectorSchemaTable } from './detectorSchemaTable.ts';
import { bindings, createOnly, editable, one, writeOnce, writeOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

const { configSchema: _configSchema, ...schemaFields } = detectorSchemaTable.fields;

export const detectorTable = defineTable({
  kind: 'detector',
  name: 'detector',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    schema: one(
      'The detector schema.',
      { from: (t) => `detector_schema s where s.id = ${t}.schema_id`, alias: 's' },
      schemaFields,
    ),
    schemaId: writeOnly(Id('The detector schema; or give `schemaName`.'), {
      notNull: true,
      searchable: true,
    }),
    schemaName: writeOnce(
      Text(
        'Name of the detector schema, instead of `schemaId`: its newest version is used.',
        'ownership_change',
        {
          max: 100,
        },
      ),
      { notNull: true },
    ),
    contractId: createOnly(Id('The contract that is watched.'), { required: true }),
    name: editable(Name('What to call it.', 'Owner watch'), { required: true }),
    source: editable(OneOf(detectorSources, 'Where its findings come from.', 'PLATFORM'), {
      default: 'PLATFORM',
    }),
    tags: editable(Words('Free labels.', ['critical']), { default: [] }),
    config: editable(JsonObject('Detector configuration.', { allowedOwners: [] }), { default: {} }),
    ...guidanceFields,
    destinations: bindings(
      'Destinations that its alerts are sent to.',
      { table: 'detector_destination', parent: 'detector_id' },
      { ...bindingFields, status: bindingStatus, ...boundDestination('with type') },
      { default: [] },
    ),
    actions: bindings(
      'Actions that its alerts fire.',
      { table: 'action_detector', parent: 'detector_id' },
      {
        ...bindingFields,
        status: bindingStatus,
        ...scriptFields,
        actionId: editable(Id('The action to fire.'), { required: true, references: () => actionTable }),
      },
      { default: [] },
    ),
  },
  searched: {
    ...searchedTenant,
    // The record does not show it.
    projectId: {
      type: 'integer',
      as: '(select c.project_id from contract c where c.tenant_id = t.tenant_id and c.id = t.contract_id)',
    },
  },
  hidden: { sealedConfig: 'json' },
  visible: byTenant,
  writable: byTenant,
  unbinds: [
    { table: 'action_detector', column: 'detector_id' },
    { table: 'detector_destination', column: 'detector_id' },
  ],
});
