import type { Withheld } from '../../notify/decideNotification.ts';

/** Reasons why no one was notified of an alert, for people. */
export const withheldReasons = {
  suppressed: "It is over the rate limit of the tenant's plan: it is stored, but no one is notified.",
  backfilled: 'It was pushed more than an hour after it happened: it is stored, but no one is notified.',
  shadow: 'Its detector is on trial (tag `shadow`): it notifies no one and fires nothing.',
  purged:
    'Deliveries are kept for the days that the operator chose (90 without a setting); those of this alert are deleted.',
  undecided:
    'The rules of the tenant need much time, so it waits to be decided beside the chain: within seconds, after a minute without the rules that hold it.',
  silenced: 'A silence holds it from people: it is stored, searched and scored, and its actions fire.',
  inhibited:
    'An open incident on its contract explains it, as a rule says: it is stored, and its actions fire.',
  muted: 'The routes that took it are muted at this time.',
  'below-floor': 'The routes that took it notify only of worse alerts.',
  'no-destination':
    'No active destination is bound to what raised it, gets it by a rule of its own, or has the default tags; or, where routes are on, those that took it lead to none. Bind one, or let one get it.',
  filtered:
    'The filters of bindings and destinations (severity, query) did not let it pass to any destination.',
} as const satisfies Record<Withheld | 'purged' | 'undecided', string>;
