import { useState } from 'preact/hooks';
import type { Silence } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { MomentInput } from '../../parts/MomentInput.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { TextInput } from '../../parts/TextInput.tsx';
import { Time } from '../../parts/Time.tsx';
import { client } from '../../state/api.ts';
import type { Fields } from '../../state/fields.ts';
import { href } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { PageTabs } from '../PageTabs.tsx';
import { SilencePreview } from './SilencePreview.tsx';

const tones = { ACTIVE: 'warn', UPCOMING: 'accent', EXPIRED: 'dim' } as const;

const columns: RecordKind<Silence>['columns'] = [
  {
    name: 'state',
    title: 'State',
    width: '100px',
    show: ({ state }) => <Badge tone={tones[state]}>{state}</Badge>,
  },
  { name: 'query', title: 'Alerts', show: ({ query }) => <code class="foreign">{query.slice(0, 200)}</code> },
  { name: 'reason', title: 'Reason', wideOnly: true, show: ({ reason }) => reason.slice(0, 200) },
  { name: 'author', title: 'By', width: '150px', wideOnly: true, show: ({ author }) => author.slice(0, 100) },
  { name: 'from', title: 'From', width: '110px', wideOnly: true, show: ({ from }) => <Time at={from} /> },
  { name: 'to', title: 'Until', width: '110px', show: ({ to }) => <Time at={to} /> },
];

function kindOf(draft: Fields, setDraft: (next: Fields) => void): RecordKind<Silence> {
  return {
    path: '/silence',
    singular: 'silence',
    plural: 'Silences',
    about:
      'A silence hides alerts from people for a time: no destination is notified of them. Make one from an alert, or here by a query.',
    isOfTenant: true,
    searched: ['query', 'reason', 'author'],
    limit: 'maxSilences',
    every: 30_000,
    canDelete: false,
    columns,
    form: {
      needsTenant: true,
      order: ['query', 'to', 'reason', 'from', 'timeSetId', 'includeCritical'],
      labels: {
        query: 'Alerts that a query finds',
        from: 'From (now if left empty)',
        to: 'Until',
        timeSetId: 'Only within a time set',
        includeCritical: 'CRITICAL alerts too',
      },
      defaults: { to: Date.now() + 3_600_000 },
      widgets: {
        from: (props) => <MomentInput {...props} />,
        to: (props) => <MomentInput {...props} />,
        query: (props) => (
          <>
            <TextInput {...props} name="query" />
            <SilencePreview
              draft={{
                query: typeof props.value === 'string' ? props.value : undefined,
                ...(draft.includeCritical === true ? { includeCritical: true } : {}),
                ...(typeof draft.timeSetId === 'number' ? { timeSetId: draft.timeSetId } : {}),
              }}
            />
          </>
        ),
      },
      onChange: setDraft,
    },
    detail: (silence, reload) => <Detail silence={silence} reload={reload} />,
  };
}

function Detail({ silence, reload }: { silence: Silence; reload(): void }) {
  const { id, state, author, createdAt, query } = silence;
  const end = async () => {
    const body = { to: 0 };
    if (await attempt(() => client.put('/silence/{id}', { path: { id }, body }), 'Ended the silence.'))
      reload();
  };
  return (
    <div class="stack">
      <p class="row">
        <Badge tone={tones[state]}>{state}</Badge>
        <span class="dim">
          made by <span class="foreign">{author}</span> <Time at={createdAt} />
        </span>
        <span class="grow" />
        <a href={href(`/alerts?q=${encodeURIComponent(query)}&range=7d`)}>Alerts that it finds</a>
      </p>
      {state !== 'EXPIRED' && can('PUT /silence/{id}') && (
        <p>
          <button type="button" onClick={end}>
            End it now
          </button>
        </p>
      )}
    </div>
  );
}

const choices = { open: 'Active and upcoming', expired: 'Expired', all: 'All' } as const;
const clauses = {
  open: "state in ('ACTIVE', 'UPCOMING')",
  expired: "state = 'EXPIRED'",
  all: undefined,
} as const;

/** What is silenced, by whom and until when. */
export default function SilencesPage() {
  const [choice, setChoice] = useState<keyof typeof choices>('open');
  const [draft, setDraft] = useState<Fields>({});
  const where = clauses[choice];
  const kind = { ...kindOf(draft, setDraft), ...(where ? { where } : {}) };
  const filter = (
    <select
      class="filter"
      aria-label="Which silences"
      value={choice}
      onChange={({ currentTarget }) => setChoice(currentTarget.value as keyof typeof choices)}
    >
      {Object.entries(choices).map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <RecordList kind={{ ...kind, actions: filter }} heading="h1" />
    </div>
  );
}
