import type { Stoppable } from '../../lib/createLifecycle.ts';
import { startPoller } from '../../lib/startPoller.ts';
import { pollDue } from '../../store/db/pollDue.ts';
import { isRepeatDue } from '../../store/destinations/routeGroups.ts';
import { createRules } from '../rules/createRules.ts';
import { type Repeating, repeatDue } from './repeatDue.ts';

/** Repeats alerts that no one has answered, until it is stopped. Any number of processes may run it side by side. */
export function startRepeats({
  onError,
  ...options
}: Omit<Repeating, 'findRules'> & { onError: (error: unknown) => void }): Stoppable {
  const repeating = { ...options, findRules: createRules() };
  const whenDue = (wake: () => void) => pollDue(options.store, () => isRepeatDue(options.now()), wake);
  return startPoller(() => repeatDue(repeating), { whenDue, onError });
}
