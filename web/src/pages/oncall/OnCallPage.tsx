import { useState } from 'preact/hooks';
import type { Schedule } from '../../../../sdk/src/index.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { MomentInput } from '../../parts/MomentInput.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { baseType, type WidgetProps } from '../../parts/schemaTypes.ts';
import { TextInput } from '../../parts/TextInput.tsx';
import { client, searchRecords } from '../../state/api.ts';
import { changes } from '../../state/changes.ts';
import { href } from '../../state/route.ts';
import { saveFile } from '../../state/saveFile.ts';
import type { Schema } from '../../state/schemas.ts';
import { can, mayChooseTenant, tenantId } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { PageTabs } from '../PageTabs.tsx';
import { ContactForm } from './ContactForm.tsx';
import { DeviceCard } from './DeviceCard.tsx';
import { OnCallNow } from './OnCallNow.tsx';
import { PeopleInput, PersonSelect } from './PeopleInput.tsx';

/** Restrictions have times of a day, and overrides moments. */
const timeOrMoment = (name: string) => (props: WidgetProps) =>
  baseType(props.schema) === 'integer' ? <MomentInput {...props} /> : <TextInput {...props} name={name} />;

const schedules: RecordKind<Schedule> = {
  path: '/schedule',
  singular: 'schedule',
  plural: 'Schedules',
  about: 'A schedule says who is on call when: people take turns by days or weeks, and overrides swap them.',
  isOfTenant: true,
  searched: ['name'],
  limit: 'maxSchedules',
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    { name: 'zone', title: 'Zone', width: '180px', wideOnly: true, show: ({ zone }) => zone },
    updatedColumn,
  ],
  form: {
    needsTenant: true,
    order: ['name', 'zone', 'layers', 'overrides', 'description'],
    labels: { userIds: 'Who takes turns', userId: 'Who', every: 'How many', unit: 'Turns of' },
    defaults: {
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      layers: [{ unit: 'WEEKS', every: 1, start: lastMorning() }],
    },
    shape: shapeSchedule,
    widgets: {
      userIds: (props) => <PeopleInput {...props} />,
      userId: (props) => <PersonSelect {...props} />,
      start: (props) => <MomentInput {...props} />,
      from: timeOrMoment('from'),
      to: timeOrMoment('to'),
    },
  },
  detail: (schedule, reload) => <Detail schedule={schedule} reload={reload} />,
};

/** The last nine in the morning by the clock of the reader, so that someone is on call at once. */
function lastMorning(): number {
  const day = new Date();
  if (day.getHours() < 9) day.setDate(day.getDate() - 1);
  return day.setHours(9, 0, 0, 0);
}

function shapeSchedule(schema: Schema): Schema {
  const { layers, overrides } = schema.properties ?? {};
  if (!layers || !overrides) return schema;
  const layerOrder = ['name', 'userIds', 'every', 'unit', 'start', 'handover'];
  const overrideOrder = ['userId', 'from', 'to', 'note'];
  const { uid: _uid, ...overrideMembers } = overrides.items?.properties ?? {};
  return {
    ...schema,
    properties: {
      ...schema.properties,
      layers: { ...layers, 'x-add': 'Add a layer', items: { ...layers.items, 'x-order': layerOrder } },
      overrides: {
        ...overrides,
        'x-add': 'Add an override',
        items: { ...overrides.items, properties: overrideMembers, 'x-order': overrideOrder },
      },
    },
  };
}

/** The calendar of a schedule: to keep, to subscribe to, and to import. */
function Calendar({ schedule: { id, name }, reload }: { schedule: Schedule; reload(): void }) {
  const [url, setUrl] = useState<string>();
  const path = { id };
  const subscribe = () =>
    attempt(
      async () => setUrl((await client.post('/schedule/{id}/calendar', { path })).url),
      'Made the address. The former one ends.',
    );
  const end = () => attempt(() => client.delete('/schedule/{id}/calendar', { path }), 'Ended the address.');
  const save = () =>
    attempt(async () => {
      const { calendar } = await client.get('/schedule/{id}/calendar', { path });
      saveFile(new Blob([calendar], { type: 'text/calendar' }), `${name.slice(0, 50)}.ics`);
    });
  const load = async (file: File | undefined) => {
    if (!file) return;
    const body = { calendar: await file.text() };
    if (await attempt(() => client.post('/schedule/{id}/import', { path, body }), 'Imported the calendar.'))
      reload();
  };
  return (
    <details class="further">
      <summary>Calendar</summary>
      <div class="stack">
        <p class="row">
          <button type="button" onClick={save}>
            Download
          </button>
          {can('POST /schedule/{id}/calendar') && (
            <>
              <button type="button" onClick={subscribe}>
                Make an address to subscribe to
              </button>
              <button type="button" onClick={end}>
                End the address
              </button>
            </>
          )}
        </p>
        {url && (
          <p class="row">
            <code class="foreign">{url}</code>
            <CopyButton text={url} />
          </p>
        )}
        {can('POST /schedule/{id}/import') && (
          <label class="stack">
            <span class="label">Import a calendar as overrides</span>
            <input
              type="file"
              accept=".ics,text/calendar"
              onChange={({ currentTarget }) => void load(currentTarget.files?.[0])}
            />
          </label>
        )}
      </div>
    </details>
  );
}

function Detail({ schedule, reload }: { schedule: Schedule; reload(): void }) {
  return (
    <div class="stack">
      <OnCallNow schedule={schedule} />
      <Calendar schedule={schedule} reload={reload} />
    </div>
  );
}

/** Who is on call now by every schedule, and the next two weeks. */
function Now() {
  const chosen = mayChooseTenant.value && tenantId.value ? `tenantId = ${tenantId.value}` : '';
  const { data } = useLoad(`schedules ${chosen} ${changes.value}`, (signal) =>
    searchRecords<Schedule>(
      '/schedule',
      { size: 20, where: chosen, sort: [{ field: 'name', order: 'asc' }] },
      signal,
    ),
  );
  return (
    <>
      {data?.data.map((schedule) => (
        <section class="card" key={schedule.id} aria-labelledby={`schedule-${schedule.id}`}>
          <header>
            <h2 id={`schedule-${schedule.id}`}>
              <a class="foreign" href={href(`/oncall?schedule=${schedule.id}`)}>
                {schedule.name.slice(0, 200)}
              </a>
            </h2>
          </header>
          <OnCallNow schedule={schedule} />
        </section>
      ))}
    </>
  );
}

export default function OnCallPage() {
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <Now />
      <RecordList kind={schedules} heading="h1" />
      <ContactForm />
      <DeviceCard />
    </div>
  );
}
