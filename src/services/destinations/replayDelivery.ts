import { Problem } from '../../model/errors.ts';
import {
  type Delivery,
  lockDelivery,
  replayDelivery as replay,
} from '../../store/destinations/deliveryLog.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

/** Sends a delivery again, with the same uid, so that the receiver can recognise the duplicate. */
export async function replayDelivery(call: Call, uid: string): Promise<Delivery> {
  const delivery = await lockDelivery(call.db, call.scope, uid, call.now);
  if (!delivery) throw new Problem('not-found', 'There is no such delivery.');
  if (delivery.state === 'CANCELED')
    throw new Problem(
      'illegal-transition',
      'The delivery was cancelled because its alert was retracted or someone answered it; only DELIVERED, DEAD and PENDING ones can be sent again.',
    );
  const { tenantId, destinationId, state: before } = delivery;
  await audit(call, 'destination', 'replay', { id: destinationId, tenantId }, undefined, undefined, {
    uid,
    before,
  });
  return replay(call.db, delivery, call.now);
}
