import { useEffect } from 'preact/hooks';
import type { Detector } from '../../../../sdk/src/index.ts';
import { Badge } from '../../parts/Badge.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { contractColumn, updatedColumn } from '../../parts/recordColumns.tsx';
import { href, navigate, search } from '../../state/route.ts';
import { can } from '../../state/session.ts';
import { PageTabs } from '../PageTabs.tsx';
import { automaticHint, isAutomatic } from './automatic.ts';
import { isShadow } from './shadow.ts';

const detectors: RecordKind<Detector> = {
  path: '/detector',
  singular: 'detector',
  plural: 'Detectors',
  about:
    'A detector watches one contract and raises alerts. Choose one from the catalogue; a backtest shows what it would have found.',
  searched: ['name'],
  limit: 'maxDetectors',
  canCreate: false,
  to: ({ id }) => `/detectors/${id}`,
  columns: [
    { name: 'name', title: 'Name', show: ({ name }) => name },
    {
      name: 'kind',
      title: 'Kind',
      wideOnly: true,
      // Most are called as their kind.
      show: ({ name, source, schema }) =>
        isAutomatic({ source }) ? (
          <span class="dim">{automaticHint}</span>
        ) : name === schema.title ? (
          ''
        ) : (
          schema.title
        ),
    },
    contractColumn,
    {
      name: 'bound',
      title: 'Notifies and fires',
      width: '150px',
      wideOnly: true,
      show: ({ destinations, actions }) => (
        <span class="dim">{describeBindings(destinations.length, actions.length)}</span>
      ),
    },
    {
      name: 'status',
      title: 'Status',
      width: '130px',
      show: ({ status, tags }) => (
        <span class="row tight still">
          <Badge value={status} />
          {isShadow(tags) && <Badge tone="accent">shadow</Badge>}
        </span>
      ),
    },
    updatedColumn,
  ],
};

function describeBindings(destinations: number, actions: number): string {
  const parts = [
    destinations > 0 ? `${destinations} destination${destinations === 1 ? '' : 's'}` : '',
    actions > 0 ? `${actions} action${actions === 1 ? '' : 's'}` : '',
  ].filter(Boolean);
  return parts.join(', ') || 'defaults';
}

export default function DetectorsPage() {
  const linked = search.value.get('detector');
  useEffect(() => {
    if (linked) navigate(`/detectors/${encodeURIComponent(linked)}`, { replace: true });
  }, [linked]);
  const add = can('POST /detector') && (
    <a class="button primary" href={href('/catalogue')}>
      <Icon name="plus" />
      New detector
    </a>
  );
  return (
    <div class="page">
      <PageTabs of="Detectors and triggers" />
      <RecordList kind={{ ...detectors, actions: add }} heading="h1" />
    </div>
  );
}
