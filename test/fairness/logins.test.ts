import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sized } from '../../testing/proveSize.ts';
import type { Answer } from '../../testing/startTestApi.ts';
import { type Arena, password, startArena } from './support/arena.ts';
import { cpuMs } from './support/healthProbe.ts';
import { inTurns } from './support/inTurns.ts';
import { createResults, mean, twice } from './support/results.ts';
import { tally } from './support/tally.ts';

describe('those who are not logged in', { timeout: 600_000 }, () => {
  const results = createResults();
  let arena: Arena;

  beforeAll(async () => {
    // The limits as they are delivered, behind a proxy on this machine.
    arena = await startArena({
      VIGIL_RATE_LIMIT: '100',
      VIGIL_RATE_BURST: '300',
      VIGIL_TRUSTED_PROXIES: '127.0.0.1/32',
    });
  });
  afterAll(async () => {
    await arena?.stop();
    results.print();
  });

  /** A request that the proxy passes on for somebody at this address. */
  const from = (address: string, method: string, path: string, body?: unknown, token: string | null = null) =>
    arena.vigil.call(method, path, body, { token, headers: { 'x-forwarded-for': address } });

  let seats = 0;

  /** Now and then, each time from another desk, as the people of a tenant do. */
  async function honestLogin(): Promise<number> {
    const startedAt = performance.now();
    const address = `198.51.100.${++seats % 250}`;
    const answer = await from(address, 'POST', 'auth/login', { email: arena.victim.email, password });
    expect(answer.status, answer.text).toBe(200);
    return performance.now() - startedAt;
  }

  const honestLogins = async (count: number) => {
    const times: number[] = [];
    for (let n = 0; n < count; n++) {
      times.push(await honestLogin());
      await sleep(100);
    }
    return mean(times);
  };

  it('login bodies with 90,000 unknown members are refused before they are read', async () => {
    const count = sized(20, 100);
    const raw = `{${Array.from({ length: 90_000 }, (_, n) => `"m${n}":1`).join(',')}}`;
    const answers: Answer[] = [];
    await results.hold(
      { attack: 'login bodies with 90,000 unknown members', measure: 'CPU for each', unit: 'ms' },
      async () => {
        const send = (n: number, body: string) =>
          arena.vigil.call('POST', 'auth/login', undefined, {
            token: null,
            raw: body,
            headers: { 'x-forwarded-for': `203.0.113.${n % 250}` },
          });
        const cost = async (body: string) => {
          const [cpuBefore, startedAt] = [await cpuMs(arena.vigil.pid), performance.now()];
          for (let n = 0; n < count; n++) answers.push(await send(n, body));
          const spent = (await cpuMs(arena.vigil.pid)) - cpuBefore;
          return { each: spent / count, lastedMs: performance.now() - startedAt };
        };
        await send(0, raw);
        const quiet = await cost('{"m":1}');
        const attacked = await cost(raw);
        return { quiet: quiet.each, attacked: attacked.each, limit: 20 };
      },
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 413]));
    expect(answers.at(-1)!.status).toBe(413);
  });

  it('random tokens are limited by address, and no one else is', async () => {
    const count = sized(300, 3000);
    let answers: Answer[] = [];
    await results.hold(
      { attack: `${count} random tokens from one address`, measure: 'honest login' },
      async () => {
        const quiet = await honestLogins(4);
        const attack = inTurns(8, count, () =>
          from(
            '203.0.113.7',
            'GET',
            'auth/me',
            undefined,
            `vigil_key_${randomBytes(32).toString('base64url')}`,
          ),
        );
        const attacked = await honestLogins(4);
        answers = await attack;
        return { quiet, attacked, limit: twice(quiet, 300) };
      },
    );
    const statuses = tally(answers.map(({ status }) => status));
    console.log('random tokens', statuses, answers.at(-1)?.text);
    expect(Object.keys(statuses).sort()).toEqual(['401', '429']);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('guesses of a user’s password from many addresses do not keep the user out', async () => {
    const [addresses, guesses] = [10, sized(60, 1000)];
    const guess = (n: number) =>
      from(`203.0.113.${n % addresses}`, 'POST', 'auth/login', {
        email: arena.victim.email,
        password: 'a wrong guess of it',
      });
    let answers: Answer[] = [];
    await results.hold(
      {
        attack: `${guesses} guesses of the user’s password from ${addresses} addresses`,
        measure: 'honest login',
      },
      async () => {
        const quiet = await honestLogins(4);
        const attack = inTurns(addresses, guesses, guess);
        const attacked = await honestLogins(sized(4, 20));
        answers = await attack;
        return { quiet, attacked, limit: twice(quiet, 2000) };
      },
    );
    // A slow machine answers so slowly that they may all be allowed; so many at once never are.
    answers.push(...(await Promise.all(Array.from({ length: 60 }, (_, n) => guess(n)))));
    const statuses = tally(answers.map(({ status }) => status));
    console.log('guesses', statuses);
    expect(statuses[429] ?? 0).toBeGreaterThan(0);
    expect(statuses[200] ?? 0).toBe(0);
  });

  it('one user has a bounded number of sessions', async () => {
    const tokens: string[] = [];
    const answers = await inTurns(2, sized(30, 200), (n) =>
      from(`192.0.2.${n % 250}`, 'POST', 'auth/login', { email: arena.attacker.email, password }),
    );
    for (const { status, body } of answers) if (status === 200) tokens.push(body.token);
    const live = await inTurns(4, tokens.length, async (n) =>
      from(`192.0.2.${n % 250}`, 'GET', 'auth/me', undefined, tokens[n]),
    );
    const statuses = tally(live.map(({ status }) => status));
    console.log('logins', tally(answers.map(({ status }) => status)), 'sessions', statuses);
    expect(statuses[200] ?? 0).toBeLessThanOrEqual(20);
    expect(statuses[200] ?? 0).toBeGreaterThan(0);
  });
});
