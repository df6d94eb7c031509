import { finishInstance, prepareInstance } from '../../../services/scores/prepareInstance.ts';
import { instanceTable } from '../../../store/tables/instanceTable.ts';
import { licenseTable } from '../../../store/tables/licenseTable.ts';
import { organisationTable } from '../../../store/tables/organisationTable.ts';
import { projectTable } from '../../../store/tables/projectTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const instance = defineResource({
  path: '/instance',
  tag: 'Licenses and scores',
  about:
    'Binds a license to an organisation and a project. While it is LICENCED and ACTIVE, alerts that fall into one of its periods change its scores.',
  table: instanceTable,
  owner: { member: 'projectId', table: projectTable, use: 'read' },
  references: { licenseId: licenseTable, organisationId: organisationTable },
  prepare: prepareInstance,
  finish: finishInstance,
});
