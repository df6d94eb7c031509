import { actionTable } from '../actions/actionTable.ts';
import { boundDestination, destinationTable } from '../destinations/destinationTable.ts';
import { byTenant, id, status, type Table, times } from '../table.ts';

export const triggerTable: Table = {
  kind: 'trigger',
  name: '"trigger"',
  members: {
    ...id,
    ...times,
    ...status,
    contractId: { type: 'integer' },
    name: { type: 'string' },
    triggerType: { type: 'string' },
    interceptorType: { type: 'string' },
    params: { type: 'json' },
    tags: { type: 'string[]' },
    alerts: {
      type: 'many',
      from: 'trigger_alert a where a.tenant_id = t.tenant_id and a.trigger_id = t.id',
      alias: 'a',
      members: {
        ...id,
        ...times,
        severity: { type: 'string' },
        name: { type: 'string' },
        message: { type: 'string' },
        destinations: {
          type: 'many',
          from: 'trigger_alert_destination b where b.tenant_id = a.tenant_id and b.trigger_alert_id = a.id',
          alias: 'b',
          members: { ...id, ...times, ...boundDestination('b', 'without type') },
        },
        actions: {
          type: 'many',
          from: 'action_trigger_alert b where b.tenant_id = a.tenant_id and b.trigger_alert_id = a.id',
          alias: 'b',
          members: {
            ...id,
            ...times,
            scriptFilter: { type: 'string' },
            scriptParams: { type: 'json' },
            actionId: { type: 'integer' },
          },
        },
      },
    },
    tenantId: { type: 'integer' },
  },
  visible: byTenant,
  writable: byTenant,
  unbinds: [{ table: 'trigger_alert', column: 'trigger_id' }],
  bindings: [
    {
      member: 'alerts',
      table: 'trigger_alert',
      parent: 'trigger_id',
      items: { severity: { type: 'string' }, name: { type: 'string' }, message: { type: 'string' } },
      bindings: [
        {
          member: 'destinations',
          table: 'trigger_alert_destination',
          parent: 'trigger_alert_id',
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
          table: 'action_trigger_alert',
          parent: 'trigger_alert_id',
          items: {
            scriptFilter: { type: 'string' },
            scriptParams: { type: 'json' },
            actionId: { type: 'integer', references: () => actionTable },
          },
        },
      ],
    },
  ],
};
