import type { Plannedchange } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { MomentInput } from '../../parts/MomentInput.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { contractColumn } from '../../parts/recordColumns.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import { href, search } from '../../state/route.ts';
import type { Schema } from '../../state/schemas.ts';
import { can, me } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { useLoad } from '../../state/useLoad.ts';
import { PageTabs } from '../PageTabs.tsx';

const tones = {
  PENDING: 'accent',
  OPEN: 'warn',
  HAPPENED: 'good',
  MISSED: 'bad',
  CANCELED: 'dim',
  EXPIRED: 'dim',
} as const;

const plannedChanges = (contractId: number | undefined): RecordKind<Plannedchange> => ({
  path: '/plannedchange',
  singular: 'planned change',
  plural: 'Planned changes',
  about:
    'Announce an upgrade, a new owner or a large payment: what matches to the byte pages no one, what differs in anything is CRITICAL.',
  isOfTenant: true,
  searched: ['name'],
  limit: 'maxPlannedChanges',
  every: 30_000,
  canEdit: false,
  canDelete: false,
  columns: [
    {
      name: 'state',
      title: 'State',
      width: '110px',
      show: ({ state }) => <Badge tone={tones[state]}>{state}</Badge>,
    },
    { name: 'name', title: 'Change', show: ({ name }) => name.slice(0, 200) },
    contractColumn,
    { name: 'from', title: 'From', width: '110px', wideOnly: true, show: ({ from }) => <Time at={from} /> },
    { name: 'to', title: 'Until', width: '110px', show: ({ to }) => <Time at={to} /> },
    {
      name: 'author',
      title: 'By',
      width: '150px',
      wideOnly: true,
      show: ({ author }) => author.slice(0, 100),
    },
  ],
  form: {
    order: ['contractId', 'name', 'from', 'to', 'expected', 'actors', 'needsConfirmation', 'description'],
    labels: {
      from: 'Window from',
      to: 'Window until',
      expected: 'What it will raise',
      actors: 'Who does it',
      needsConfirmation: 'A second person must confirm it',
    },
    defaults: {
      from: Date.now(),
      to: Date.now() + 3_600_000,
      expected: [{}],
      ...(contractId === undefined ? {} : { contractId }),
    },
    widgets: { from: (props) => <MomentInput {...props} />, to: (props) => <MomentInput {...props} /> },
    shape: shapePlanned,
  },
  detail: (change, reload) => <Detail change={change} reload={reload} />,
});

function shapePlanned(schema: Schema): Schema {
  const { expected } = schema.properties ?? {};
  if (!expected) return schema;
  const order = ['kind', 'values', 'amountUpTo', 'amountMember'];
  return {
    ...schema,
    properties: {
      ...schema.properties,
      expected: { ...expected, 'x-add': 'Add an alert', items: { ...expected.items, 'x-order': order } },
    },
  };
}

/** What is expected, which alerts it has judged, and what can be done with it. */
function Detail({ change, reload }: { change: Plannedchange; reload(): void }) {
  const { id, state, from, to, expected, actors, author, authorId, description } = change;
  const judged = useLoad(
    `planned ${id} ${change.updatedAt}`,
    (signal) => client.get('/plannedchange/{id}/alert', { path: { id }, signal }),
    { every: 15_000 },
  );
  const confirm = async () => {
    const send = () => client.post('/plannedchange/{id}/confirm', { path: { id } });
    if (await attempt(send, 'Confirmed the planned change.')) reload();
  };
  const cancel = async () => {
    const send = () => client.post('/plannedchange/{id}/cancel', { path: { id } });
    if (await attempt(send, 'Canceled the planned change.')) reload();
  };
  const isOwn = authorId !== null && authorId === me.value?.userId;
  return (
    <div class="stack">
      <p class="row">
        <Badge tone={tones[state]}>{state}</Badge>
        <span class="dim">
          by <span class="foreign">{author}</span>, from <Time at={from} exact /> to <Time at={to} exact />
        </span>
      </p>
      {description && <p class="foreign keep-lines">{description}</p>}
      <ul class="list">
        {expected.map(({ kind, values, amountMember, amountUpTo }, index) => (
          // Expectations have no identity but their place.
          <li key={index} class="stack">
            <strong>{kind}</strong>
            {Object.entries(values ?? {}).map(([name, value]) => (
              <span key={name} class="foreign">
                {name}: <code>{value}</code>
              </span>
            ))}
            {amountUpTo && (
              <span>
                {amountMember ?? 'amount'} up to {amountUpTo}
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="foreign">Done by {actors.length > 0 ? actors.join(', ') : 'anyone'}.</p>
      {judged.data && judged.data.data.length > 0 && (
        <ul class="list" aria-label="Alerts that it has judged">
          {judged.data.data.map(({ uid, isMatch, timestamp }) => (
            <li key={uid} class="row">
              <Badge tone={isMatch ? 'good' : 'bad'}>{isMatch ? 'as planned' : 'differs'}</Badge>
              <a href={href(`/alert/${uid}`)}>Alert</a>
              <span class="dim">
                <Time at={timestamp} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        {state === 'PENDING' && !isOwn && can('POST /plannedchange/{id}/confirm') && (
          <button type="button" class="primary" onClick={confirm}>
            Confirm
          </button>
        )}
        {(state === 'PENDING' || state === 'OPEN') && can('POST /plannedchange/{id}/cancel') && (
          <button type="button" onClick={cancel}>
            Cancel it
          </button>
        )}
      </p>
    </div>
  );
}

export default function PlannedChangesPage() {
  const contractId = Number(search.value.get('contractId')) || undefined;
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <RecordList kind={plannedChanges(contractId)} heading="h1" />
    </div>
  );
}
