import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/runtime/config/loadConfig.ts';
import { startApp } from '../../src/runtime/startApp.ts';
import { createClient, type TestClient } from '../../testing/createClient.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { until } from '../../testing/until.ts';

let place: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'vigil-start-'));
  database = await createTestDatabase('migrated');
});
afterAll(async () => {
  await database.drop();
  await rm(place, { recursive: true });
});

/** Runs Vigil on the database while the work goes on; returns the warnings of its log. */
async function during(
  env: Record<string, string>,
  work: (client: TestClient) => Promise<void>,
): Promise<string[]> {
  const config = loadConfig({
    VIGIL_DATA_DIR: place,
    VIGIL_PORT: '0',
    DATABASE_URL: database.url,
    ...env,
  });
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const app = await startApp(config, log);
  try {
    await work(createClient(app.url, env.VIGIL_ADMIN_TOKEN ?? ''));
  } finally {
    await app.stop();
  }
  return lines.map((line) => JSON.parse(line).msg);
}

describe('VIGIL_ADMIN_TOKEN', () => {
  const tokens = ['first', 'second', 'third'].map((word) => `a-${word}-token-of-the-environment-0123456789`);
  const me = async (client: TestClient, token: string) =>
    (await client.call('GET', 'auth/me', undefined, { token })).status;

  it('ends the one that it replaces, which the audit log records, and leaves other tokens alone', async () => {
    let other = '';
    await during({ VIGIL_ADMIN_TOKEN: tokens[0]! }, async (client) => {
      expect(await me(client, tokens[0]!)).toBe(200);
      const tenant = await client.ok('POST', 'tenant', { name: 'Tenant' });
      const key = { tenantId: tenant.id, label: 'VIGIL_ADMIN_TOKEN', roles: ['tenant-viewer'] };
      other = (await client.ok('POST', 'apikey', key)).token;
    });
    for (let times = 0; times < 2; times++) {
      await during({ VIGIL_ADMIN_TOKEN: tokens[1]! }, async (client) => {
        expect([await me(client, tokens[0]!), await me(client, tokens[1]!), await me(client, other)]).toEqual(
          [401, 200, 200],
        );
        const { data } = await client.ok('GET', 'audit?kind=apikey');
        const ended = data.filter(({ action }: { action: string }) => action === 'apikey.delete');
        expect(ended).toHaveLength(1);
      });
    }
  });

  it('VIGIL_ADMIN_TOKEN that was replaced is refused with a warning, and its successor stays', async () => {
    const warnings = await during({ VIGIL_ADMIN_TOKEN: tokens[0]! }, async (client) => {
      expect([await me(client, tokens[0]!), await me(client, tokens[1]!)]).toEqual([401, 200]);
    });
    expect(warnings).toContain('VIGIL_ADMIN_TOKEN was revoked or has expired and is refused; set a new one.');
  });

  it('is taken once by many processes that start at the same moment', async () => {
    const env = { VIGIL_ADMIN_TOKEN: tokens[2]! };
    const check = async (client: TestClient) => expect(await me(client, tokens[2]!)).toBe(200);
    await Promise.all([during(env, check), during(env, check), during(env, check)]);
  });
});

