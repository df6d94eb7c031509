import { roles } from '../../model/principal.ts';
import { Id, Name, SomeOf, Text } from '../../model/schema.ts';
import { apiKeyTable } from './apiKeyTable.ts';
import { idField, statusField, timeFields } from './commonFields.ts';
import { createOnly, editable, readOnly, writeOnly } from './fields.ts';
import { byTenantOrOrganisation, defineTable } from './table.ts';

export const userTable = defineTable({
  kind: 'user',
  name: 'member',
  fields: {
    id: idField,
    ...timeFields,
    status: statusField,
    tenantId: createOnly(Id('The tenant of the user; none for an administrator.')),
    organisationId: readOnly(Id('The organisation of that tenant.'), {
      as: (t) => `(select n.organisation_id from tenant n where n.id = ${t}.tenant_id)`,
    }),
    email: editable(
      Text(
        'Unique in the tenant, kept in lower case; the user logs in with it. A new one needs a new ' +
          '`password` along with it.',
        'alice@example.com',
        { max: 254, format: 'email' },
      ),
      {
        required: true,
      },
    ),
    name: editable(Name('How the user is called.', 'Alice')),
    roles: editable(SomeOf(roles, 'What the user may do.', ['tenant-manager'], 1), { required: true }),
    password: writeOnly(
      Text(
        '12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own ' +
          'names are refused.',
        'correct horse battery',
        { min: 12, max: 200 },
      ),
    ),
  },
  hidden: { passwordHash: 'string' },
  visible: byTenantOrOrganisation,
  writable: byTenantOrOrganisation,
  owns: () => [{ table: apiKeyTable, column: 'member_id' }],
  unique: {
    member_email: { member: 'email', message: 'Another user of the tenant has this e-mail address.' },
  },
});
