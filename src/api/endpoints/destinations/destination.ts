import { Type } from 'typebox';
import { destinationTags, destinationTypes } from '../../../model/enumerations.ts';
import { finishDestination } from '../../../services/destinations/finishDestination.ts';
import { prepareDestination } from '../../../services/destinations/prepareDestination.ts';
import { ensureSecret } from '../../../services/destinations/webhookSecret.ts';
import { destinationTable } from '../../../store/destinations/destinationTable.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { detail, fixed, given, output, outputDetail, replySchema } from '../../http/fields.ts';
import { defineResource } from '../../http/resource.ts';
import { Flag, OneOf, SomeOf, Text, TextMap } from '../../http/schema.ts';
import { idField, tenantId, timeFields } from '../records/common.ts';

/** Set by `/bind` alone; a request may carry it only as it was read, or as null. */
const chatMember = (description: string) =>
  given(Type.String({ description, maxLength: 1000, examples: [null] }));

const fields = {
  id: idField,
  ...timeFields,
  tenantId: fixed(tenantId, { always: true }),
  type: given(OneOf(destinationTypes, 'Kind of destination.', 'HTTP'), { required: true }),
  uid: output(
    Text('Identifier to bind the destination with; for MESSENGER_A the text to send to the bot.', 'f0c9'),
    { always: true },
  ),
  tags: given(
    SomeOf(destinationTags, 'What reaches the destination where nothing else is bound.', ['DEFAULT']),
    { default: [] },
  ),
  value: given(
    Text('The destination: an e-mail address, phone number or http uri.', 'https://example.com/hook', {
      max: 2000,
    }),
  ),
  messengerABotUsername: given(Text('Name of the bot.', 'vigil_bot')),
  messengerAUserId: chatMember('Who bound the destination; set by `/bind`.'),
  messengerAUsername: chatMember('Name of who bound it; set by `/bind`.'),
  messengerAChatId: chatMember('The chat; set by `/bind`.'),
  messengerAChatTitle: chatMember('Title of the chat; set by `/bind`.'),
  messengerAChatType: chatMember('Kind of chat; set by `/bind`.'),
  messengerBUri: given(Text('Webhook address.', 'https://hooks.example.com/T1', { max: 2000 })),
  messengerBChannelId: given(Text('The channel.', 'C01')),
  messengerBChannelName: given(Text('Name of the channel.', 'alerts')),
  uri: given(Text('HTTP destination address.', 'https://example.com/hook', { max: 2000 })),
  method: given(OneOf(['POST', 'PUT', 'PATCH'], 'HTTP method of an HTTP destination.', 'POST')),
  groupWindowMs: detail(
    Type.Integer({
      description:
        'Mails and chat messages within this many milliseconds of the last one go out together; 0 sends at once.',
      minimum: 0,
      maximum: 86_400_000,
      default: 0,
      examples: [60_000],
    }),
    { always: true },
  ),
  confirmed: outputDetail(
    Flag(
      'Whether the e-mail address was confirmed by the link that was mailed to it; before that nothing else is sent there. Null for other kinds.',
    ),
  ),
  headers: given(
    TextMap('HTTP headers of an HTTP destination. Values are shown as [sealed].', { 'X-Team': 'blue' }),
  ),
};

/** The destination inside a binding. */
export const boundDestinationSchema = replySchema(fields, [], 'The destination.');
export const boundDestinationWithoutType = replySchema(fields, ['type'], 'The destination.');

const resource = defineResource({
  path: '/destination',
  tag: 'Destinations',
  noun: 'destination',
  about:
    'Where notifications go. An e-mail address is mailed a link, and gets nothing else until it is confirmed there. ' +
    'The chat of a MESSENGER_A destination is set by sending its `uid` (`/bind <code>`) to the bot there; ' +
    'null as `messengerAChatId` unbinds it. `value` and the address member of the kind (`uri`, `messengerBUri`) are two names of one address. ' +
    'The secret that signs the webhooks of an HTTP destination is shown once, in the header `X-Webhook-Secret` of the answer.',
  table: destinationTable,
  owner: 'tenant',
  limit: 'maxDestinations',
  needsId: true,
  fields,
  replyWithout: { create: ['type'], search: ['type'] },
  prepare: prepareDestination,
  finish: finishDestination,
});

/** The secret that signs webhooks is made along with an HTTP destination and shown in this answer only. */
function showingSecret(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    handle: async (call, input) => {
      const reply = await endpoint.handle(call, input);
      const { id, tenantId, type } = reply.etagOf as { id: number; tenantId: number; type: string };
      const secret = await ensureSecret(call, { id, tenantId, type });
      return secret
        ? { ...reply, isSecret: true, headers: { ...reply.headers, 'x-webhook-secret': secret } }
        : reply;
    },
  };
}

export const destination = {
  ...resource,
  endpoints: resource.endpoints.map((endpoint) =>
    endpoint.effect === 'create' || endpoint.method === 'PUT' ? showingSecret(endpoint) : endpoint,
  ),
};
