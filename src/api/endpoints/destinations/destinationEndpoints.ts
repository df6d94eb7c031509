import { yieldToEventLoop } from '../../../lib/eventLoop.ts';
import { messageOf } from '../../../lib/messageOf.ts';
import { destinationTypes, severities } from '../../../model/enumerations.ts';
import {
  Count,
  Flag,
  Id,
  List,
  Millis,
  nullable,
  OneOf,
  Shape,
  Text,
  TextMap,
} from '../../../model/schema.ts';
import { confirmDestination, resendConfirmation } from '../../../services/destinations/confirmDestination.ts';
import { previewDestination, testDestination } from '../../../services/destinations/testDestination.ts';
import { rotateSecret } from '../../../services/destinations/webhookSecret.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { findBindings } from '../../../store/destinations/findBindings.ts';
import { findQueryMistake } from '../../../store/search/findQueryMistake.ts';
import { destinationTable } from '../../../store/tables/destinationTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { attempt, deliveryUid } from '../records/deliverySchemas.ts';
import { destination } from './destination.ts';

const tag = 'Destinations';
const byId = Shape({ id: Id('The destination.') }, ['id']);
const binding = {
  kind: OneOf(['detector', 'trigger', 'action'], 'What is bound.', 'detector'),
  recordId: Id('The detector, trigger or action.'),
  name: Text('Its name; for a trigger that of its alert as well.', 'Owner watch'),
  bindingId: Id('The binding inside that record.'),
  minSeverity: nullable(OneOf(severities, 'Only alerts that are at least this bad.', 'HIGH')),
  query: nullable(Text('Only alerts that this query string finds.', 'severity:CRITICAL')),
  afterConfirmations: nullable(
    Count('How many blocks must follow that of the alert before it is sent.', 12, 100_000),
  ),
  fault: nullable(
    Text(
      'A condition of the query that no alert can meet, such as a misspelt member; null if there is none.',
      "The query at column 9: there is no member 'severty'; did you mean 'severity'?",
    ),
  ),
};

function faultOf(query: string | null): string | null {
  try {
    return (query && findQueryMistake(query)?.message) || null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Endpoints of destinations beside those of the resource. */
export const destinationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/destination/{id}/test',
    tag,
    summary: 'Send a test message',
    description:
      'Sends a `ping` at once and answers with what came of it. One that gets through enables a destination again that was disabled because nothing did.',
    params: byId,
    reply: Shape(
      {
        delivered: Flag('True if it was delivered.'),
        uid: deliveryUid,
        status: attempt.status,
        error: attempt.error,
        durationMs: attempt.durationMs,
      },
      ['delivered', 'uid', 'status', 'error', 'durationMs'],
    ),
    effect: 'send',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      const { uid, outcome, durationMs } = await testDestination(call, params.id);
      return {
        body: {
          delivered: outcome.ok,
          uid,
          status: outcome.status ?? null,
          error: outcome.ok ? null : outcome.error,
          durationMs,
        },
      };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/destination/{id}/confirm',
    tag,
    summary: 'Mail the confirmation link again',
    description:
      'To the address of an EMAIL destination that is not confirmed yet; the links before it are void. At most once a minute, and five times a day for one address.',
    params: byId,
    reply: Shape(
      {
        to: Text('The address that the link is mailed to.', 'alice@example.com'),
        expiredAt: Millis('Until when the link can be used.'),
      },
      ['to', 'expiredAt'],
    ),
    effect: 'change',
    problems: ['not-found', 'unprocessable', 'illegal-transition', 'rate-limited'],
    handle: async (call, { params }) => ({
      body: await resendConfirmation(call, destination.kind, params.id),
    }),
  }),
  endpoint({
    method: 'POST',
    path: '/destination/confirm/{code}',
    tag,
    summary: 'Confirm an e-mail address',
    description: 'What the page behind the mailed link does. A link can be used once, for seven days.',
    params: Shape({ code: Text('The code of the link.', 'vigil_confirm_…', { max: 200 }) }, ['code']),
    reply: Shape(
      {
        address: Text('The confirmed address.', 'alice@example.com'),
        tenant: Text('Whose alerts it gets.', 'Example'),
      },
      ['address', 'tenant'],
    ),
    effect: 'change',
    problems: ['not-found'],
    handle: async (call, { params }) => ({ body: await confirmDestination(call, params.code) }),
  }),
  endpoint({
    method: 'POST',
    path: '/destination/{id}/preview',
    tag,
    summary: 'Show what would be sent',
    description:
      'The request, mail or message for an alert, or for a `ping` where none is named. Secrets and signatures are masked; nothing is sent.',
    params: byId,
    body: Shape(
      {
        alertUid: Text('The alert.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071', { max: 100 }),
        template: Text('A message to try in place of the alert’s own.', 'The owner is {newOwner} now.', {
          max: 10_000,
        }),
      },
      [],
    ),
    reply: Shape(
      {
        type: OneOf(destinationTypes, 'Kind of destination.', 'HTTP'),
        method: Text('HTTP method.', 'POST'),
        uri: Text('Address.', 'https://example.com/hook'),
        headers: TextMap('HTTP headers.', { 'content-type': 'application/json' }),
        body: Text('Body of the request.', '{"type":"ping"}', { max: 100_000 }),
        to: Text('Receiver of the mail.', 'alice@example.com'),
        subject: Text('Subject of the mail.', 'HIGH: Owner changed'),
        text: Text('Text of the mail or message.', 'Owner changed'),
        html: Text('Mail as HTML.', '<p>Owner changed</p>'),
        chatId: nullable(Text('The chat.', '-10002')),
      },
      ['type'],
    ),
    effect: 'read',
    problems: ['not-found', 'unprocessable'],
    handle: async (call, { params, body }) => ({
      body: await previewDestination(call, params.id, body),
    }),
  }),
  endpoint({
    method: 'POST',
    path: '/destination/{id}/secret',
    tag,
    summary: 'Replace the secret that signs webhooks',
    description:
      'The answer is the only place where the new secret is shown. For a day the old one signs as well.',
    params: byId,
    reply: Shape(
      {
        secret: Text('The new secret.', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='),
        previousUntil: Millis('Until when the old secret signs as well.'),
      },
      ['secret', 'previousUntil'],
    ),
    effect: 'change',
    problems: ['not-found', 'unprocessable'],
    handle: async (call, { params }) => ({ body: await rotateSecret(call, destination.kind, params.id) }),
  }),
  endpoint({
    method: 'GET',
    path: '/destination/{id}/binding',
    tag,
    summary: 'Read what is bound to a destination',
    description: 'Detectors, trigger alerts and actions that send to it, and which alerts of theirs.',
    params: byId,
    reply: Shape({ data: List(Shape(binding, Object.keys(binding)), 'The bindings.') }, ['data']),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params }) => {
      const destination = await findReadable(call, destinationTable, params.id);
      const bindings = await findBindings(call.db, destination.tenantId, destination.id);
      const data = [];
      for (const bound of bindings) {
        await yieldToEventLoop();
        data.push({ ...bound, fault: faultOf(bound.query) });
      }
      return { body: { data } };
    },
  }),
];
