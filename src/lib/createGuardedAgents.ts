import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { createResolve, type Resolve } from './createResolve.ts';
import { type Egress, isUsualPort, portOf, type Reach, reachOf } from './egress.ts';
import { guardedLookup } from './guardedLookup.ts';

export type GuardedAgents = {
  agentOf(tenantId: number): Agent;
  /** Network of the tenant's last connection to this address. */
  reachOf(tenantId: number, url: string): Reach;
  close(): Promise<void>;
};

type Guarded = { agent: Agent; inside: Map<string, Reach> };

/**
 * Agents for addresses that tenants choose. A name is checked at each connection, in case it resolves differently.
 * Numeric addresses must pass `webhookFault` before. Tenants with networks of their own share no connections.
 */
export function createGuardedAgents(egress: Egress, resolve: Resolve = createResolve()): GuardedAgents {
  const shared = createAgent(0, egress, resolve);
  const tenantAgents = new Map<number, Guarded>();

  function of(tenantId: number): Guarded {
    if (!egress.tenantNetworks.has(tenantId)) return shared;
    const made = tenantAgents.get(tenantId) ?? createAgent(tenantId, egress, resolve);
    tenantAgents.set(tenantId, made);
    return made;
  }

  return {
    agentOf: (tenantId) => of(tenantId).agent,
    reachOf: (tenantId, url) => {
      const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
      return isIP(host) ? reachOf(host, tenantId, egress) : (of(tenantId).inside.get(host) ?? 'public');
    },
    close: async () => {
      await Promise.all([shared, ...tenantAgents.values()].map(({ agent }) => agent.destroy()));
    },
  };
}

function createAgent(tenantId: number, egress: Egress, resolve: Resolve): Guarded {
  /** Names that led into an allowed network; they stay noted, because connections are used again. */
  const inside = new Map<string, Reach>();
  const onInside = (hostname: string, reach: Reach) => inside.set(hostname, reach);
  const connectTo = (isUsualPort: boolean) =>
    buildConnector({
      timeout: 5000,
      lookup: guardedLookup({ tenantId, egress, resolve, isUsualPort, onInside }),
    });
  const anywhere = connectTo(true);
  const insideOnly = connectTo(false);
  const agent = new Agent({
    connect: (options, callback) => {
      const isUsual = isUsualPort(portOf({ port: options.port, protocol: options.protocol }), egress);
      (isUsual ? anywhere : insideOnly)(options, callback);
    },
    maxResponseSize: 1024 * 1024,
  });
  return { agent, inside };
}