describe('/metrics', () => {
  const token = 'a-token-for-metrics';
  const read = async (url: string, authorization?: string) => {
    const answer = await fetch(`${url}/metrics`, authorization ? { headers: { authorization } } : {});
    return [answer.status, (await answer.text()).includes('vigil_store_connections')];
  };

  it('asks for its token where it has one, be it from a file', async () => {
    const file = join(place, 'metrics-token');
    await writeFile(file, `${token}\n`);
    for (const env of [{ VIGIL_METRICS_TOKEN: token }, { VIGIL_METRICS_TOKEN_FILE: file }]) {
      await during({ VIGIL_ROLES: 'work', ...env }, async ({ url }) => {
        for (const wrong of [undefined, 'Bearer', `Bearer ${token}x`, `Basic ${token}`])
          expect(await read(url, wrong), wrong).toEqual([401, false]);
        expect(await read(url, `Bearer ${token}`)).toEqual([200, true]);
        expect((await fetch(`${url}/healthz`)).status).toBe(200);
      });
    }
  });

  it('is served on its own port alone where it has one', async () => {
    const port = await freePort();
    const env = { VIGIL_ROLES: 'work', VIGIL_METRICS_PORT: String(port), VIGIL_METRICS_TOKEN: token };
    const own = `http://127.0.0.1:${port}`;
    await during(env, async ({ url }) => {
      expect(await read(url, `Bearer ${token}`)).toEqual([404, false]);
      expect(await read(own)).toEqual([401, false]);
      expect(await read(own, `Bearer ${token}`)).toEqual([200, true]);
      expect((await fetch(`${own}/healthz`)).status).toBe(404);
    });
    await expect(fetch(own)).rejects.toThrow();
    await expect(
      during(
        { VIGIL_ROLES: 'work', VIGIL_METRICS_PORT: '1', VIGIL_METRICS_HOST: '192.0.2.1' },
        async () => {},
      ),
    ).rejects.toThrow('Vigil cannot serve metrics on 192.0.2.1:1; set VIGIL_METRICS_HOST');
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('VIGIL_ROLES', () => {
  it.each(['watch', 'work', 'watch,work'])(
    '%s serves what operators need and nothing else',
    async (roles) => {
      await during({ VIGIL_ROLES: roles }, async (client) => {
        for (const path of ['/healthz', '/readyz', '/metrics'])
          expect((await client.call('GET', path, undefined, { token: null })).status, path).toBe(200);
        for (const path of ['/', '/docs', '/openapi.json', '/api/v1/auth/me', '/api/v1/alert/stream']) {
          const answer = await client.call('GET', path, undefined, { token: null });
          expect([answer.status, answer.body.code], path).toEqual([404, 'unknown-path']);
        }
        expect((await client.call('POST', 'auth/login', { email: 'a@b.c', password: 'x' })).status).toBe(404);
      });
    },
  );

  it('api serves every endpoint', async () => {
    await during({ VIGIL_ROLES: 'api' }, async (client) => {
      expect((await client.call('GET', '/docs', undefined, { token: null })).status).toBe(200);
      expect((await client.call('GET', 'auth/me', undefined, { token: null })).status).toBe(401);
    });
  });
});

it('a process that follows a chain without new blocks asks its database seldom', async () => {
  const quietMs = 5000;
  const token = 'an-administrator-of-a-quiet-process-0123456789';
  const node = await startSimulator({ chain: createSimChain({ chainId: 31337 }) });
  const outside = new pg.Client({ connectionString: database.url });
  // The database may be dropped before a test that failed has ended its session.
  outside.on('error', () => {});
  await outside.connect();
  const ask = async (text: string): Promise<number> => Number((await outside.query(text)).rows[0]?.count);
  const isFollowed = () => ask('select count(*) from chain_cursor where processed is not null');
  /** Statements outside of transactions count as transactions too. Sessions report theirs each second. */
  const transactions = () =>
    ask(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    );
  await during({ VIGIL_ADMIN_TOKEN: token, VIGIL_RPC_ANVIL: node.url }, async (client) => {
    const tenant = await client.ok('POST', 'tenant', { name: 'Quiet' });
    const project = await client.ok('POST', 'project', { tenantId: tenant.id, name: 'Quiet' });
    const address = `0x${'12'.repeat(20)}`;
    await client.ok('POST', 'contract', { projectId: project.id, name: 'Quiet', chainUid: 'anvil', address });
    await until(isFollowed);
    // The work of a start and of the first block is over by then.
    await sleep(2000);
    const before = await transactions();
    await sleep(quietMs);
    const perSecond = ((await transactions()) - before) / (quietMs / 1000);
    console.log(`${perSecond} transactions a second`);
    expect(perSecond).toBeGreaterThan(0.5);
    expect(perSecond).toBeLessThanOrEqual(9);
  });
  await outside.end();
  await node.stop();
});
