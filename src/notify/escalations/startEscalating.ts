import type { Stoppable } from '../../lib/createLifecycle.ts';
import { startPoller } from '../../lib/startPoller.ts';
import type { AlertLinks } from '../../model/notification.ts';
import type { Store } from '../../store/db/db.ts';
import { pollDue } from '../../store/db/pollDue.ts';
import { isEscalationDue } from '../../store/onCall/escalations.ts';
import { takeSteps } from './takeSteps.ts';

type Options = {
  store: Store;
  links: AlertLinks;
  /** Subscribes to notifications of chains that begin. */
  listen: (onNotify: () => void) => () => Promise<void>;
  now: () => number;
  onError: (error: unknown) => void;
};

/** Makes the steps of chains when they are due, until it is stopped. Any number of processes may run it side by side. */
export function startEscalating({ store, links, listen, now, onError }: Options): Stoppable {
  const work = async () => {
    while ((await takeSteps(store, { now: now(), links })) > 0);
  };
  const whenDue = (wake: () => void) => pollDue(store, () => isEscalationDue(now()), wake);
  return startPoller(work, { whenDue, listen, onError });
}
