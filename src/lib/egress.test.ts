import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { reachOf, toEgress, webhookFault } from './egress.ts';

function allowing(...networks: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, 'ipv4');
  return list;
}

const isTaken = (host: string, allowed: BlockList) =>
  webhookFault(`http://${host}/`, 1, toEgress(allowed)) === undefined;

describe('a name that exists only inside', () => {
  it.each(['printer.local', 'db.internal', 'hook.team.svc.cluster.local'])(
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

describe('services of cloud platforms', () => {
  it.each([
    '168.63.129.16',
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    'metadata.google.internal.',
    'METADATA',
    '[fd00:ec2::254]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a83f:8110]',
  ])('are refused whatever is allowed: %s', (host) => {
    const all = allowing(['0.0.0.0', 0]);
    all.addSubnet('::', 0, 'ipv6');
    expect(isTaken(host, all)).toBe(false);
  });
});

describe('ports', () => {
  const fault = (url: string, allowed: BlockList, ports: number[] = []) =>
    webhookFault(url, 1, { ...toEgress(allowed), ports: new Set(ports) });

  it('other than 80, 443 and those of the setting are refused outside of allowed networks', () => {
    for (const url of ['http://a.example', 'https://a.example', 'http://a.example:443', 'https://8.8.8.8/'])
      expect(fault(url, allowing())).toBe(undefined);
    for (const url of ['http://a.example:6379', 'https://8.8.8.8:22/', 'http://a.example:8080']) {
      expect(fault(url, allowing())).toMatch(/VIGIL_ALLOW_PORTS/);
      expect(fault(url, allowing(), [8080, 22, 6379])).toBe(undefined);
    }
    expect(fault('http://10.0.0.1:6379', allowing(['10.0.0.0', 8]))).toBe(undefined);
    expect(fault('http://8.8.8.8:6379', allowing(['10.0.0.0', 8]))).toMatch(/port/);
  });
});

describe('a network that is allowed to one tenant', () => {
  it('is reached by that tenant alone', () => {
    const egress = {
      ...toEgress(allowing(['10.0.0.0', 8])),
      tenantNetworks: new Map([[7, allowing(['192.168.0.0', 16])]]),
    };
    expect(reachOf('192.168.0.1', 7, egress)).toBe('own');
    expect(reachOf('192.168.0.1', 8, egress)).toBe('refused');
    expect(reachOf('10.0.0.1', 8, egress)).toBe('shared');
    expect(webhookFault('http://192.168.0.1/', 7, egress)).toBe(undefined);
    expect(webhookFault('http://192.168.0.1/', 8, egress)).toMatch(/private/);
  });
});
