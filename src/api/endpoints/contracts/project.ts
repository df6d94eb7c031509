import { finishProject, prepareProject } from '../../../services/contracts/shares.ts';
import { projectTable } from '../../../store/tables/projectTable.ts';
import { defineResource } from '../../http/defineResource.ts';

export const project = defineResource({
  path: '/project',
  tag: 'Projects',
  about:
    'A project holds the contracts that are watched together, and can be shared with other tenants for reading.',
  table: projectTable,
  owner: 'tenant',
  limit: 'maxProjects',
  prepare: prepareProject,
  finish: finishProject,
});
