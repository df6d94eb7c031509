import { client } from '../state/api.ts';
import { showCount, toLabel } from '../state/format.ts';
import type { Me } from '../state/session.ts';
import { useLoad } from '../state/useLoad.ts';

export type PlanLimit = keyof NonNullable<Me['plan']>['limits'];

/** Says that the plan allows no more of a kind, why, and what helps; nothing while there is room. */
export function PlanNotice({ limit, count }: { limit: PlanLimit; count?: number | undefined }) {
  const { data } = useLoad(`plan ${count ?? ''}`, (signal) => client.get('/auth/me', { signal }));
  const plan = data?.plan;
  if (!plan || plan.use[limit] < plan.limits[limit]) return null;
  const kind = toLabel(limit.replace(/^max/, '')).toLowerCase();
  return (
    <div class="notice warn" role="status">
      The plan “<span class="foreign">{plan.name}</span>” allows {showCount(plan.limits[limit])} {kind}, and
      all of them are in use. Delete one that is no longer needed, or ask an administrator for a larger plan.
    </div>
  );
}
