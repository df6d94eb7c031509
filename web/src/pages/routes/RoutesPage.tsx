import type { Inhibition, Route } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { client } from '../../state/api.ts';
import { can } from '../../state/session.ts';
import { attempt } from '../../state/toasts.ts';
import { PageTabs } from '../PageTabs.tsx';
import { arrangeTree } from './arrangeTree.ts';
import { DestinationsInput, destinationName, useDestinations } from './DestinationsInput.tsx';
import { RouteTrial, showSeconds } from './RouteTrial.tsx';

type Named = ReadonlyMap<number, string>;

function routes(names: Named): RecordKind<Route & { depth?: number }> {
  return {
    path: '/route',
    singular: 'route',
    plural: 'Routes',
    about:
      'Routes say which alerts go to whom, and repeat them until someone answers. Make the root first: it says what happens to ' +
      'alerts that no other route takes. Nothing changes until you switch it on.',
    isOfTenant: true,
    limit: 'maxRoutes',
    size: 1000,
    sort: { field: 'order', order: 'asc' },
    every: 30_000,
    arrange: (rows) => arrangeTree(rows).map(({ row, depth }) => ({ ...row, depth })),
    columns: [
      {
        name: 'name',
        title: 'Route',
        show: ({ name, depth = 0, status, parentId }) => (
          <span class="row tight" style={{ paddingInlineStart: `${depth * 20}px` }}>
            <span class="foreign cut">{name.slice(0, 120)}</span>
            {parentId === null && (
              <Badge tone={status === 'ACTIVE' ? 'good' : 'dim'}>
                {status === 'ACTIVE' ? 'on' : 'draft'}
              </Badge>
            )}
            {parentId !== null && status !== 'ACTIVE' && <Badge tone="dim">off</Badge>}
          </span>
        ),
      },
      {
        name: 'query',
        title: 'Takes',
        show: ({ query, parentId }) =>
          query === null ? (
            <span class="dim">{parentId === null ? 'what no other route takes' : 'all'}</span>
          ) : (
            <code class="foreign">{query.slice(0, 200)}</code>
          ),
      },
      {
        name: 'destinationIds',
        title: 'Notifies',
        show: ({ destinationIds, parentId }) =>
          destinationIds.length === 0 ? (
            <span class="dim">{parentId === null ? 'no one' : 'as the route above'}</span>
          ) : (
            <span class="foreign">{destinationIds.map((id) => names.get(id) ?? `#${id}`).join(', ')}</span>
          ),
      },
      {
        name: 'timing',
        title: 'When',
        wideOnly: true,
        show: (route) => <span class="dim">{timing(route)}</span>,
      },
    ],
    form: {
      needsTenant: true,
      order: ['name', 'parentId', 'query', 'destinationIds', 'minSeverity', 'repeatSeconds'],
      labels: {
        parentId: 'Below the route',
        query: 'Alerts that a query finds',
        destinationIds: 'Notifies',
        minSeverity: 'From severity',
        repeatSeconds: 'Repeat every (seconds)',
        groupBy: 'Together by',
        waitSeconds: 'Wait (seconds)',
        intervalSeconds: 'Interval (seconds)',
        activeTimeSetId: 'Takes alerts only within',
        muteTimeSetId: 'Muted within',
        continue: 'Offer its alerts to the next routes too',
      },
      widgets: { destinationIds: (props) => <DestinationsInput {...props} /> },
    },
    detail: (route, reload) => <Switch route={route} reload={reload} />,
  };
}

function timing({
  continue: goesOn,
  waitSeconds,
  intervalSeconds,
  repeatSeconds,
  minSeverity,
  groupBy,
  activeTimeSetId,
  muteTimeSetId,
}: Route): string {
  return [
    minSeverity && `from ${minSeverity}`,
    repeatSeconds !== null && `repeats every ${showSeconds(repeatSeconds)}`,
    groupBy !== 'INCIDENT' && `by ${groupBy.toLowerCase()}`,
    waitSeconds > 0 && `waits ${showSeconds(waitSeconds)}`,
    intervalSeconds !== null && `every ${showSeconds(intervalSeconds)} at most`,
    activeTimeSetId !== null && 'at times',
    muteTimeSetId !== null && 'muted at times',
    goesOn && 'and goes on',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The root switches all routes on and off. */
function Switch({ route: { id, parentId, status }, reload }: { route: Route; reload(): void }) {
  if (parentId !== null || !can('PUT /route/{id}')) return null;
  const isOn = status === 'ACTIVE';
  const flip = async () => {
    const body = { status: isOn ? ('DISABLED' as const) : ('ACTIVE' as const) };
    const said = isOn ? 'Bindings decide again.' : 'Routes decide from now on.';
    if (await attempt(() => client.put('/route/{id}', { path: { id }, body }), said)) reload();
  };
  return (
    <div class="stack">
      <p>
        {isOn
          ? 'Routes are on: bindings, default tags and rules of destinations send nothing.'
          : 'A draft: bindings, default tags and rules of destinations decide. Try the routes before you switch them on.'}
      </p>
      <p>
        <button type="button" class={isOn ? '' : 'primary'} onClick={flip}>
          {isOn ? 'Switch routes off' : 'Switch routes on'}
        </button>
      </p>
    </div>
  );
}

const inhibitions: RecordKind<Inhibition> = {
  path: '/inhibition',
  singular: 'inhibition',
  plural: 'Inhibitions',
  about:
    'While an incident with one alert is open, an inhibition holds others of the same contract that follow from it.',
  isOfTenant: true,
  searched: ['name'],
  limit: 'maxInhibitions',
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => <span class="foreign">{name.slice(0, 120)}</span> },
    {
      name: 'sourceQuery',
      title: 'While open',
      show: ({ sourceQuery }) => <code class="foreign">{sourceQuery.slice(0, 200)}</code>,
    },
    {
      name: 'targetQuery',
      title: 'It holds',
      show: ({ targetQuery }) => <code class="foreign">{targetQuery.slice(0, 200)}</code>,
    },
    { name: 'status', title: 'State', width: '110px', show: ({ status }) => <Badge value={status} /> },
  ],
  form: {
    needsTenant: true,
    order: ['name', 'sourceQuery', 'targetQuery', 'includeCritical', 'status', 'description'],
    labels: {
      sourceQuery: 'While an incident with such an alert is open',
      targetQuery: 'Hold these alerts of the same contract',
      includeCritical: 'CRITICAL alerts too',
    },
  },
};

/** Which alerts go to whom: the tree, what it would do, and what holds alerts that follow from others. */
export default function RoutesPage() {
  const { data } = useDestinations();
  const names = new Map(data?.data.map((row) => [row.id, destinationName(row)]));
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <RecordList kind={routes(names)} heading="h1" />
      <RouteTrial />
      <RecordList kind={inhibitions} />
    </div>
  );
}
