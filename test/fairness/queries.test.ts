import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sized } from '../../testing/proveSize.ts';
import type { Answer, Json } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { measureSlowdown } from '../support/measureSlowdown.ts';
import { type AlertStream, openAlertStream } from './support/alertStream.ts';
import { type Arena, startArena, type Tenant } from './support/arena.ts';
import { memoryMb } from './support/healthProbe.ts';
import { inTurns } from './support/inTurns.ts';
import { createResults } from './support/results.ts';
import { tally } from './support/tally.ts';

/** What no piece of work may hold the event loop for, beyond what it is held for when nothing hostile happens. */
const mostBlockedMs = () => 50 * measureSlowdown();

describe('one tenant’s queries and streams', { timeout: 600_000 }, () => {
  const results = createResults();
  let arena: Arena;
  let victim: Tenant;
  let attacker: Tenant;
  let sources: { victim: number; attacker: number };
  let pushed = 0;

  beforeAll(async () => {
    arena = await startArena();
    ({ victim, attacker } = arena);
    sources = { victim: await addSource(victim), attacker: await addSource(attacker) };
    // What a server does for the first time takes longer than ever after.
    for (let n = 0; n < 5; n++) await ordinaryWork();
  });
  afterAll(async () => {
    await arena?.stop();
    results.print();
  });

  async function addSource(tenant: Tenant): Promise<number> {
    const contractId = await tenant.addContract('0xdAC17F958D2ee523a2206206994597C13D831ec7', {
      chainUid: 'ethereum',
    });
    return tenant.addDetector(contractId, 'pause_state', {}, { source: 'EXTERNAL' });
  }

  const push = (tenant: Tenant, detectorId: number, count: number, meta: Json = { amount: 5 }) =>
    tenant.ok('POST', `detector/${detectorId}/alert`, {
      alerts: Array.from({ length: count }, () => ({
        eid: `e ${++pushed}`,
        severity: 'HIGH',
        message: 'A large transfer of 500 coins happened.',
        meta,
      })),
    });

  const search = (tenant: Tenant, query: string): Promise<Answer> =>
    arena.vigil.call('POST', 'alert/search', { query }, { token: tenant.viewer });

  /** Until nothing is left of what was done before. */
  const settle = () =>
    until(async () => {
      const { latencyMs, samples } = await arena.health.during(() => sleep(300));
      return samples > 10 && latencyMs < 50;
    }, 120_000);

  /** What an honest tenant does, so that the quiet time has something to be compared with. */
  async function ordinaryWork(): Promise<void> {
    const stream = await openAlertStream(arena.vigil.url, victim.token, { query: 'severity:HIGH' });
    await push(victim, sources.victim, 20);
    expect((await search(victim, 'message:transfer AND meta.amount:>1')).status).toBe(200);
    await until(() => stream.events.length >= 20);
    stream.close();
  }

  /** In every field, for none is named. */
  const wildcards = (count: number) => Array.from({ length: count }, (_, n) => `*${n}*a*`).join(' ');

  it('streams with expensive queries, and too many streams, delay no one', async () => {
    const count = sized(80, 420);
    const queries = [wildcards(300), 'message:/(a|b|ab){500}c{1,900}/', 'meta.text:/(.*a){200}/', ''];
    const refused: Answer['body'][] = [];
    const opened: AlertStream[] = [];
    await results.hold(
      {
        attack: `${count} streams of one token, expensive queries, 0.9 MB of meta`,
        measure: 'event loop blocked',
      },
      async () => {
        await settle();
        const quiet = await arena.health.during(async () => {
          for (let n = 0; n < 10; n++) await ordinaryWork();
        });
        const attacked = await arena.health.during(async () => {
          for (const query of queries) {
            const streams = await inTurns(20, count, () =>
              openAlertStream(arena.vigil.url, attacker.viewer, { query }),
            );
            for (const stream of streams)
              if (stream.status === 200) opened.push(stream);
              else refused.push(stream.problem);
          }
          await push(attacker, sources.attacker, 1, { text: 'ab abc '.repeat(128_000) });
          await ordinaryWork();
        });
        for (const stream of opened.splice(0)) stream.close();
        return { quiet: quiet.blockMs, attacked: attacked.blockMs, limit: quiet.blockMs + mostBlockedMs() };
      },
    );
    console.log('refused', tally(refused.map(({ status, code, detail }) => `${status} ${code} ${detail}`)));
    expect(refused.length).toBeGreaterThan(0);
  });

  it('searches with a thousand wildcard clauses are refused with the reason and delay no one', async () => {
    const rounds = sized(2, 10);
    const answers: Answer[] = [];
    await push(attacker, sources.attacker, 500);
    await results.hold(
      { attack: '24 searches at once with 1,000 wildcard clauses', measure: 'event loop blocked' },
      async () => {
        await settle();
        const quiet = await arena.health.during(async () => {
          for (let n = 0; n < 10; n++) await ordinaryWork();
        });
        const attacked = await arena.health.during(async () => {
          await inTurns(24, 24 * rounds, async () => answers.push(await search(attacker, wildcards(1000))));
        });
        return { quiet: quiet.blockMs, attacked: attacked.blockMs, limit: quiet.blockMs + mostBlockedMs() };
      },
    );
    console.log('answers', tally(answers.map(({ status, body }) => `${status} ${body.code} ${body.detail}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  });

  it('a stream that does not read is cut off before it costs memory, and resumes without loss', async () => {
    const megabytes = sized(12, 400);
    const text = 'x'.repeat(900_000);
    const pid = arena.vigil.pid;
    await results.hold(
      {
        attack: `4 streams that do not read, ${megabytes} MB of alerts`,
        measure: 'memory',
        unit: 'MB',
      },
      async () => {
        /** Sends alerts, and returns the most memory that the server had meanwhile. */
        const pour = async () => {
          let most = 0;
          for (let n = 0; n < megabytes; n++) {
            await push(attacker, sources.attacker, 1, { text });
            most = Math.max(most, await memoryMb(pid));
          }
          return most;
        };
        const quiet = await pour();
        const streams = await Promise.all(
          [1, 2, 3, 4].map(() =>
            openAlertStream(arena.vigil.url, attacker.token, { query: 'meta.text:*', isReading: false }),
          ),
        );
        const first = pushed + 1;
        const attacked = await pour();
        await expectAll(streams[0]!, first, pushed);
        for (const stream of streams) stream.close();
        return { quiet, attacked, limit: quiet + sized(65, 100) };
      },
    );
  });

  /** Reads on, and as often as it was cut off from where it was, until every alert has come, each once. */
  async function expectAll(stream: AlertStream, first: number, last: number): Promise<void> {
    const seen: string[] = [];
    let current = stream;
    let lastEventId = '';
    const take = () => {
      for (const { id, alert } of current.events.splice(0)) {
        lastEventId = id;
        // A stream may begin with what was raised just before it was opened.
        if (Number(alert.eid.slice(2)) >= first) seen.push(alert.eid);
      }
    };
    current.resume();
    const wanted = Array.from({ length: last - first + 1 }, (_, n) => `e ${first + n}`);
    let cuts = 0;
    await until(async () => {
      take();
      if (seen.length >= wanted.length) return true;
      if (!current.hasEnded()) return false;
      take();
      cuts++;
      current = await openAlertStream(arena.vigil.url, attacker.token, {
        query: 'meta.text:*',
        ...(lastEventId && { lastEventId }),
      });
      return false;
    });
    current.close();
    console.log(`the reader was cut off ${cuts} times`);
    expect(seen).toEqual(wanted);
  }
});
