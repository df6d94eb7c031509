import { describe, expect, it } from 'vitest';
import { createHostQueues } from './createHostQueues.ts';

/** Work that is under way until it is let go. */
function createWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.push(() => resolve(name));
    });
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { begun, work, endAll };
}

const { signal } = new AbortController();
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the queues of hosts', () => {
  it('let a few requests to one host run at once, keep a slot for another tenant, and delay no other host', async () => {
    const hosts = createHostQueues(4, 3);
    const { begun, work, endAll } = createWork();
    const all = [1, 2, 3, 4, 5, 6].map((n) =>
      hosts.run('https://a.example/x', 1, signal, work(`first ${n}`)),
    );
    await settle();
    expect(begun).toEqual(['first 1', 'first 2', 'first 3']);
    all.push(hosts.run('https://a.example/y', 2, signal, work('second')));
    all.push(hosts.run('https://b.example/', 1, signal, work('elsewhere')));
    await settle();
    expect(begun.slice(3)).toEqual(['second', 'elsewhere']);
    while (begun.length < 8) {
      endAll();
      await settle();
    }
    endAll();
    expect(await Promise.all(all)).toHaveLength(8);
  });

  it('begin nothing whose time is over', async () => {
    const hosts = createHostQueues(1, 1);
    const { begun, work, endAll } = createWork();
    const ending = new AbortController();
    const first = hosts.run('https://a.example/', 1, signal, work('first'));
    const second = hosts.run('https://a.example/', 1, ending.signal, work('second'));
    ending.abort();
    await settle();
    endAll();
    expect(await first).toBe('first');
    expect(await second).toBe(undefined);
    expect(begun).toEqual(['first']);
  });
});
