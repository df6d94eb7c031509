import { typesWith } from '../src/destinations/destinationKinds.ts';
import type { Sender } from '../src/notify/createNotifier.ts';

/** One sender for every type that takes HTTP requests, as in a running Vigil. */
export function requestSenders(sender: Sender): Record<string, Sender> {
  return Object.fromEntries(
    typesWith(({ transport }) => transport === 'request').map((type) => [type, sender]),
  );
}
