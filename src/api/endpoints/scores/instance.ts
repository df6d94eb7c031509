import { licenseStatuses } from '../../../model/enumerations.ts';
import { finishInstance, prepareInstance } from '../../../services/scores/prepareInstance.ts';
import { organisationTable } from '../../../store/accounts/organisationTable.ts';
import { projectTable } from '../../../store/contracts/projectTable.ts';
import { instanceTable } from '../../../store/scores/instanceTable.ts';
import { licenseTable } from '../../../store/scores/licenseTable.ts';
import { fixed, given, hidden, output, replySchema } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Id, List, OneOf } from '../../http/schema.ts';
import { idField, statusField, timeFields } from '../records/common.ts';
import { embeddedMeta } from './instanceMeta.ts';
import { licenseSchema } from './license.ts';

const fields = {
  license: output(licenseSchema, { always: true }),
  licenseId: hidden(Id('The license; on a change another version of it.'), {
    required: true,
    references: licenseTable,
  }),
  organisationId: fixed(Id('The organisation that grants the license.'), {
    required: true,
    references: organisationTable,
  }),
  projectId: fixed(Id('The licensed project.'), { required: true }),
  licenseStatus: given(
    OneOf(licenseStatuses, 'PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED.', 'PENDING'),
    {
      default: 'PENDING',
    },
  ),
  id: idField,
  ...timeFields,
  status: statusField,
  licenseInstanceMeta: output(List(embeddedMeta, 'Times in which the license is valid.'), { always: true }),
};

/** The license instance inside a project. */
export const instanceSchema = replySchema(fields);

export const instance = defineResource({
  path: '/instance',
  tag: 'Licenses and scores',
  noun: 'license instance',
  about:
    'Binds a license to an organisation and a project. While it is LICENCED and ACTIVE, alerts that fall into one of its periods change its scores.',
  table: instanceTable,
  owner: { member: 'projectId', table: projectTable, use: 'read' },
  fields,
  prepare: prepareInstance,
  finish: finishInstance,
});
