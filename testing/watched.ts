import type { Watched } from '../src/chains/chainClient.ts';

/** A watch list of just these addresses. */
export function watched(...addresses: readonly string[]): Watched {
  return { has: (address) => addresses.includes(address), addresses: () => addresses, version: () => 0 };
}
