import { Problem } from '../../model/errors.ts';
import {
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
