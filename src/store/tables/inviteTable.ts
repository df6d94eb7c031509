import { roles } from '../../model/principal.ts';
import { Id, Millis, SomeOf, Text } from '../../model/schema.ts';
import { idField, searchedStatus, timeFields } from './commonFields.ts';
import { readOnly } from './fields.ts';
import { byTenantOrOrganisation, defineTable } from './table.ts';

export const inviteTable = defineTable({
  kind: 'invite',
  name: 'invite',
  fields: {
    email: readOnly(
      Text('Address the invite is made for.', 'bob@example.com', { max: 254, format: 'email' }),
      { notNull: true },
    ),
    roles: readOnly(SomeOf(roles, 'Roles granted to the invited user.', ['tenant-viewer'], 1), {
      notNull: true,
    }),
    id: idField,
    ...timeFields,
    tenantId: readOnly(Id('The tenant that the user will belong to.')),
    organisationId: readOnly(Id('The organisation of that tenant.')),
    expiredAt: readOnly(Millis('When the invite expires.'), { notNull: true }),
  },
  searched: searchedStatus,
  hidden: {
    url: 'string',
    uidHash: 'bytes',
    acceptedAt: 'integer',
    makerId: 'integer',
    makerTokenId: 'integer',
  },
  visible: byTenantOrOrganisation,
  writable: byTenantOrOrganisation,
  unique: {
    invite_open: {
      member: 'email',
      message: 'Another invite for this address is being made at this moment.',
    },
  },
});
