import { sql } from '../../lib/sql.ts';
import { Flag, Id, Name, Text, Words } from '../../model/schema.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly } from './fields.ts';
import { defineTable, within } from './table.ts';

const ownOrShared = within(
  (scope) => sql`(t.tenant_id = any(${scope.tenantIds})
    and (t.shared or t.owner_id = ${scope.userId ?? null}::bigint))`,
);

export const viewTable = defineTable({
  kind: 'view',
  name: 'saved_view',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    ownerId: readOnly(Id('The user whose view it is; null if a token without a user made it.')),
    name: editable(Name('Name, unique among the views of its owner.', 'Open and critical'), {
      required: true,
    }),
    query: editable(
      Text('The query string of the search of alerts; blank finds all.', 'severity:CRITICAL', {
        max: 32_000,
      }),
      { default: '' },
    ),
    columns: editable(
      Words('Members of the alerts that are shown, in this order; `meta.amount` is a member of `meta`.', [
        'timestamp',
        'name',
        'meta.amount',
      ]),
      { default: [] },
    ),
    timeRange: editable(
      Text(
        'The time that is searched: the last minutes, hours or days (`30m`, `24h`, `7d`), or from one time to ' +
          'another in epoch milliseconds (`1792108800000-1794787199999`).',
        '24h',
        { max: 40, pattern: '^(\\d{1,6}[mhd]|\\d{1,15}-\\d{1,15})$' },
      ),
    ),
    shared: editable(Flag('Whether everyone in the tenant sees it.'), { default: false }),
  },
  searched: searchedStatus,
  visible: ownOrShared,
  // Of what others share, `prepareView` decides.
  writable: ownOrShared,
  unique: { saved_view_name: { member: 'name', message: 'You have another view with this name.' } },
});
