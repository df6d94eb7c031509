import { createCoalescedLoop } from '../../lib/createCoalescedLoop.ts';
import type { Stoppable } from '../../lib/createLifecycle.ts';
import { createRules } from '../rules/createRules.ts';
import { type Repeating, repeatDue } from './repeatDue.ts';

const everyMs = 1000;

/** Repeats alerts that no one has answered, until it is stopped. Any number of processes may run it side by side. */
export function startRepeats({
  onError,
  ...options
}: Omit<Repeating, 'findRules'> & { onError: (error: unknown) => void }): Stoppable {
  const repeating = { ...options, findRules: createRules() };
  const { wake, stop } = createCoalescedLoop(async () => {
    await repeatDue(repeating);
  }, onError);
  const timer = setInterval(wake, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await stop();
    },
  };
}
