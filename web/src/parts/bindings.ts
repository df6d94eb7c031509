import { client } from '../state/api.ts';
import type { Fields } from '../state/fields.ts';
import type { Schema } from '../state/schemas.ts';
import { can } from '../state/session.ts';

const kept = new Set([
  'tenantDestinationId',
  'minSeverity',
  'query',
  'afterConfirmations',
  'actionId',
  'detectorId',
  'triggerAlertId',
  'scriptFilter',
  'scriptParams',
]);
const names = ['destinations', 'actions', 'detectors', 'triggerAlerts'];

/** Leaves of a schema's bindings what a person chooses; the rest is the server's. */
export function shapeBindings(schema: Schema): Schema {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, member]) => [
      name,
      names.includes(name) && member.items?.properties
        ? { ...member, items: shapeItems(member.items) }
        : member,
    ]),
  );
  return { ...schema, properties };
}

function shapeItems(items: Schema): Schema {
  const properties = Object.fromEntries(
    Object.entries(items.properties ?? {})
      .filter(([name]) => kept.has(name))
      .map(([name, member]) => [name, name === 'scriptFilter' ? { ...member, format: 'script' } : member]),
  );
  return { ...items, properties, required: Object.keys(properties).filter((name) => name.endsWith('Id')) };
}

/** A record with its bindings as the form and the API take them: each destination by its id. */
export function bindingsToForm(record: object): Fields {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      names.includes(name) && Array.isArray(value) ? value.map(toBinding) : value,
    ]),
  );
}

function toBinding(binding: Fields): Fields {
  const { createdAt: _created, updatedAt: _updated, tenantDestination, ...rest } = binding;
  const destination = tenantDestination as { id: number } | undefined;
  return destination ? { ...rest, tenantDestinationId: destination.id } : rest;
}

type Bound = { destinations: readonly { id: number; tenantDestination: { id: number } }[] };

/** The record with the filters of its destinations, which only the destinations tell. */
export async function withFilters<Row extends Bound>(
  kind: 'detector' | 'trigger' | 'action',
  record: Row,
  signal: AbortSignal,
): Promise<Row> {
  if (!can('GET /destination/{id}/binding')) return record;
  const ids = new Set(record.destinations.map(({ tenantDestination }) => tenantDestination.id));
  const lists = await Promise.all(
    [...ids].map((id) => client.get('/destination/{id}/binding', { path: { id }, signal })),
  );
  const bound = lists.flatMap(({ data }) => data).filter((one) => one.kind === kind);
  const destinations = record.destinations.map((binding) => {
    const found = bound.find(({ bindingId }) => bindingId === binding.id);
    const { minSeverity, query, afterConfirmations } = found ?? {};
    return { ...binding, minSeverity, query, afterConfirmations };
  });
  return { ...record, destinations };
}

/** Names that the scripts of a binding can use, for completion. */
export const alertNames = [
  'e.severity',
  'e.name',
  'e.message',
  'e.txHash',
  'e.blockNumber',
  'e.chainUid',
  'e.contractId',
  'e.detectorId',
  'e.triggerId',
  'e.timestamp',
  'e.tags',
  'e.meta',
  'a.name',
  'a.contractId',
].map((name) => ({ name, detail: name.startsWith('e.') ? 'alert' : 'action' }));
