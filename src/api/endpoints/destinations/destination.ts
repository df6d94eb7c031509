import { foreignMembers } from '../../../destinations/destinationKinds.ts';
import { finishDestination } from '../../../services/destinations/finishDestination.ts';
import { prepareDestination } from '../../../services/destinations/prepareDestination.ts';
import { ensureSecret } from '../../../services/destinations/webhookSecret.ts';
import { refuseDuties } from '../../../services/onCall/refuseDuties.ts';
import { refuseIfUsed } from '../../../services/records/refuseIfUsed.ts';
import { destinationTable } from '../../../store/tables/destinationTable.ts';
import { defineResource } from '../../http/defineResource.ts';
import type { Endpoint } from '../../http/endpoint.ts';

const resource = defineResource({
  path: '/destination',
  tag: 'Destinations',
  about:
    'Where notifications go. An e-mail address is mailed a link, and gets nothing else until it is confirmed there. ' +
    'The chat of a MESSENGER_A destination is set by sending its `uid` (`/bind <code>`) to the bot there; ' +
    'null as `messengerAChatId` unbinds it. Members of another kind are refused. `value` and the address member of the kind (`uri`, `messengerBUri`) are two names of one address. ' +
    'The secret that signs the webhooks of an HTTP destination is shown once, in the header `X-Webhook-Secret` of the answer.',
  table: destinationTable,
  owner: 'tenant',
  limit: 'maxDestinations',
  replyWithout: { create: ['type'], search: ['type'] },
  // The example is a webhook.
  unexampled: foreignMembers('HTTP'),
  prepare: prepareDestination,
  finish: finishDestination,
  beforeDelete: async (call, { id, tenantId }) => {
    await refuseIfUsed(call, 'routes of a destination', id, 'routes lead to it');
    await refuseDuties(call, tenantId, { destinationId: id });
  },
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
