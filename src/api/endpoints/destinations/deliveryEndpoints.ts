import { Type } from 'typebox';
import { eventTypes } from '../../../model/notification.ts';
import { Count, Id, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { replayDelivery } from '../../../services/destinations/replayDelivery.ts';
import { findReadable } from '../../../services/records/findReadable.ts';
import { deliveryStates, searchDeliveries } from '../../../store/destinations/deliveryLog.ts';
import { findHealth } from '../../../store/destinations/destinationHealth.ts';
import { destinationTable } from '../../../store/tables/destinationTable.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { pageQuery } from '../../http/pageQuery.ts';

const tag = 'Destinations';
export const deliveryUid = Text(
  'The delivery; receivers of webhooks see it as `webhook-id`.',
  'f0c9a1de-0000-4000-8000-000000000001',
  {
    max: 100,
  },
);
const status = nullable(
  Type.Integer({ description: 'Status that the receiver answered with.', examples: [200] }),
);
const error = nullable(Text('Reason of the failure.', 'The receiver answered 500.'));
export const attempt = {
  attempt: Count('Number of the attempt, from 1.', 1),
  at: Millis('When it was made.'),
  durationMs: Count('How long it took.', 120),
  status,
  error,
};
export const delivery = {
  uid: deliveryUid,
  sequence: Count('Rises in the order in which messages came into being.', 42, Number.MAX_SAFE_INTEGER),
  destinationId: Id('The destination.'),
  type: OneOf(eventTypes, 'The event that it reports.', 'alert.detector.raised'),
  state: OneOf(deliveryStates, 'Its outcome.', 'DELIVERED'),
  alertUid: nullable(Text('The alert that it reports.', '01a2b3c4-d5e6-8f70-8a1b-2c3d4e5f6071')),
  createdAt: Millis('When it came into being.'),
  updatedAt: Millis('When it last changed.'),
  deliveredAt: nullable(Millis('When it got through.')),
  nextAttemptAt: nullable(Millis('When it is tried next.')),
  lastStatus: status,
  lastError: error,
  attempts: List(Shape(attempt, Object.keys(attempt)), 'Every attempt so far.'),
};
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
