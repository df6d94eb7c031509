import { BlockList, isIP } from 'node:net';

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

/** Whether a webhook may connect to this IP address; an operator can allow networks of his own. */
export function isPublicAddress(address: string, allowed: BlockList): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (allowed.check(address, family)) return true;
  if (family === 'ipv4') return !reserved.check(address, 'ipv4');
  return publicV6.check(address, 'ipv6') && !reservedV6.check(address, 'ipv6');
}

/** What is wrong with an address that webhooks are to be sent to, or undefined. Names are checked again when they resolve. */
export function webhookFault(text: string, allowed: BlockList): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://example.com/hook';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username || url.password) return 'must not carry a user name or password; put it into `headers`';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isRefused = isIP(host)
    ? !isPublicAddress(host, allowed)
    : isLoopbackName(host)
      ? !allowed.check('127.0.0.1', 'ipv4')
      : isLocalName(host) && allowed.rules.length === 0;
  return isRefused
    ? 'leads to a private or reserved network; an operator can allow it with VIGIL_ALLOW_NETWORKS'
    : undefined;
}

function isLoopbackName(host: string): boolean {
  return /(^|\.)(localhost|localdomain)$/i.test(host);
}

/** Names that exist in no public name server; where they lead is seen when they resolve. */
export function isLocalName(host: string): boolean {
  return isLoopbackName(host) || /(^|\.)(local|internal)$/i.test(host);
}
