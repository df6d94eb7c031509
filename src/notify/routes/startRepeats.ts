import type { Stoppable } from '../../lib/createLifecycle.ts';
import { startPoller } from '../../lib/startPoller.ts';
import { createRules } from '../rules/createRules.ts';
import { type Repeating, repeatDue } from './repeatDue.ts';

const everyMs = 1000;

/** Repeats alerts that no one has answered, until it is stopped. Any number of processes may run it side by side. */
export function startRepeats({
  onError,
  ...options
}: Omit<Repeating, 'findRules'> & { onError: (error: unknown) => void }): Stoppable {
  const repeating = { ...options, findRules: createRules() };
  return startPoller(() => repeatDue(repeating), { everyMs, onError });
}
