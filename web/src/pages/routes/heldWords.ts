import type { ReplyOf } from '../../../../sdk/src/index.ts';

type Held = NonNullable<
  NonNullable<ReplyOf<'GET', '/alert/{uid}/outcome'>['decision']>['routes'][number]['held']
>;

/** Why a route notified no one, in a few words. */
export const heldWords: Readonly<Record<Held, string>> = {
  suppressed: 'over the rate limit',
  backfilled: 'happened long ago',
  shadow: 'on trial',
  purged: 'deliveries are deleted',
  undecided: 'waits to be decided',
  silenced: 'silenced',
  inhibited: 'held by an inhibition',
  muted: 'muted at that time',
  'below-floor': 'not severe enough',
  'no-destination': 'leads to no destination that can be reached',
  filtered: 'filtered',
};
