import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResult } from '../../src/model/detection.ts';
import { observeDetector } from '../../testing/observeDetector.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

const url = 'https://app.example/health';
const well = { status: 200, body: '{"status":\n"ok"}', durationMs: 50 };

/** Looks once a minute; each look gets the next answer. */
async function observe(config: object) {
  let answer: HttpResult = well;
  let at = 0;
  const world = { address: anvil.accounts[0], http: async () => answer };
  const observer = await observeDetector(anvil.url, 'http_probe', { url, ...config }, world);
  const look = async (next: { failure: string } | Partial<typeof well>) => {
    answer = 'failure' in next ? next : { ...well, ...next };
    at += 60_000;
    return (await observer.clock(at)).map(({ message, meta, severity }) => ({ message, meta, severity }));
  };
  return { ...observer, look };
}

describe('http_probe', () => {
  it('reports once when the address cannot be reached, and again after it was well', async () => {
    const observer = await observe({});
    expect(await observer.look({})).toEqual([]);
    expect(await observer.look({ failure: 'connection refused' })).toEqual([
      {
        severity: 'HIGH',
        message: `${url} (Watched) cannot be reached: connection refused.`,
        meta: { url, method: 'GET', reason: 'unreachable', samples: 1, failure: 'connection refused' },
      },
    ]);
    expect(await observer.look({ failure: 'connection refused' })).toEqual([]);
    expect(await observer.look({})).toEqual([]);
    expect(await observer.look({ status: 500 })).toMatchObject([{ meta: { reason: 'status', status: 500 } }]);
    await observer.close();
  });

  it('shows the beginning of an answer, cut between characters', async () => {
    const observer = await observe({});
    expect(await observer.look({ status: 500, body: `a${'🦊'.repeat(200)}` })).toMatchObject([
      { meta: { answer: `a${'🦊'.repeat(99)}` } },
    ]);
    await observer.close();
  });

  it('knows which statuses are right', async () => {
    const observer = await observe({ statuses: [401, 200] });
    expect(await observer.look({ status: 401 })).toEqual([]);
    expect(await observer.look({ status: 204 })).toHaveLength(1);
    await observer.close();
  });

  it('reports when an answer takes too long or lacks the expected text', async () => {
    const observer = await observe({ latencyMs: 200, pattern: 'status.{1,4}ok' });
    expect(await observer.look({ durationMs: 200 })).toEqual([]);
    expect(await observer.look({ durationMs: 201 })).toMatchObject([
      { message: `${url} (Watched) took 201 ms, more than 200 ms.` },
    ]);
    expect(await observer.look({})).toEqual([]);
    expect(await observer.look({ body: '{"status":"down"}' })).toMatchObject([
      { meta: { reason: 'pattern', answer: '{"status":"down"}' } },
    ]);
    await observer.close();
  });

  it('waits for so many bad looks in a row', async () => {
    const observer = await observe({ samples: 3 });
    const bad = { status: 503 };
    for (const answer of [bad, bad, {}, bad, bad]) expect(await observer.look(answer)).toEqual([]);
    expect(await observer.look(bad)).toMatchObject([{ meta: { samples: 3 } }]);
    expect(await observer.look(bad)).toEqual([]);
    await observer.close();
  });

  it('is a fault when the pattern is none or never ends', async () => {
    const broken = await observe({ pattern: '(' });
    await broken.look({});
    expect(broken.faults).toEqual([expect.stringContaining('The script failed: ')]);
    await broken.close();
    const endless = await observe({ pattern: '^(a+)+$' });
    await endless.look({ body: `${'a'.repeat(40)}b` });
    expect(endless.faults).toEqual([expect.stringContaining('The script failed: ')]);
    await endless.close();
  });

  it('never shows what it proves itself with', async () => {
    const observer = await observe({ auth: 'Bearer hush' });
    expect(JSON.stringify(await observer.look({ status: 403 }))).not.toContain('hush');
    await observer.close();
  });

  it('refuses what is no web address', async () => {
    await expect(observe({ url: 'ftp://x' })).rejects.toThrow('/url must begin with http or https');
    await expect(observe({ auth: 'a\nb' })).rejects.toThrow('/auth');
  });
});
