import { Problem } from '../../model/errors.ts';
import {
  addPushedAlerts,
  type CountedLimit,
  countQuantity,
  findPlan,
  lockQuantities,
  quantityWord,
} from '../../store/accounts/plans.ts';
import type { Call } from '../call.ts';

/**
 * Refuses as many more as the plan has no room for. The tenant's counts are locked first, so that of many creations at the
 * same moment exactly as many pass as there is room for.
 */
export async function checkPlanLimit(
  call: Pick<Call, 'db' | 'now'>,
  tenantId: number,
  limit: CountedLimit,
  more = 1,
): Promise<void> {
  await lockQuantities(call.db, tenantId);
  const plan = await findPlan(call.db, tenantId, call.now);
  const count = await countQuantity(call.db, tenantId, limit, call.now);
  if (count + more <= plan[limit]) return;
  throw new Problem(
    'plan-limit',
    `The plan "${plan.name}" allows ${plan[limit]} ${quantityWord(limit)}, and the tenant has ${count}.`,
    { limit: plan[limit], count },
  );
}

/** Refuses alerts beyond those that the plan lets a tenant push in a minute; counts the others. */
export async function checkPushedAlerts(
  call: Pick<Call, 'db' | 'now'>,
  tenantId: number,
  more: number,
): Promise<void> {
  const { maxPushedAlerts: limit, name } = await findPlan(call.db, tenantId, call.now);
  const count = (await addPushedAlerts(call.db, tenantId, more, call.now)) - more;
  if (count + more <= limit) return;
  const advice = more > limit ? ` Push at most ${limit} at once.` : '';
  throw new Problem(
    'rate-limited',
    `The plan "${name}" allows ${limit} pushed alerts a minute, the tenant has pushed ${count} in this one, and these are ${more} more. Nothing was stored.${advice}`,
    { limit, count, retryAfterSeconds: (60_000 - (call.now % 60_000)) / 1000 },
  );
}
