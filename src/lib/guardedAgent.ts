import type { BlockList } from 'node:net';
import { Agent } from 'undici';
import { isPublicAddress } from './addressGuard.ts';
import { createResolve, type Resolve } from './createResolve.ts';

/**
 * An agent for addresses that tenants choose. What a name leads to is checked when the connection is made, so that a name
 * which leads somewhere else the second time is refused too. Addresses given as numbers never come by here: check them
 * with `webhookFault` before.
 */
export function createGuardedAgent(allowed: BlockList, resolve: Resolve = createResolve()): Agent {
  return new Agent({
    connect: {
      timeout: 5000,
      lookup: (hostname, options, callback) => {
        resolve(hostname, { ...options, all: true }, (error, addresses) => {
          if (error) return callback(error, []);
          const refused = addresses.find(({ address }) => !isPublicAddress(address, allowed));
          if (refused) return callback(new Error(`${hostname} leads to a private or reserved network`), []);
          callback(null, addresses);
        });
      },
    },
    maxResponseSize: 1024 * 1024,
  });
}
