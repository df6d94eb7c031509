import { useMemo } from 'preact/hooks';
import type { Destination } from '../../../../sdk/src/index.ts';
import { wordOf } from '../../parts/enumWords.ts';
import { type RecordKind, RecordList } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import { scaledBy } from '../../parts/ScaledInput.tsx';
import type { Schema } from '../../state/schemas.ts';
import { PageTabs } from '../PageTabs.tsx';
import { DestinationDetail } from './DestinationDetail.tsx';
import { type DestinationKind, kindOf, shapeByKind, useDestinationKinds } from './kinds.ts';

const destinationTags = ['DEFAULT', 'DETECTOR', 'WALLET'];

const destinationsWith = (kinds: readonly DestinationKind[]): RecordKind<Destination> => ({
  path: '/destination',
  singular: 'destination',
  plural: 'Destinations',
  about:
    'A destination is where alerts are sent: a mailbox, a chat or a webhook. Add one, say which alerts it gets, and send a test message.',
  isOfTenant: true,
  searched: ['name', 'value'],
  limit: 'maxDestinations',
  columns: [
    {
      name: 'name',
      title: 'Name',
      show: (row) => row.name ?? whereOf(row),
    },
    { name: 'where', title: 'Where', wideOnly: true, show: whereOf },
    { name: 'type', title: 'Kind', width: '120px', show: (row) => kindOf(row, kinds)?.title },
    {
      name: 'tags',
      title: 'Default',
      wideOnly: true,
      show: ({ tags }) =>
        tags.length > 0 ? (
          tags.map((tag) => wordOf(tag, destinationTags)).join(', ')
        ) : (
          <span class="dim">no</span>
        ),
    },
    updatedColumn,
  ],
  toForm: ({ uid: _uid, ...rest }) => ({ ...rest, type: kindOf(rest, kinds)?.type }),
  form: {
    needsTenant: true,
    defaults: { type: 'EMAIL' },
    order: [
      'type',
      'name',
      'value',
      'uri',
      'method',
      'headers',
      'messengerABotUsername',
      'messengerBUri',
      'settings',
      'gets',
      'tags',
    ],
    labels: {
      type: 'Kind',
      uri: 'Address of the webhook',
      messengerABotUsername: 'Bot',
      messengerBUri: 'Webhook address of the channel',
      messengerBChannelId: 'Channel',
      messengerBChannelName: 'Name of the channel',
      gets: 'What it gets',
      tags: 'Send alerts here that have no destination bound to them',
      groupWindowMs: 'Group messages within (minutes)',
    },
    widgets: { groupWindowMs: scaledBy(60_000) },
    shape: (schema, { type }) => shapeDestination(schema, kinds, type),
  },
  detail: (destination, reload) => (
    <DestinationDetail destination={destination} kinds={kinds} reload={reload} />
  ),
});

function whereOf({
  value,
  uri,
  messengerBUri,
  messengerBChannelName,
  messengerAChatTitle,
  uid,
}: Destination) {
  return (
    value ?? uri ?? messengerBChannelName ?? messengerBUri ?? messengerAChatTitle ?? `waits for /bind ${uid}`
  );
}

/** The members of the chosen kind, with what has to be done for it. */
function shapeDestination(schema: Schema, kinds: readonly DestinationKind[], type: unknown): Schema {
  const kind = kinds.find((one) => one.type === type);
  const properties = shapeByKind(schema.properties ?? {}, kind);
  const { gets, groupWindowMs, tags } = properties;
  return {
    ...schema,
    properties: {
      ...properties,
      ...(gets ? { gets: shapeGets(gets) } : {}),
      ...(groupWindowMs
        ? {
            groupWindowMs: {
              ...groupWindowMs,
              description:
                'What comes within this time of the last message goes out together; 0 sends at once.',
            },
          }
        : {}),
      ...(tags ? { tags: { ...tags, description: tagText } } : {}),
      type: {
        ...properties.type,
        description: [
          kind?.about ?? 'Choose a kind.',
          ...(kind?.isSetUp === false ? [notSetUpText] : []),
        ].join(' '),
        'x-words': Object.fromEntries(kinds.map((one) => [one.type, one.title])),
      },
      ...(properties.value
        ? { value: { ...properties.value, title: 'E-mail address', description: '' } }
        : {}),
    },
  };
}

const notSetUpText = 'Nothing is sent there before the operator of this server has set it up.';

const tagText =
  'For alerts of detectors, triggers and actions to which no destination is bound. What is chosen under “What it gets” comes in any case.';

/** A rule in words of people: which alerts, and of what. */
function shapeGets(gets: Schema): Schema {
  const { minSeverity, query, projectId, contractId } = gets.items?.properties ?? {};
  const titled = (member: Schema | undefined, title: string, none = '') => ({
    ...member,
    title,
    description: '',
    'x-none': none,
  });
  return {
    ...gets,
    description:
      'Each rule lets alerts through, whatever else they are bound to; an empty one lets all through. An alert comes once, however many rules fit.',
    'x-add': 'Add a rule',
    items: {
      ...gets.items,
      'x-order': ['minSeverity', 'query', 'projectId', 'contractId'],
      properties: {
        minSeverity: titled(minSeverity, 'From severity', 'Any severity'),
        query: {
          ...titled(query, 'That a query finds'),
          description: 'As in the search of alerts, such as kind:detector AND tags:treasury. Empty: all.',
        },
        projectId: titled(projectId, 'Of a project', 'All projects'),
        contractId: titled(contractId, 'Of a contract', 'All contracts'),
      },
    },
  };
}

export default function DestinationsPage() {
  const kinds = useDestinationKinds();
  const page = useMemo(() => destinationsWith(kinds ?? []), [kinds]);
  return (
    <div class="page">
      <PageTabs of="Destinations and silences" />
      <RecordList kind={page} heading="h1" />
    </div>
  );
}
