import type { LookupFunction } from 'node:net';
import type { Resolve } from './createResolve.ts';
import { type Egress, type Reach, reachOf } from './egress.ts';

type Rules = {
  tenantId: number;
  egress: Egress;
  resolve: Resolve;
  /** False for a port that may be used inside allowed networks only. */
  isUsualPort: boolean;
  /** Called when a name led into an allowed network. */
  onInside?: (hostname: string, reach: Reach) => void;
};

/** A lookup for a connection to an address that a tenant chose: it refuses a name that leads where the tenant may not reach. */
export function guardedLookup({ tenantId, egress, resolve, isUsualPort, onInside }: Rules): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const reaches = addresses.map(({ address }) => reachOf(address, tenantId, egress));
      if (reaches.includes('refused'))
        return callback(new Error(`${hostname} leads to a private or reserved network`), []);
      if (!isUsualPort && reaches.includes('public'))
        return callback(new Error(`${hostname} has a port that is not allowed`), []);
      const reach =
        reaches.find((candidate) => candidate === 'shared') ??
        reaches.find((candidate) => candidate === 'own');
      if (reach) onInside?.(hostname, reach);
      callback(null, addresses);
    });
  };
}
