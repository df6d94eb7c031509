import { Count, Id, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { replayDelivery } from '../../../services/destinations/replayDelivery.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { deliveryStates, searchDeliveries } from '../../../store/destinations/deliveryLog.ts';
import { findHealth } from '../../../store/destinations/destinationHealth.ts';
import { destinationTable } from '../../../store/tables/destinationTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { pageQuery } from '../../http/pageQuery.ts';
import { delivery, deliveryUid } from '../records/deliverySchemas.ts';

const tag = 'Destinations';
const deliveryReply = Shape(delivery, Object.keys(delivery));

/** The log of deliveries, and sending one again. */
export const deliveryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/destination/{id}/delivery',
    tag,
    summary: 'Read what was sent to a destination',
    description: 'Newest first, with every attempt, and whether the destination works.',
    params: Shape({ id: Id('The destination.') }, ['id']),
    query: pageQuery(deliveryStates, 'DEAD'),
    reply: Shape(
      {
        status: OneOf(['ACTIVE', 'DISABLED'], 'Whether anything is sent to it.', 'ACTIVE'),
        failingSince: nullable(Millis('Since when nothing has got through.')),
        disabledReason: nullable(
          Text('Reason that nothing is sent any more.', 'Nothing got through for five days.'),
        ),
        groupWindowMs: Count('Mails and chat messages within this time of the last one go out together.', 0),
        data: List(deliveryReply, 'The deliveries.'),
      },
      ['status', 'failingSince', 'disabledReason', 'groupWindowMs', 'data'],
    ),
    effect: 'read',
    problems: ['not-found'],
    handle: async (call, { params, query }) => {
      const destination = await findReadable(call, destinationTable, params.id);
      const { from = 0, size = 10, state } = query;
      const health = await findHealth(call.db, destination.tenantId, destination.id);
      return {
        body: { ...health, data: await searchDeliveries(call.db, destination, { from, size, state }) },
      };
    },
  }),
  endpoint({
    method: 'POST',
    path: '/delivery/{uid}/replay',
    tag,
    summary: 'Send a delivery again',
    description: 'At once, under the same uid, and on a new schedule of attempts.',
    params: Shape({ uid: deliveryUid }, ['uid']),
    reply: deliveryReply,
    effect: 'change',
    problems: ['not-found', 'illegal-transition'],
    handle: async (call, { params }) => ({ body: await replayDelivery(call, params.uid) }),
  }),
];
