import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createResolve } from './createResolve.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Records = Record<string, { a?: string; aaaa?: number[] }>;

/** A name server on loopback; names of which it knows nothing do not exist, and without records it never answers. */
async function startNameServer(records?: Records): Promise<{ address: string; asked: Set<string> }> {
  const asked = new Set<string>();
  const socket: Socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    asked.add(readName(question));
    if (records) socket.send(answer(question, records), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  stops.push(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

function readName(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += question[at]! + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
  return labels.join('.');
}

function answer(question: Buffer, records: Records): Buffer {
  const name = readName(question);
  const end = 12 + name.length + 2 + 4;
  const isV4 = question.readUInt16BE(end - 4) === 1;
  const known = records[name];
  const data = isV4 ? known?.a?.split('.').map(Number) : known?.aaaa;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(data ? 1 : 0, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  if (!data) return head;
  const record = Buffer.from([0xc0, 12, 0, isV4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]);
  return Buffer.concat([head, record]);
}

function ask(resolve: ReturnType<typeof createResolve>, name: string): Promise<string> {
  return new Promise((done) => {
    resolve(name, { all: true }, (error, addresses) =>
      done(error ? (error.code ?? '') : addresses.map(({ address }) => address).join()),
    );
  });
}

describe('resolving names that tenants choose', () => {
  it('finds the addresses of both families, and distinguishes a name that does not exist from one that cannot be resolved', async () => {
    const loopback6 = Array.from({ length: 16 }, (_, index) => (index === 15 ? 1 : 0));
    const server = await startNameServer({
      'both.example.com': { a: '192.0.2.1', aaaa: loopback6 },
      'four.example.com': { a: '192.0.2.2' },
      'none.example.com': {},
    });
    const resolve = createResolve({ servers: [server.address] });
    expect(await ask(resolve, 'both.example.com')).toBe('192.0.2.1,::1');
    expect(await ask(resolve, 'Four.example.com.')).toBe('192.0.2.2');
    expect(await ask(resolve, 'none.example.com')).toBe('ENOTFOUND');
    expect(await ask(resolve, 'unknown.example.com')).toBe('ENOTFOUND');
    expect(await ask(createResolve({ servers: ['127.0.0.1:1'] }), 'four.example.com')).toBe('EAI_AGAIN');
  });

  it('delays no one else when the name servers of a hundred names do not answer', async () => {
    const server = await startNameServer();
    const resolve = createResolve({ servers: [server.address] });
    const slow = Array.from({ length: 100 }, (_, n) => ask(resolve, `slow-${n}.example.com`));
    let given = 0;
    for (const each of slow) void each.then(() => given++);
    const begun = performance.now();
    expect((await lookup('localhost')).address).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(given).toBe(0);
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['EAI_AGAIN']));
    expect(performance.now() - begun).toBeLessThan(60_000);
    expect(server.asked.size).toBe(100);
  });

  it('asks the machine for its own names: single words, local names and those of its hosts file', async () => {
    const server = await startNameServer({ 'box.example.com': { a: '192.0.2.9' } });
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
    stops.push(() => rm(folder, { recursive: true }));
    const hostsFile = join(folder, 'hosts');
    await writeFile(
      hostsFile,
      '# comment\n127.0.0.1 localhost\n10.0.0.9\tbox.example.com alias.example.com # ours\n',
    );
    const resolve = createResolve({ servers: [server.address], hostsFile });
    expect(await ask(resolve, 'localhost')).toMatch(/127\.0\.0\.1|::1/);
    for (const name of [
      'single-word',
      'printer.local',
      'db.internal',
      'Alias.example.com',
      'box.example.com',
    ])
      await ask(resolve, name);
    expect([...server.asked]).toEqual([]);
    await rm(hostsFile);
    expect(await ask(resolve, 'box.example.com')).toBe('192.0.2.9');
  });
});
