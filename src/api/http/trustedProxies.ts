import type { IncomingMessage, Server } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** More proxies than this do not stand in a row; the rest of the header is not read. */
const hopLimit = 20;

/** Tests if an address is one of the proxies whose X-Forwarded-For is believed. */
export function createTrust(proxies: BlockList): (address: string) => boolean {
  return (address) => {
    const plain = unmapped(address);
    const version = isIP(plain);
    return version !== 0 && proxies.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/**
 * Keeps the readable end of X-Forwarded-For: each proxy appends its client, and no trusted proxy wrote what precedes a
 * part that is no address.
 */
export function cleanForwarded(server: Server): void {
  server.prependListener('request', ({ headers }: IncomingMessage) => {
    const given = headers['x-forwarded-for'];
    if (given === undefined) return;
    const addresses: string[] = [];
    for (const part of String(given).split(',').slice(-hopLimit).reverse()) {
      const address = withoutPort(part.trim());
      if (isIP(address) === 0) break;
      addresses.unshift(unmapped(address));
    }
    if (addresses.length === 0) delete headers['x-forwarded-for'];
    else headers['x-forwarded-for'] = addresses.join(', ');
  });
}

/** The key of limits by address: an IPv6 host has 2^64 addresses. */
export function addressKey(address: string): string {
  const plain = unmapped(address);
  if (isIP(plain) !== 6) return plain;
  const [before = '', after] = (plain.split('%')[0] ?? '').split('::');
  const left = before.split(':').filter(Boolean);
  const right = (after ?? '').split(':').filter(Boolean);
  const zeros = after === undefined ? 0 : 8 - left.length - right.length;
  const parts = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${parts
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}

function unmapped(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}
