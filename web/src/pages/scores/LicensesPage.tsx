import { useState } from 'preact/hooks';
import type { License, ScoreGroup } from '../../../../sdk/src/index.ts';
import { CodeEditor } from '../../parts/CodeEditor.tsx';
import type { Fields } from '../../parts/RecordForm.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { statusColumn, updatedColumn } from '../../parts/recordColumns.tsx';
import type { WidgetProps } from '../../parts/schemaTypes.ts';
import { PageTabs } from '../PageTabs.tsx';
import { scoreTextNames } from './scriptNames.ts';
import { Try } from './Try.tsx';

/** Licenses with their scripts, tried on the alerts of a project while they are written. */
export default function LicensesPage() {
  const [typed, setTyped] = useState<Fields>({});
  return (
    <div class="page">
      <PageTabs of="Scores" />
      <RecordList kind={licensesWith(typed, setTyped)} heading="h1" />
    </div>
  );
}

const script = (props: WidgetProps) => (
  <CodeEditor
    label={props.label}
    value={typeof props.value === 'string' ? props.value : ''}
    onChange={(text) => props.onChange(text === '' ? undefined : text)}
    names={scoreTextNames}
  />
);

function licensesWith(typed: Fields, setTyped: (value: Fields) => void): RecordKind<License> {
  return {
    path: '/license',
    singular: 'license',
    plural: 'Licenses',
    about:
      'A license says in two scripts how alerts change the scores of a project. Write one, and try it on real alerts.',
    searched: ['name'],
    columns: [
      { name: 'name', title: 'Name', show: ({ name }) => name },
      { name: 'version', title: 'Version', width: '90px', show: ({ version }) => version },
      {
        name: 'groups',
        title: 'Score groups',
        wideOnly: true,
        show: ({ scoreGroups }) => scoreGroups.map(({ name }) => name).join(', '),
      },
      statusColumn,
      updatedColumn,
    ],
    form: {
      hidden: ['scoreGroups'],
      order: ['name', 'version', 'groupScript', 'scoreScript', 'params'],
      widgets: { groupScript: script, scoreScript: script },
      onChange: setTyped,
    },
    detail: (license) => (
      <>
        <Try license={license} typed={typed.id === license.id ? typed : undefined} />
        <RecordList kind={groupsOf(license.id)} />
        <h3>Settings</h3>
      </>
    ),
  };
}

function groupsOf(licenseId: number): RecordKind<ScoreGroup> {
  return {
    path: '/score/group',
    singular: 'group',
    plural: 'Score groups',
    about: 'A license keeps one score for each of its groups. Add the first one.',
    where: `licenseId = ${licenseId}`,
    columns: [
      { name: 'name', title: 'Name', show: ({ name }) => name },
      { name: 'title', title: 'Title', show: ({ title }) => title },
      statusColumn,
    ],
    form: { defaults: { licenseId }, hidden: ['licenseId'], order: ['name', 'title', 'description'] },
  };
}
