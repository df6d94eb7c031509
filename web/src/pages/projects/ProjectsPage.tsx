import type { Project } from '../../../../sdk/src/index.ts';
import { Tags } from '../../parts/Badge.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { search, setSearch } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { AddContract } from '../contracts/AddContract.tsx';
import { contractKind } from '../contracts/contractKind.tsx';
import { Shares } from './Shares.tsx';

export const projectKind: RecordKind<Project> = {
  path: '/project',
  singular: 'project',
  plural: 'Projects',
  about:
    'A project holds the contracts that are watched together. Create one, then paste the address of a contract.',
  isOfTenant: true,
  searched: ['name'],
  to: ({ id }) => `/projects/${id}`,
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => <strong class="foreign">{name}</strong> },
    {
      name: 'network',
      title: 'Network',
      width: '110px',
      wideOnly: true,
      show: ({ networkStatus }) => networkStatus,
    },
    { name: 'tags', title: 'Tags', wideOnly: true, show: ({ tags }) => <Tags tags={tags} /> },
    updatedColumn,
  ],
  form: {
    needsTenant: true,
    hidden: ['licenses'],
    order: ['name', 'description', 'networkStatus', 'website'],
  },
};

/** What is watched: contracts, and the projects that hold them. */
export default function ProjectsPage() {
  const add = can('POST /contract') && (
    <button type="button" class="primary" onClick={() => setSearch({ add: '1' })}>
      <Icon name="plus" />
      Watch a contract
    </button>
  );
  return (
    <div class="page">
      <RecordList kind={{ ...contractKind, actions: add }} heading="h1" />
      <RecordList kind={projectKind} />
      <Shares />
      {search.value.get('add') && can('POST /contract') && (
        <AddContract onClose={() => setSearch({ add: undefined })} />
      )}
    </div>
  );
}
