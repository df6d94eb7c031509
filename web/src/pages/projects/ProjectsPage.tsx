import type { Project } from '../../../../sdk/src/index.ts';
import { Tags } from '../../parts/Badge.tsx';
import { type RecordKind, RecordPage } from '../../parts/RecordPage.tsx';
import { Time } from '../../parts/Time.tsx';

const projects: RecordKind<Project> = {
  path: '/project',
  singular: 'project',
  plural: 'Projects',
  about:
    'A project holds the contracts that are watched together. Create one, then paste the address of a contract.',
  isOfTenant: true,
  searched: ['name'],
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    {
      name: 'network',
      title: 'Network',
      width: '110px',
      wideOnly: true,
      show: ({ networkStatus }) => networkStatus,
    },
    { name: 'tags', title: 'Tags', wideOnly: true, show: ({ tags }) => <Tags tags={tags} /> },
    { name: 'updated', title: 'Changed', width: '110px', show: ({ updatedAt }) => <Time at={updatedAt} /> },
  ],
  form: { hidden: ['licenses', 'meta', 'type'], order: ['name', 'description', 'networkStatus', 'website'] },
};

export default function ProjectsPage() {
  return <RecordPage kind={projects} />;
}
