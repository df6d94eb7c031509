import type { BlockList } from 'node:net';

/** Where requests to addresses that tenants choose may go, beside the usual ports of the public internet. */
export type Egress = {
  /** Private networks that every tenant may reach. */
  networks: BlockList;
  /** Private networks that one tenant may reach, by its id. */
  tenantNetworks: ReadonlyMap<number, BlockList>;
  /** Ports beside 80 and 443. */
  ports: ReadonlySet<number>;
};

/** The same networks for every tenant, and no further ports. */
export function toEgress(networks: BlockList): Egress {
  return { networks, tenantNetworks: new Map(), ports: new Set() };
}
