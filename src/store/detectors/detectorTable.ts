import { actionTable } from '../actions/actionTable.ts';
import { boundDestination, destinationTable } from '../destinations/destinationTable.ts';
import { byTenant, id, status, type Table, times } from '../table.ts';
import { detectorSchemaTable } from './detectorSchemaTable.ts';

const { configSchema: _configSchema, ...schemaMembers } = detectorSchemaTable.members;

export const detectorTable: Table = {
  kind: 'detector',
  name: 'detector',
  members: {
    ...id,
    ...times,
    ...status,
    schema: {
      type: 'one',
      from: 'detector_schema s where s.id = t.schema_id',
      alias: 's',
      members: schemaMembers,
    },
    schemaId: { type: 'integer' },
    contractId: { type: 'integer' },
    // Only to search and sort by: the seed's record does not show it.
    projectId: {
      type: 'integer',
      as: '(select c.project_id from contract c where c.tenant_id = t.tenant_id and c.id = t.contract_id)',
    },
    name: { type: 'string' },
    source: { type: 'string' },
    tags: { type: 'string[]' },
    config: { type: 'json' },
    destinations: {
      type: 'many',
      from: 'detector_destination b where b.tenant_id = t.tenant_id and b.detector_id = t.id',
      alias: 'b',
      members: { ...id, ...times, ...status, ...boundDestination('b', 'with type') },
    },
    actions: {
      type: 'many',
      from: 'action_detector b where b.tenant_id = t.tenant_id and b.detector_id = t.id',
      alias: 'b',
      members: {
        ...id,
        ...times,
        ...status,
        scriptFilter: { type: 'string' },
        scriptParams: { type: 'json' },
        actionId: { type: 'integer' },
      },
    },
    tenantId: { type: 'integer' },
  },
  hidden: { sealedConfig: 'json' },
  visible: byTenant,
  writable: byTenant,
  unbinds: [
    { table: 'action_detector', column: 'detector_id' },
    { table: 'detector_destination', column: 'detector_id' },
  ],
  bindings: [
    {
      member: 'destinations',
      table: 'detector_destination',
      parent: 'detector_id',
      items: {
        tenantDestinationId: {
          type: 'integer',
          column: 'destination_id',
          references: () => destinationTable,
        },
        minSeverity: { type: 'string' },
        query: { type: 'string' },
      },
    },
    {
      member: 'actions',
      table: 'action_detector',
      parent: 'detector_id',
      items: {
        scriptFilter: { type: 'string' },
        scriptParams: { type: 'json' },
        actionId: { type: 'integer', references: () => actionTable },
      },
    },
  ],
};
