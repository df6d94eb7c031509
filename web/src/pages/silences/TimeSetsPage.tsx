import type { Timeset } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import type { Schema } from '../../state/schemas.ts';
import { useLoad } from '../../state/useLoad.ts';
import { PageTabs } from '../PageTabs.tsx';

const timeSets: RecordKind<Timeset> = {
  path: '/timeset',
  singular: 'time set',
  plural: 'Time sets',
  about:
    'A time set says when something holds, such as nights or office hours. Silences can hold within one.',
  isOfTenant: true,
  searched: ['name'],
  limit: 'maxTimeSets',
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    { name: 'zone', title: 'Zone', width: '180px', show: ({ zone }) => zone },
    updatedColumn,
  ],
  form: {
    needsTenant: true,
    order: ['name', 'zone', 'ranges', 'description'],
    labels: { ranges: 'When it holds' },
    defaults: { zone: Intl.DateTimeFormat().resolvedOptions().timeZone, ranges: [{}] },
    shape: shapeTimeSet,
  },
  detail: (timeSet) => <State timeSet={timeSet} />,
};

function shapeTimeSet(schema: Schema): Schema {
  const { ranges } = schema.properties ?? {};
  if (!ranges) return schema;
  const order = ['from', 'to', 'weekdays', 'daysOfMonth', 'months', 'years'];
  return {
    ...schema,
    properties: {
      ...schema.properties,
      ranges: { ...ranges, 'x-add': 'Add a range', items: { ...ranges.items, 'x-order': order } },
    },
  };
}

/** Whether it holds now, and when that changes. */
function State({ timeSet: { id, updatedAt } }: { timeSet: Timeset }) {
  const { data } = useLoad(
    `time set ${id} ${updatedAt}`,
    (signal) => client.get('/timeset/{id}/state', { path: { id }, signal }),
    { every: 60_000 },
  );
  if (!data) return null;
  return (
    <section class="stack">
      <p class="row">
        <Badge tone={data.isWithin ? 'good' : 'dim'}>
          {data.isWithin ? 'holds now' : 'does not hold now'}
        </Badge>
        {data.changes.length === 0 && <span class="dim">and stays so</span>}
      </p>
      {data.changes.length > 0 && (
        <ul class="list">
          {data.changes.slice(0, 6).map(({ at, isWithin }) => (
            <li key={at} class="row">
              <Time at={at} /> <span class="dim">{isWithin ? 'begins' : 'ends'}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export default function TimeSetsPage() {
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <RecordList kind={timeSets} heading="h1" />
    </div>
  );
}
