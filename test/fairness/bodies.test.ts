import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sized } from '../../testing/proveSize.ts';
import type { Answer } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { measureSlowdown } from '../support/measureSlowdown.ts';
import { type Arena, startArena, type Tenant } from './support/arena.ts';
import { cpuMs } from './support/healthProbe.ts';
import { inTurns } from './support/inTurns.ts';
import { createResults, mean, twice } from './support/results.ts';
import { tally } from './support/tally.ts';

/** What no piece of work may hold the event loop for, beyond what it is held for when nothing hostile happens. */
const mostBlockedMs = () => 50 * measureSlowdown();

const repeat = (count: number, toText: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => toText(n)).join('');

describe('one client’s bodies and requests', { timeout: 600_000 }, () => {
  const results = createResults();
  let arena: Arena;
  let victim: Tenant;
  let attacker: Tenant;

  beforeAll(async () => {
    arena = await startArena();
    ({ victim, attacker } = arena);
    for (let n = 0; n < 20; n++) await search(victim);
  });
  afterAll(async () => {
    await arena?.stop();
    results.print();
  });

  const search = ({ viewer }: Tenant): Promise<Answer> =>
    arena.vigil.call('POST', 'alert/search', { query: 'severity:HIGH' }, { token: viewer });

  async function searchMs(): Promise<number> {
    const startedAt = performance.now();
    expect((await search(victim)).status).toBe(200);
    return performance.now() - startedAt;
  }

  const settle = () =>
    until(async () => {
      const { latencyMs, samples } = await arena.health.during(() => sleep(300));
      return samples > 10 && latencyMs < 50;
    }, 120_000);

  const quietly = () =>
    arena.health.during(async () => {
      for (let n = 0; n < 20; n++) await search(victim);
    });

  const line = 'zzz,nn\n';
  it.each<[string, string, () => string, RegExp]>([
    [
      `an element with ${sized(80_000, 1_500_000)} attributes`,
      'label/import/sanctions',
      () => `<sdnList><sdnEntry ${repeat(sized(80_000, 1_500_000), (n) => `a${n}="" `)}/></sdnList>`,
      /more than 64 attributes/,
    ],
    [
      `${sized(80_000, 1_000_000)} faulty lines of addresses`,
      'label/import/sanctions?partial=true',
      () => 'zzz\n'.repeat(sized(80_000, 1_000_000)),
      /More than 10,000 addresses/,
    ],
    [
      `${sized(150_000, 2_000_000)} faulty lines of labels`,
      'label/import?partial=true',
      () => JSON.stringify({ csv: `address,name\n${line.repeat(sized(150_000, 2_000_000))}` }),
      /More than 10,000 lines/,
    ],
  ])('%s are refused early, and hold up no one', async (attack, path, toBody, words) => {
    const raw = toBody();
    let answer: Answer;
    await results.hold({ attack, measure: 'event loop blocked' }, async () => {
      await settle();
      const quiet = await quietly();
      const cpuBefore = await cpuMs(arena.vigil.pid);
      const attacked = await arena.health.during(async () => {
        answer = await arena.vigil.call('POST', path, undefined, { token: attacker.token, raw });
      });
      console.log(attack, `${(await cpuMs(arena.vigil.pid)) - cpuBefore} ms CPU`, attacked);
      return { quiet: quiet.blockMs, attacked: attacked.blockMs, limit: quiet.blockMs + mostBlockedMs() };
    });
    expect(answer!.status).toBe(422);
    expect(answer!.body.detail).toMatch(words);
  });

  it.each<[string, string, number]>([
    [
      '9,900 unknown members',
      JSON.stringify(
        Object.fromEntries(Array.from({ length: 9900 }, (_, n) => [`${'m'.repeat(60)}${n}`, 1])),
      ),
      400,
    ],
    ['one text of 0.7 MB', JSON.stringify({ query: 'a'.repeat(690_000) }), 400],
  ])('24 connections with bodies of %s slow no other tenant’s search', async (attack, raw, status) => {
    const rounds = sized(2, 20);
    const answers: Answer[] = [];
    await results.hold({ attack: `24 × ${attack}`, measure: 'search of another tenant' }, async () => {
      await settle();
      const measure = async (count: number) => {
        const times: number[] = [];
        for (let n = 0; n < count; n++) times.push(await searchMs());
        return times;
      };
      const quiet = mean(await measure(30));
      const times: number[] = [];
      const over = new AbortController();
      await Promise.all([
        inTurns(24, 24 * rounds, async () =>
          answers.push(
            await arena.vigil.call('POST', 'alert/search', undefined, { token: attacker.viewer, raw }),
          ),
        ).finally(() => over.abort()),
        (async () => {
          while (!over.signal.aborted) times.push(...(await measure(1)));
        })(),
      ]);
      return { quiet, attacked: mean(times), limit: twice(quiet, 30 * measureSlowdown()) };
    });
    console.log('answers', tally(answers.map((answer) => answer.status)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
  });

  it('documents that need no token cost next to nothing', async () => {
    const paths = ['/docs/json', '/docs/yaml', '/openapi.json', '/metrics', '/docs/', '/'];
    const encodings = ['gzip', 'br', 'deflate', 'identity'];
    const count = sized(10, 50);
    await results.hold(
      { attack: 'documents without a token', measure: 'CPU for each', unit: 'ms' },
      async () => {
        const costs: number[] = [];
        const read = async (path: string, encoding: string) => {
          const response = await fetch(`${arena.vigil.url}${path}`, {
            headers: { 'accept-encoding': encoding },
          });
          await response.arrayBuffer();
        };
        for (const path of paths) for (const encoding of encodings) await read(path, encoding);
        for (const path of paths)
          for (const encoding of encodings) {
            const before = await cpuMs(arena.vigil.pid);
            for (let n = 0; n < count; n++) await read(path, encoding);
            costs.push(((await cpuMs(arena.vigil.pid)) - before) / count);
          }
        return { quiet: 0, attacked: Math.max(...costs), limit: 8 * measureSlowdown() };
      },
    );
  });

  it('20,000 requests sent at once on one connection hold up no one', async () => {
    const count = sized(5000, 20_000);
    const bytes = Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
    await results.hold(
      { attack: `${count} requests sent at once`, measure: 'event loop blocked' },
      async () => {
        await settle();
        const quiet = await quietly();
        const attacked = await arena.health.during(async () => expect(await countAnswers(bytes)).toBe(count));
        console.log(attacked);
        return {
          quiet: quiet.blockMs,
          attacked: attacked.blockMs,
          limit: quiet.blockMs + mostBlockedMs(),
        };
      },
    );
  });

  it('headers and bodies that come byte by byte are ended, however many there are', async () => {
    const count = sized(20, 300);
    const authorization = `Authorization: Bearer ${attacker.token}\r\n`;
    const body = `POST /api/v1/alert/search HTTP/1.1\r\nHost: a\r\n${authorization}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n`;
    const ways: readonly (readonly [first: string, next: string])[] = [
      ['', ''],
      ['GET /healthz HTTP/1.1\r\n', 'x: y\r\n'],
      [body, ' '],
    ];
    await results.hold(
      { attack: `${count} slow headers and bodies`, measure: 'the last of them ends' },
      async () => {
        const times = await Promise.all(
          Array.from({ length: count }, (_, n) => dripMs(...ways[n % ways.length]!)),
        );
        // Ten seconds, one until the next look at them, and what a busy machine adds.
        return { quiet: 0, attacked: Math.max(...times), limit: 11_000 + 20 * mostBlockedMs() };
      },
    );
  });

  /** Sends a byte or line each half second until the server ends the connection; milliseconds until then. */
  async function dripMs(first: string, next: string): Promise<number> {
    const { hostname, port } = new URL(arena.vigil.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {}).resume();
    const startedAt = performance.now();
    socket.write(first);
    const timer = setInterval(() => socket.write(next), 500);
    await once(socket, 'close');
    clearInterval(timer);
    return performance.now() - startedAt;
  }

  /** Sends the bytes, and counts the answers until the server has nothing more to say. */
  async function countAnswers(bytes: Buffer): Promise<number> {
    const { hostname, port } = new URL(arena.vigil.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    socket.end(bytes);
    await once(socket, 'close');
    return text.split('HTTP/1.1 200').length - 1;
  }
});
