import type { Instance } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { wordOf } from '../../parts/enumWords.ts';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { searchRecords } from '../../state/api.ts';
import { changes } from '../../state/changes.ts';
import { nameOf } from '../../state/names.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { useLoad } from '../../state/useLoad.ts';
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
      show: ({ licenseStatus }) => (
        <Badge tone={tones[licenseStatus]}>
          {licenseStatus === 'PENDING' ? 'counts nothing yet' : wordOf(licenseStatus, [])}
        </Badge>
      ),
    },
    updatedColumn,
  ],
  toForm: ({ license, licenseInstanceMeta: _periods, ...rest }) => ({ ...rest, licenseId: license.id }),
  form: {
    hidden: ['license', 'licenseInstanceMeta'],
    // A new one is granted, unless someone else is to do that: one that waits counts nothing.
    defaults: { licenseStatus: 'LICENCED' },
    order: ['projectId', 'licenseId', 'organisationId', 'licenseStatus'],
  },
  detail: (instance, reload) => <InstanceDetail instance={instance} reload={reload} />,
};

/** What an instance needs and there is not yet, each with the way to make one. */
function Needed() {
  const { data } = useLoad(`needed for scores ${changes.value}`, async (signal) => {
    const isMissing = async (kind: string) =>
      can(`POST /${kind}/search`) && (await searchRecords(`/${kind}`, { size: 1 }, signal)).total === 0;
    const [license, organisation] = await Promise.all([isMissing('license'), isMissing('organisation')]);
    return { license, organisation };
  });
  if (!data?.license && !data?.organisation) return null;
  const mayMake = [data.organisation && can('POST /organisation'), data.license && can('POST /license')];
  const [mayMakeOrganisation, mayMakeLicense] = mayMake;
  return (
    <p class="notice row">
      <span>
        An instance grants a license of an organisation to a project.{' '}
        {mayMake.includes(true) ? 'What is missing first:' : 'An administrator makes what is missing first.'}
      </span>
      {mayMakeOrganisation && (
        <a class="button" href={href('/admin/organisations?new=organisation')}>
          New organisation
        </a>
      )}
      {mayMakeLicense && (
        <a class="button" href={href('/licenses?new=license')}>
          New license
        </a>
      )}
    </p>
  );
}

export default function ScoresPage() {
  return (
    <div class="page">
      <PageTabs of="Scores" />
      <Needed />
      <RecordList kind={instances} heading="h1" />
    </div>
  );
}
