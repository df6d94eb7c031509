import { keyRoles } from '../../model/principal.ts';
import { Id, Millis, Name, SomeOf, Text } from '../../model/schema.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly } from './fields.ts';
import { byTenant, defineTable } from './table.ts';

export const apiKeyTable = defineTable({
  kind: 'apikey',
  name: 'access_token',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: createOnly(Id('The tenant that the key acts in; your own if left out.')),
    userId: readOnly(Id('The user who made the key.'), { as: (t) => `${t}.member_id` }),
    label: editable(Name('What the key is for.', 'ci')),
    roles: readOnly(
      SomeOf(
        keyRoles,
        'What the key may do: roles that you hold yourself, or `tenant-ingest`, which pushes findings and reads ' +
          'nothing.',
        ['tenant-viewer'],
        1,
      ),
      { notNull: true },
    ),
    hint: readOnly(Text('The end of the key, to recognise it by.', '…x7Qk'), { notNull: true }),
    expiredAt: readOnly(Millis('When the key ends; null if never.')),
  },
  hidden: { kind: 'string', memberId: 'integer', hash: 'bytes' },
  visible: byTenant,
  writable: byTenant,
  only: "t.kind = 'API_KEY'",
});
