import type { Contract } from '../../../../sdk/src/index.ts';
import { Address } from '../../parts/Address.tsx';
import { Tags } from '../../parts/Badge.tsx';
import type { RecordKind } from '../../parts/RecordPage.tsx';
import { chainOf, nameOf } from '../../state/names.ts';

/** Contracts in a list, of all projects or of one. */
export const contractKind: RecordKind<Contract> = {
  path: '/contract',
  singular: 'contract',
  plural: 'Contracts',
  about: 'Paste the address of a contract or wallet; Vigil finds its chain and says which detectors fit.',
  searched: ['name', 'address'],
  canCreate: false,
  to: ({ id }) => `/contracts/${id}`,
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => <strong class="foreign">{name}</strong> },
    {
      name: 'address',
      title: 'Address',
      width: '180px',
      wideOnly: true,
      show: ({ address, chainUid }) => <Address value={address} chainUid={chainUid} />,
    },
    {
      name: 'chain',
      title: 'Chain',
      width: '110px',
      show: ({ chainUid }) => chainOf(chainUid)?.name ?? chainUid,
    },
    {
      name: 'project',
      title: 'Project',
      width: '180px',
      wideOnly: true,
      show: ({ projectId }) => nameOf('project', projectId) ?? `#${projectId}`,
    },
    { name: 'tags', title: 'Tags', wideOnly: true, show: ({ tags }) => <Tags tags={tags} /> },
  ],
};
