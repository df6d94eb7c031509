import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { webhookFault } from './addressGuard.ts';

function allowing(...networks: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, 'ipv4');
  return list;
}

const isTaken = (host: string, allowed: BlockList) => webhookFault(`http://${host}/`, allowed) === undefined;

describe('a name that exists only inside', () => {
  it.each(['printer.local', 'db.internal', 'hook.team.svc.cluster.local', 'metadata.google.internal.'])(
    'is refused at once where no network is allowed, and otherwise judged by where it leads: %s',
    (host) => {
      expect(isTaken(host, allowing())).toBe(false);
      expect(isTaken(host, allowing(['10.0.0.0', 8]))).toBe(true);
    },
  );

  it.each(['localhost', 'a.localhost', 'localhost.localdomain', 'LOCALHOST.'])(
    'is taken only where loopback is allowed: %s',
    (host) => {
      expect(isTaken(host, allowing(['10.0.0.0', 8]))).toBe(false);
      expect(isTaken(host, allowing(['127.0.0.0', 8]))).toBe(true);
    },
  );
});
