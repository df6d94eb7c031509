import { Type } from 'typebox';
import { eventTypes } from '../../../model/notification.ts';
import { Count, Id, List, Millis, nullable, OneOf, Shape, Text } from '../../../model/schema.ts';
import { deliveryStates } from '../../../store/destinations/deliveryLog.ts';

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
