import { Problem } from '../../model/errors.ts';
import { addPushedAlerts, findPushLimit } from '../../store/accounts/plans.ts';
import type { Call } from '../call.ts';

/** Alerts that the plan lets a tenant push in a minute. */
export async function readPushLimit(call: Pick<Call, 'db' | 'now'>, tenantId: number) {
  const plan = await findPushLimit(call.db, tenantId, call.now);
  return {
    /** Refuses alerts beyond it. What others push at the same moment is not counted yet, so that none waits for them; `count` does that. */
    check: (more: number) => refuse(call.now, plan, plan.count, more),
    /**
     * Counts them, and refuses them if others were faster; returns whether the detector still takes alerts. From here to the
     * end of the transaction others of the tenant wait.
     */
    async count(detector: { tenantId: number; id: number }, more: number): Promise<boolean> {
      const counted = await addPushedAlerts(call.db, detector, more, call.now);
      if (!counted) return false;
      refuse(call.now, plan, counted.count - more, more);
      return counted.isOpen;
    },
  };
}

function refuse(now: number, plan: { name: string; limit: number }, count: number, more: number): void {
  const { name, limit } = plan;
  if (count + more <= limit) return;
  const advice = more > limit ? ` Push at most ${limit} at once.` : '';
  throw new Problem(
    'rate-limited',
    `The plan "${name}" allows ${limit} pushed alerts a minute, the tenant has pushed ${count} in this one, and these are ${more} more. Nothing was stored.${advice}`,
    { limit, count, retryAfterSeconds: (60_000 - (now % 60_000)) / 1000 },
  );
}
