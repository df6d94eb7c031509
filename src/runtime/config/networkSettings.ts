import { BlockList, isIP } from 'node:net';
import type { Egress } from '../../lib/egress.ts';
import type { AbiSource } from '../../services/contracts/createAbiSources.ts';
import type { EnvReader } from './createEnvReader.ts';

/** Private addresses and unusual ports that webhooks and detectors may connect to. */
export function readEgress(read: EnvReader): Egress {
  return { ...readNetworks(read, 'VIGIL_ALLOW_NETWORKS'), ports: readPorts(read, 'VIGIL_ALLOW_PORTS') };
}

/** `10.0.0.0/8` for every tenant, `tenant:12=10.1.0.0/16` for one. */
function readNetworks(read: EnvReader, name: string): Pick<Egress, 'networks' | 'tenantNetworks'> {
  const networks = new BlockList();
  const tenantNetworks = new Map<number, BlockList>();
  for (const item of read.items(name) ?? []) {
    const [, tenant, text = item] = /^tenant:(\d{1,15})=(.*)$/.exec(item) ?? [];
    const network = parseNetwork(text);
    if (!network || network.isSingle) {
      read.fault(
        `${name} has "${item}" but takes networks such as 10.0.0.0/8 or fd00::/8, and tenant:12=10.1.0.0/16 for one tenant.`,
      );
      continue;
    }
    const id = Number(tenant);
    const list = tenant === undefined ? networks : (tenantNetworks.get(id) ?? new BlockList());
    if (tenant !== undefined) tenantNetworks.set(id, list);
    list.addSubnet(network.address, network.bits, network.version);
  }
  return { networks, tenantNetworks };
}

function readPorts(read: EnvReader, name: string): ReadonlySet<number> {
  const ports = read.items(name) ?? [];
  for (const port of ports)
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
      read.fault(`${name} has "${port}" but takes ports from 1 to 65535, such as 8080,8443.`);
  return new Set(ports.map(Number));
}

/** Networks and single addresses; undefined when there are none. */
export function readTrustedProxies(read: EnvReader): BlockList | undefined {
  const name = 'VIGIL_TRUSTED_PROXIES';
  const items = read.items(name) ?? [];
  const list = new BlockList();
  for (const item of items) {
    const network = parseNetwork(item);
    if (network) list.addSubnet(network.address, network.bits, network.version);
    else read.fault(`${name} has "${item}" but takes addresses and networks such as 10.0.0.7 or 10.0.0.0/8.`);
  }
  return items.length > 0 ? list : undefined;
}

export function readCorsOrigins(read: EnvReader): string[] {
  const name = 'VIGIL_CORS_ORIGINS';
  const origins = read.items(name) ?? [];
  for (const origin of origins)
    if (origin !== '*' && !isOrigin(origin))
      read.fault(`${name} has "${origin}" but takes origins such as https://console.example.com, or *.`);
  return origins;
}

/** Origins that links of invites may lead to; an empty list allows every http and https address. */
export function readInviteOrigins(read: EnvReader): string[] {
  const name = 'VIGIL_INVITE_ORIGINS';
  const origins = read.items(name) ?? [];
  for (const origin of origins)
    if (!isOrigin(origin))
      read.fault(`${name} has "${origin}" but takes origins such as https://console.example.com.`);
  return origins;
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

type Network = { address: string; bits: number; version: 'ipv4' | 'ipv6'; isSingle: boolean };

/** A network, or a single address, which is a network of one. */
function parseNetwork(text: string): Network | undefined {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  if (version === 0) return undefined;
  const maxBits = version === 6 ? 128 : 32;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > maxBits)) return undefined;
  return {
    address,
    bits: Number(bits ?? maxBits),
    version: version === 6 ? 'ipv6' : 'ipv4',
    isSingle: bits === undefined,
  };
}

/** `sourcify:https://…` or `etherscan:https://…/api?apikey=…`; without the word, an address that ends in /api is the latter. */
export function readAbiSources(read: EnvReader): AbiSource[] {
  const name = 'VIGIL_ABI_SOURCES';
  return (read.items(name) ?? []).flatMap((item): AbiSource[] => {
    const [, kind, url = item] = /^(sourcify|etherscan):(https?:.*)$/.exec(item) ?? [];
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      // The item may hold a key, so it is not shown.
      read.fault(
        `${name} takes addresses such as sourcify:https://sourcify.dev/server or etherscan:https://api.etherscan.io/v2/api?apikey=KEY.`,
      );
      return [];
    }
    const isEtherscan = kind ? kind === 'etherscan' : /\/api\/?$/.test(new URL(url).pathname);
    return [{ kind: isEtherscan ? 'etherscan' : 'sourcify', url }];
  });
}
