import type { Instance } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { nameOf } from '../../state/names.ts';
import { PageTabs } from '../PageTabs.tsx';
import { InstanceDetail } from './InstanceDetail.tsx';

const tones = { PENDING: 'warn', LICENCED: 'good', CANCELED: 'dim' } as const;

const instances: RecordKind<Instance> = {
  path: '/instance',
  singular: 'instance',
  plural: 'Scores',
  about:
    'An instance gives a project a license, whose scripts turn alerts into scores. Write a license first, then grant it here.',
  columns: [
    {
      name: 'project',
      title: 'Project',
      show: ({ projectId }) => nameOf('project', projectId) ?? `#${projectId}`,
    },
    { name: 'license', title: 'License', show: ({ license }) => `${license.name} ${license.version}` },
    {
      name: 'organisation',
      title: 'Granted by',
      wideOnly: true,
      show: ({ organisationId }) => nameOf('organisation', organisationId) ?? `#${organisationId}`,
    },
    {
      name: 'state',
      title: 'State',
      width: '110px',
      wideOnly: true,
      show: ({ licenseStatus }) => <Badge tone={tones[licenseStatus]}>{licenseStatus}</Badge>,
    },
    updatedColumn,
  ],
  toForm: ({ license, licenseInstanceMeta: _periods, ...rest }) => ({ ...rest, licenseId: license.id }),
  form: {
    hidden: ['license', 'licenseInstanceMeta'],
    order: ['projectId', 'licenseId', 'organisationId', 'licenseStatus'],
  },
  detail: (instance, reload) => <InstanceDetail instance={instance} reload={reload} />,
};

export default function ScoresPage() {
  return (
    <div class="page">
      <PageTabs of="Scores" />
      <RecordList kind={instances} heading="h1" />
    </div>
  );
}
