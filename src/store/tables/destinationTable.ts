import { type Static, Type } from 'typebox';
import { destinationTags, destinationTypes, severities } from '../../model/enumerations.ts';
import {
  Count,
  Flag,
  Id,
  JsonObject,
  List,
  Name,
  nullable,
  OneOf,
  Shape,
  SomeOf,
  Text,
  TextMap,
} from '../../model/schema.ts';
import { idField, searchedStatus, tenantId, timeFields } from './commonFields.ts';
import { createOnly, editable, one, readOnly, writeOnly } from './fields.ts';
import { isMailedText } from './kindConditions.ts';
import { byTenant, defineTable } from './table.ts';

/** Header values are sealed; a record shows only that they exist. */
const headers = (t: string) => `(case when ${t}.header_names is null then null
  else (select coalesce(json_object_agg(h, '[sealed]'), '{}') from unnest(${t}.header_names) h
        where ${t}.header_names is not null)::jsonb end)`;

const wanted = Shape(
  {
    minSeverity: nullable(OneOf(severities, 'Only alerts that are at least this bad; all if null.', 'HIGH')),
    query: nullable(
      Text('Only alerts that this query string finds; all if null.', 'kind:detector AND tags:treasury', {
        max: 10_000,
      }),
    ),
    projectId: nullable(Id('Only alerts of this project; of all projects if null.')),
    contractId: nullable(Id('Only alerts of this contract; of all contracts if null.')),
  },
  [],
);
const gets = Type.Unsafe<Static<typeof wanted>[]>({
  ...List(
    wanted,
    'Alerts that the destination gets of the whole tenant, of a project or of a contract, whatever else they are ' +
      'bound to. An alert comes once, however many ways lead to the destination. Bindings and `tags` go on as without.',
    { maxItems: 50 },
  ),
  examples: [[{ minSeverity: 'HIGH' }]],
});

/** Set by `/bind`; a request may carry it only as it was read, or as null. */
const chatMember = (description: string) =>
  editable(Type.String({ description, maxLength: 1000, examples: [null] }));

export const destinationTable = defineTable({
  kind: 'destination',
  name: 'destination',
  fields: {
    id: idField,
    ...timeFields,
    tenantId: createOnly(tenantId, { notNull: true }),
    type: editable(OneOf(destinationTypes, 'Kind of destination.', 'HTTP'), { required: true }),
    name: editable(Name('What people call it.', 'Night shift')),
    uid: readOnly(
      Text('Identifier to bind the destination with; for MESSENGER_A the text to send to the bot.', 'f0c9'),
      { notNull: true },
    ),
    tags: editable(
      SomeOf(
        destinationTags,
        'What reaches the destination where nothing else is bound: DETECTOR the alerts of detectors and triggers, ' +
          'WALLET those of actions, DEFAULT both.',
        ['DEFAULT'],
      ),
      { default: [] },
    ),
    value: editable(
      Text('The destination: an e-mail address, phone number or http uri.', 'https://example.com/hook', {
        max: 2000,
      }),
    ),
    messengerABotUsername: editable(Text('Name of the bot.', 'vigil_bot')),
    messengerAUserId: chatMember('Who bound the destination; set by `/bind`.'),
    messengerAUsername: chatMember('Name of who bound it; set by `/bind`.'),
    messengerAChatId: chatMember('The chat; set by `/bind`.'),
    messengerAChatTitle: chatMember('Title of the chat; set by `/bind`.'),
    messengerAChatType: chatMember('Kind of chat; set by `/bind`.'),
    messengerBUri: editable(Text('Webhook address.', 'https://hooks.example.com/T1', { max: 2000 })),
    messengerBChannelId: editable(Text('The channel.', 'C01')),
    messengerBChannelName: editable(Text('Name of the channel.', 'alerts')),
    uri: editable(Text('HTTP destination address.', 'https://example.com/hook', { max: 2000 })),
    method: editable(OneOf(['POST', 'PUT', 'PATCH'], 'HTTP method of an HTTP destination.', 'POST')),
    settings: editable(
      JsonObject(
        'Settings of its kind; `GET /destination/kind` has a schema of them for each. Secrets show [sealed].',
        {},
      ),
      { default: {}, detail: true },
    ),
    gets: editable(gets, { default: [], detail: true }),
    groupWindowMs: editable(
      Type.Integer({
        description:
          'Mails and chat messages within this many milliseconds of the last one go out together; 0 sends at once.',
        minimum: 0,
        maximum: 86_400_000,
        default: 0,
        examples: [60_000],
      }),
      { notNull: true, detail: true },
    ),
    confirmed: readOnly(
      Flag(
        'Whether the e-mail address was confirmed by the link that was mailed to it; before that nothing ' +
          'else is sent there. Null for other kinds.',
      ),
      {
        detail: true,
        as: (t) => `(case when ${isMailedText(`${t}.type`)} then ${t}.confirmed_at is not null end)`,
      },
    ),
    headers: editable(
      TextMap('HTTP headers of an HTTP destination. Values are shown as [sealed].', { 'X-Team': 'blue' }),
      { as: headers },
    ),
  },
  searched: searchedStatus,
  hidden: {
    headerNames: 'string[]',
    sealedHeaders: 'bytes',
    sealedMessengerBUri: 'bytes',
    sealedSettings: 'bytes',
    confirmedAt: 'integer',
  },
  visible: byTenant,
  writable: byTenant,
  unbinds: [
    { table: 'action_destination', column: 'destination_id' },
    { table: 'detector_destination', column: 'destination_id' },
    { table: 'trigger_alert_destination', column: 'destination_id' },
  ],
});

const { type: _type, ...withoutType } = destinationTable.fields;

/**
 * The item that binds a destination (`GET /destination/{id}/binding` reads its filters), and the destination in it:
 * with its type for detectors, else without.
 */
export function boundDestination(form: 'with type' | 'without type') {
  const rows = {
    from: (b: string) => `destination d where d.tenant_id = ${b}.tenant_id and d.id = ${b}.destination_id`,
    alias: 'd',
  };
  return {
    tenantDestination: one(
      'The destination.',
      rows,
      form === 'with type' ? destinationTable.fields : withoutType,
    ),
    tenantDestinationId: writeOnly(Id('The destination to bind.'), {
      required: true,
      column: 'destination_id',
      references: () => destinationTable,
    }),
    minSeverity: writeOnly(OneOf(severities, 'Only alerts that are at least this bad; all if null.', 'HIGH')),
    query: writeOnly(
      Text('Only alerts that this query string finds; all if null.', 'severity:CRITICAL AND tags:treasury', {
        max: 10_000,
      }),
    ),
    afterConfirmations: writeOnly(
      Count(
        'How many blocks must follow that of the alert before it is sent; at once if null or 0.',
        12,
        100_000,
      ),
    ),
  };
}
