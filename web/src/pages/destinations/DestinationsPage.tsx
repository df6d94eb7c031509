import type { Destination } from '../../../../sdk/src/index.ts';
import { type RecordKind, RecordPage } from '../../parts/RecordPage.tsx';
import { updatedColumn } from '../../parts/recordColumns.tsx';
import type { Schema } from '../../state/schemas.ts';
import { DestinationDetail } from './DestinationDetail.tsx';
import { kindOf, kindTexts, kindTitles, membersOf } from './kinds.ts';

const destinations: RecordKind<Destination> = {
  path: '/destination',
  singular: 'destination',
  plural: 'Destinations',
  about:
    'A destination is where alerts are sent: a mailbox, a chat or a webhook. Add one, send a test message, then bind it to detectors.',
  isOfTenant: true,
  searched: ['value'],
  limit: 'maxDestinations',
  columns: [
    { name: 'where', title: 'Where', show: whereOf },
    { name: 'type', title: 'Kind', width: '120px', show: (row) => kindTitles[kindOf(row)] },
    {
      name: 'tags',
      title: 'Gets what is bound to nothing else',
      wideOnly: true,
      show: ({ tags }) => (tags.length > 0 ? tags.join(', ').toLowerCase() : <span class="dim">no</span>),
    },
    updatedColumn,
  ],
  toForm: ({ uid: _uid, ...rest }) => ({ ...rest, type: kindOf(rest) }),
  form: {
    needsTenant: true,
    defaults: { type: 'EMAIL' },
    order: ['type', 'value', 'uri', 'method', 'headers', 'messengerABotUsername', 'messengerBUri', 'tags'],
    labels: {
      type: 'Kind',
      uri: 'Address of the webhook',
      messengerABotUsername: 'Bot',
      messengerBUri: 'Webhook address of the channel',
      messengerBChannelId: 'Channel',
      messengerBChannelName: 'Name of the channel',
      tags: 'Send it everything that is bound to nothing else',
      groupWindowMs: 'Group messages within (milliseconds)',
    },
    shape: shapeDestination,
  },
  detail: (destination, reload) => <DestinationDetail destination={destination} reload={reload} />,
};

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
function shapeDestination(schema: Schema, { type }: Record<string, unknown>): Schema {
  const wanted = membersOf(type);
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => wanted.includes(name)),
  );
  const kind = type as keyof typeof kindTexts;
  return {
    ...schema,
    properties: {
      ...properties,
      type: { ...properties.type, description: kindTexts[kind] ?? 'Choose a kind.' },
      ...(properties.value
        ? { value: { ...properties.value, title: 'E-mail address', description: '' } }
        : {}),
    },
  };
}

export default function DestinationsPage() {
  return <RecordPage kind={destinations} />;
}
