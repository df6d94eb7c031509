import { boundDestination, destinationTable } from '../destinations/destinationTable.ts';
import { byTenant, id, status, type Table, times } from '../table.ts';

/** What an action binds to; only enough of each to check that it is the tenant's. */
const detectorReference: Table = {
  kind: 'detector',
  name: 'detector',
  members: { ...id, tenantId: { type: 'integer' } },
  visible: byTenant,
  writable: byTenant,
};
const triggerAlertReference: Table = { ...detectorReference, kind: 'trigger alert', name: 'trigger_alert' };

export const actionTable: Table = {
  kind: 'action',
  name: 'action',
  members: {
    ...id,
    ...times,
    walletId: { type: 'integer' },
    contractId: { type: 'integer' },
    name: { type: 'string' },
    funcSignature: { type: 'string' },
    params: { type: 'json' },
    funcAbi: { type: 'json' },
    gasPrice: { type: 'string' },
    gasLimit: { type: 'integer' },
    gasTip: { type: 'string' },
    description: { type: 'string' },
    destinations: {
      type: 'many',
      from: 'action_destination b where b.tenant_id = t.tenant_id and b.action_id = t.id',
      alias: 'b',
      members: { ...id, ...times, ...boundDestination('b', 'without type') },
    },
    detectors: {
      type: 'many',
      from: 'action_detector b where b.tenant_id = t.tenant_id and b.action_id = t.id',
      alias: 'b',
      members: {
        ...id,
        ...times,
        scriptFilter: { type: 'string' },
        scriptParams: { type: 'json' },
        detectorId: { type: 'integer' },
      },
    },
    triggerAlerts: {
      type: 'many',
      from: 'action_trigger_alert b where b.tenant_id = t.tenant_id and b.action_id = t.id',
      alias: 'b',
      members: {
        ...id,
        ...times,
        scriptFilter: { type: 'string' },
        scriptParams: { type: 'json' },
        triggerAlertId: { type: 'integer' },
      },
    },
    tenantId: { type: 'integer' },
    fireAt: { type: 'string' },
    maxAlertAge: { type: 'integer' },
    ...status,
  },
  visible: byTenant,
  writable: byTenant,
  unbinds: [
    { table: 'action_destination', column: 'action_id' },
    { table: 'action_detector', column: 'action_id' },
    { table: 'action_trigger_alert', column: 'action_id' },
  ],
  bindings: [
    {
      member: 'destinations',
      table: 'action_destination',
      parent: 'action_id',
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
      member: 'detectors',
      table: 'action_detector',
      parent: 'action_id',
      items: {
        scriptFilter: { type: 'string' },
        scriptParams: { type: 'json' },
        detectorId: { type: 'integer', references: () => detectorReference },
      },
    },
    {
      member: 'triggerAlerts',
      table: 'action_trigger_alert',
      parent: 'action_id',
      items: {
        scriptFilter: { type: 'string' },
        scriptParams: { type: 'json' },
        triggerAlertId: { type: 'integer', references: () => triggerAlertReference },
      },
    },
  ],
};
