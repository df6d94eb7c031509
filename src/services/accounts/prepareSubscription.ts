import { invalid, Problem } from '../../model/errors.ts';
import { findOverlapping } from '../../store/accounts/findOverlapping.ts';
import { lockQuantities } from '../../store/accounts/plans.ts';
import type { Row } from '../../store/records/records.ts';
import type { subscriptionTable } from '../../store/tables/subscriptionTable.ts';
import type { Call } from '../call.ts';
import type { ChangeOf } from '../records/recordKind.ts';

type SubscriptionChange = ChangeOf<typeof subscriptionTable>;

export async function prepareSubscription(call: Call, change: SubscriptionChange): Promise<Row> {
  const {
    startDate = call.now,
    expirationDate,
    status,
  } = change.current ? { ...change.current, ...change.input } : change.input;
  if (expirationDate <= startDate) {
    throw invalid('/expirationDate', 'order', 'must be later than `startDate`.');
  }
  if (status === 'ACTIVE') await refuseOverlap(call, change, { startDate, expirationDate });
  call.services.invalidateTokens();
  return { ...change.input, startDate };
}

/** At any moment a tenant has one plan; the tenant is locked so that of two overlapping subscriptions only one is saved. */
async function refuseOverlap(
  call: Call,
  { id, tenantId, current }: SubscriptionChange,
  period: { startDate: number; expirationDate: number },
): Promise<void> {
  const isSame =
    current?.status === 'ACTIVE' &&
    current.startDate === period.startDate &&
    current.expirationDate === period.expirationDate;
  if (tenantId === null || isSame) return;
  await lockQuantities(call.db, tenantId);
  const overlapping = await findOverlapping(call.db, tenantId, period, id);
  if (!overlapping) return;
  const message =
    `Subscription ${overlapping.id} is active from ${new Date(overlapping.startDate).toISOString()} to ` +
    `${new Date(overlapping.expirationDate).toISOString()}; change it, or choose a time outside of it.`;
  throw new Problem('conflict', message, { errors: [{ pointer: '/startDate', code: 'overlap', message }] });
}
