import { prepareInstanceMeta } from '../../../services/scores/prepareInstanceMeta.ts';
import { instanceMetaTable } from '../../../store/scores/instanceMetaTable.ts';
import { instanceTable } from '../../../store/scores/instanceTable.ts';
import { fixed, given, replySchema } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, Text } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';

const fields = {
  id: idField,
  ...timeFields,
  licenseInstanceId: fixed(Id('The license instance.'), { required: true }),
  startedAt: given(
    Text('When the license begins, ISO 8601 UTC.', '2026-11-15T00:00:00.000Z', {
      max: 40,
      format: 'date-time',
    }),
    { required: true },
  ),
  expiredAt: given(
    Text('When it ends, ISO 8601 UTC; never if null.', '2027-11-15T00:00:00.000Z', {
      max: 40,
      format: 'date-time',
    }),
  ),
};

/** The form embedded in a license instance also carries the status. */
export const embeddedMeta = replySchema({ ...fields, status: statusField });

export const instanceMeta = defineResource({
  path: '/instance/meta',
  tag: 'Licenses and scores',
  noun: 'license instance period',
  about: 'A time in which a license instance is valid.',
  table: instanceMetaTable,
  owner: { member: 'licenseInstanceId', table: instanceTable, use: 'write' },
  fields,
  prepare: prepareInstanceMeta,
});
