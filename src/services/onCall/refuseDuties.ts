import { Problem } from '../../model/errors.ts';
import { type DutyOf, findDuties } from '../../store/onCall/duties.ts';
import type { Call } from '../call.ts';

const nouns = { schedule: 'schedule', chain: 'escalation chain', route: 'route' } as const;

/**
 * Refuses to delete what a schedule or chain of the tenant names: the hole would be found when someone has to be called. The caller has
 * locked the record.
 */
export async function refuseDuties(call: Call, tenantId: number, of: DutyOf): Promise<void> {
  const duties = await findDuties(call.db, tenantId, of);
  if (duties.length === 0) return;
  const names = duties.map(({ kind, name }) => `${nouns[kind]} “${name}”`).join(', ');
  throw new Problem(
    'conflict',
    `It is named by ${names}; change ${duties.length === 1 ? 'it' : 'these'} first.`,
  );
}
