import type { ReplyOf } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Message } from '../../parts/Evidence.tsx';
import { type RecordKind, RecordPage } from '../../parts/RecordPage.tsx';
import { Severity, severities } from '../../parts/Severity.tsx';
import { Time } from '../../parts/Time.tsx';
import { showCount } from '../../state/format.ts';
import { nameOf } from '../../state/names.ts';
import { search, setSearch } from '../../state/route.ts';

type Row = ReplyOf<'POST', '/incident/search'>['data'][number];

const states = {
  open: { title: 'Open', plural: 'Open incidents', where: "status = 'UNRESOLVED'" },
  resolved: { title: 'Resolved', plural: 'Resolved incidents', where: "status = 'RESOLVED'" },
  all: { title: 'All', plural: 'Incidents', where: undefined },
} as const;

/** Alerts of one cause as one thing to deal with, the one with the newest alert first. */
export default function IncidentsPage() {
  const asked = search.value.get('state') ?? 'open';
  const state = (asked in states ? asked : 'open') as keyof typeof states;
  const severity = severities.find((name) => name === search.value.get('severity'));
  const { plural, where } = states[state];
  const conditions = [where, severity && `severity = '${severity}'`].filter(Boolean).join(' and ');
  const filters = (
    <>
      <select
        class="filter"
        aria-label="Severity"
        value={severity ?? ''}
        onChange={({ currentTarget }) => setSearch({ severity: currentTarget.value })}
      >
        <option value="">Any severity</option>
        {severities.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <fieldset class="row tight">
        <legend class="hide-visually">State</legend>
        {Object.entries(states).map(([name, { title }]) => (
          <button
            type="button"
            class="small"
            key={name}
            aria-pressed={name === state}
            onClick={() => setSearch({ state: name === 'open' ? undefined : name })}
          >
            {title}
          </button>
        ))}
      </fieldset>
    </>
  );
  return (
    <RecordPage
      kind={{ ...incidents, plural, actions: filters, ...(conditions ? { where: conditions } : {}) }}
    />
  );
}

const incidents: RecordKind<Row> = {
  path: '/incident',
  singular: 'incident',
  plural: 'Incidents',
  about:
    'An incident holds the alerts of one cause: those of one transaction, and the same finding again and again. It is resolved as one.',
  isOfTenant: true,
  searched: ['name', 'message'],
  sort: { field: 'lastAt', order: 'desc' },
  every: 5000,
  canCreate: false,
  canEdit: false,
  canDelete: false,
  to: ({ uid }) => `/incidents/${uid}`,
  columns: [
    {
      name: 'severity',
      title: 'Severity',
      width: '82px',
      show: ({ severity }) => <Severity value={severity} />,
    },
    {
      name: 'what',
      title: 'Worst alert',
      show: ({ name, message }) => (
        <>
          <strong class="foreign">{name.slice(0, 200)}</strong>{' '}
          <span class="dim foreign">
            <Message text={message.slice(0, 400)} />
          </span>
        </>
      ),
    },
    {
      name: 'alerts',
      title: 'Alerts',
      width: '64px',
      isNumber: true,
      show: ({ alerts }) => showCount(alerts),
    },
    {
      name: 'contract',
      title: 'Contract',
      width: '170px',
      wideOnly: true,
      show: ({ contractIds: [first, ...more] }) =>
        first === undefined
          ? ''
          : `${nameOf('contract', first) ?? `#${first}`}${more.length > 0 ? ` and ${more.length} more` : ''}`,
    },
    {
      name: 'status',
      title: 'Status',
      width: '104px',
      wideOnly: true,
      show: ({ status }) => <Badge value={status} />,
    },
    { name: 'last', title: 'Last', width: '96px', show: ({ lastAt }) => <Time at={lastAt} /> },
  ],
};
