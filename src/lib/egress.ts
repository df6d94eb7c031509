import { BlockList, isIP } from 'node:net';

/** Additional targets of requests to addresses that tenants choose, beside the usual ports of the public internet. */
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

/** Everything that is not the public internet: private, loopback, link-local, shared, documentation, reserved. */
const reserved = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  reserved.addSubnet(network, bits, 'ipv4');
}

/** Services of cloud platforms that hand out credentials to any request from inside; no allowance opens them. */
const platform = new BlockList();
for (const address of ['168.63.129.16', '169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192'])
  platform.addAddress(address, 'ipv4');
for (const address of ['fd00:ec2::254', 'fd20:ce::254']) platform.addAddress(address, 'ipv6');
const platformNames =
  /^(metadata|instance-data|metadata\.(google\.internal|goog|azure\.internal|tencentyun\.com)|instance-data\.ec2\.internal)$/i;

/** True if a host is one of these, by its name or number; the resolution of a name is checked later. */
export function isPlatformHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const version = isIP(host);
  return version === 0 ? platformNames.test(host) : platform.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** Only global unicast is public; 6to4, Teredo, NAT64 and documentation inside it reach somewhere else. */
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');
const reservedV6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  reservedV6.addSubnet(network, bits, 'ipv6');
}

/**
 * Class of an IP address for a tenant: `public`, in a network allowed to all tenants (`shared`) or to this one (`own`),
 * or `refused`.
 */
export type Reach = 'public' | 'shared' | 'own' | 'refused';

export function reachOf(address: string, tenantId: number, egress: Egress): Reach {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (platform.check(address, family)) return 'refused';
  if (egress.tenantNetworks.get(tenantId)?.check(address, family)) return 'own';
  if (egress.networks.check(address, family)) return 'shared';
  const isPublic =
    family === 'ipv4'
      ? !reserved.check(address, 'ipv4')
      : publicV6.check(address, 'ipv6') && !reservedV6.check(address, 'ipv6');
  return isPublic ? 'public' : 'refused';
}

export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return port ? Number(port) : protocol === 'https:' ? 443 : 80;
}

/** Other ports may be used inside allowed networks only. */
export function isUsualPort(port: number, { ports }: Egress): boolean {
  return port === 80 || port === 443 || ports.has(port);
}

function usualPorts({ ports }: Egress): string {
  const all = [...new Set([80, 443, ...ports])];
  return `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

/** The same rules with more ports: those of a protocol other than HTTP. */
export function portedEgress(egress: Egress, ports: readonly number[] = []): Egress {
  return ports.length === 0 ? egress : { ...egress, ports: new Set([...egress.ports, ...ports]) };
}

/**
 * The fault of an address that a tenant wants requests sent to, or undefined. Names are checked again when they
 * resolve.
 */
export function webhookFault(text: string, tenantId: number, egress: Egress): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://example.com/hook';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username || url.password) return 'must not carry a user name or password; put it into `headers`';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = portOf(url);
  const hasNetworks = egress.networks.rules.length > 0 || egress.tenantNetworks.has(tenantId);
  const inside = 'leads to a private or reserved network; an operator can allow it with VIGIL_ALLOW_NETWORKS';
  const wrongPort = isUsualPort(port, egress)
    ? undefined
    : `must have port ${usualPorts(egress)}, not ${port}; an operator can allow others with VIGIL_ALLOW_PORTS`;
  if (isIP(host)) {
    const reach = reachOf(host, tenantId, egress);
    if (reach === 'refused') return inside;
    return reach === 'public' ? wrongPort : undefined;
  }
  if (platformNames.test(host)) return inside;
  if (isLoopbackName(host)) return reachOf('127.0.0.1', tenantId, egress) === 'refused' ? inside : undefined;
  if (hasNetworks) return undefined;
  return isLocalName(host) ? inside : wrongPort;
}

function isLoopbackName(host: string): boolean {
  return /(^|\.)(localhost|localdomain)$/i.test(host);
}

/** Names that exist in no public name server; where they lead is seen when they resolve. */
export function isLocalName(host: string): boolean {
  return isLoopbackName(host) || /(^|\.)(local|internal)$/i.test(host);
}
