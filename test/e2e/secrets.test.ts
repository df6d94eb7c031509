import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPasswords } from '../../src/store/embedded/roles.ts';
import { createClient, type TestClient } from '../../testing/createClient.ts';
import { createWorkspace, type Ended, type Vigil } from '../../testing/createWorkspace.ts';
import { databaseOf } from '../../testing/databaseOf.ts';
import type { Answer } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { type Canary, canary, findLeaks, findLeaksInFiles } from '../support/findLeaks.ts';

/** Not a secret: if the search finds this, it would have found the others. */
const marker = `marker-${randomBytes(12).toString('hex')}`;
const privateKey = randomBytes(32);
const headerValue = `header-${randomBytes(24).toString('hex')}`;
const password = `password-${randomBytes(24).toString('hex')}`;
const newPassword = `changed-${randomBytes(24).toString('hex')}`;
const probeAuth = `probe-${randomBytes(24).toString('hex')}`;
const chatPath = `chat-${randomBytes(24).toString('hex')}`;
const metricsToken = `metrics-${randomBytes(24).toString('hex')}`;

describe('secrets that were given to Vigil', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let dataDir: string;
  let vigil: Vigil;
  let client: TestClient;
  let canaries: Canary[];
  let adminToken: Canary;
  let rows: string;
  let ended: Ended;
  /** What commands print that run beside the server. */
  let printed: string;
  /** Every answer, and those that are meant to show a secret. */
  const answers: Answer[] = [];
  const shown = new Set<Answer>();

  beforeAll(async () => {
    workspace = await createWorkspace({ firstStart: true, isBundled: true });
    dataDir = workspace.folder('data');
    vigil = await workspace.serve(dataDir, { VIGIL_LOG_LEVEL: 'trace', VIGIL_METRICS_TOKEN: metricsToken });
    client = createClient(vigil.url, vigil.token, (answer) => answers.push(answer));
    const planted = await plant();
    canaries = [
      canary('private key', privateKey.toString('hex'), privateKey),
      canary('header value', headerValue),
      canary('password', password),
      canary('new password', newPassword),
      canary('http_probe.auth', probeAuth),
      canary('messengerBUri', chatPath),
      canary('metrics token', metricsToken),
      ...Object.entries(planted).map(([name, text]) => canary(name, text)),
    ];
    adminToken = canary('admin token', vigil.token);
    await provoke(planted);
    await client.ok('GET', '/metrics', undefined, { token: metricsToken });
    await client.call('GET', '/metrics');
    await client.ok('GET', 'audit?size=10000');
    await client.ok('GET', 'audit/export');
    await client.ok('GET', 'audit/checkpoint');
    await client.ok('GET', '/openapi.json');
    for (const path of ['detector', 'destination', 'wallet', 'user', 'apikey', 'invite'])
      await client.ok('POST', `${path}/search`, { size: 1000 });
    rows = await dump(dataDir);
    printed = await runCommands();
    ended = await vigil.stop();
  });
  afterAll(() => workspace.remove());

  /** Plants each secret where it belongs; the answers that give one out are noted. */
  async function plant() {
    const tenant = await client.ok('POST', 'tenant', { name: marker });
    const tenantId = tenant.id;
    const wallet = await client.ok('POST', 'wallet', {
      tenantId,
      name: 'W',
      chainUid: 'ethereum',
      privateKey: `0x${privateKey.toString('hex')}`,
    });
    await client.ok('PUT', `wallet/${wallet.id}`, { name: 'W2' });
    const made = await give(() =>
      client.call('POST', 'destination', {
        tenantId,
        type: 'HTTP',
        uri: 'https://example.com/hook',
        headers: { Authorization: headerValue },
      }),
    );
    const destination = made.body;
    await client.ok('PUT', `destination/${destination.id}`, {
      headers: { Authorization: '[sealed]', 'X-More': headerValue },
    });
    await client.ok('GET', `destination/${destination.id}`);
    await client.ok('POST', 'destination/search', { where: "headers <> ''" }).catch(() => {});
    const rotated = await give(() => client.call('POST', `destination/${destination.id}/secret`));
    const chat = await client.ok('POST', 'destination', {
      tenantId,
      type: 'MESSENGER_B',
      messengerBUri: `https://hooks.example.com/${chatPath}`,
    });
    expect(await client.ok('GET', `destination/${chat.id}`)).toMatchObject({
      messengerBUri: 'https://hooks.example.com/[sealed]',
    });
    await client.call('POST', `destination/${chat.id}/test`);
    await plantProbe(tenantId);
    await client.ok('POST', 'user', {
      tenantId,
      email: 'u@example.com',
      roles: ['tenant-manager'],
      password,
    });
    const session = await give(() =>
      client.call('POST', 'auth/login', { email: 'u@example.com', password }, { token: null }),
    );
    const keyed = { headers: { 'idempotency-key': 'keyed' } };
    const key = { tenantId, label: 'K', roles: ['tenant-viewer'] };
    const apiKey = await give(() => client.call('POST', 'apikey', key, keyed));
    await give(() => client.call('POST', 'apikey', key, keyed));
    const invite = await give(() =>
      client.call('POST', 'invite', {
        tenantId,
        email: 'i@example.com',
        roles: ['tenant-viewer'],
        url: `${client.url}/accept`,
      }),
    );
    const inviteSecret = secretOf(invite);
    await client.call('POST', `invite/${inviteSecret}/accept`, { name: 'I', password }, { token: null });
    await client.ok('GET', 'auth/me', undefined, { token: apiKey.body.token });
    const used = session.body.token;
    await client.ok('GET', 'auth/me', undefined, { token: used });
    const refreshed = await give(() => client.call('POST', 'auth/refresh', undefined, { token: used }));
    const { token } = refreshed.body;
    await client.ok('GET', 'auth/session', undefined, { token });
    const change = { oldPassword: password, newPassword };
    await client.ok('POST', 'auth/password', change, { token });
    const openInvite = await give(() =>
      client.call('POST', 'invite', {
        tenantId,
        email: 'open@example.com',
        roles: ['tenant-viewer'],
        url: `${client.url}/accept`,
      }),
    );
    const passwords = await readPasswords(dataDir);
    return {
      'API key': apiKey.body.token,
      'used session': used,
      session: token,
      'invite secret': inviteSecret,
      'open invite': secretOf(openInvite),
      'webhook secret': made.headers.get('x-webhook-secret')!,
      'rotated webhook secret': rotated.headers.get('x-webhook-secret') ?? rotated.body.secret,
      'database password': passwords!.app,
      'owner password': passwords!.owner,
    };
  }

  const secretOf = ({ headers }: Answer) =>
    new URL(headers.get('x-invite-accept-link')!).searchParams.get('invite')!;

  /** A detector whose configuration has a credential, read, changed and tried out. */
  async function plantProbe(tenantId: number): Promise<void> {
    const project = await client.ok('POST', 'project', { tenantId, name: 'P' });
    const contract = await client.ok('POST', 'contract', {
      projectId: project.id,
      name: 'C',
      chainUid: 'ethereum',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    });
    const schemas = await client.ok('POST', 'detector/schema/search', { where: "name = 'http_probe'" });
    const schemaId = schemas.data[0].id;
    const config = { url: 'https://example.com/health', auth: `Bearer ${probeAuth}` };
    const detector = await client.ok('POST', 'detector', {
      contractId: contract.id,
      schemaId,
      name: 'D',
      config,
    });
    expect(detector.config.auth).toBe('[sealed]');
    const path = `detector/${detector.id}`;
    await client.ok('PUT', path, { config: { ...config, timeout: '5 s' } });
    await client.ok('GET', path);
    await client.call('POST', `${path}/explain`, { txHash: `0x${'5c'.repeat(32)}` });
    const proposed = { contractId: contract.id, schemaId, name: 'D', config, fromBlock: 1, toBlock: 2 };
    const { status } = await client.call('POST', 'detector/backtest', proposed);
    expect(status).toBe(409);
  }

  async function runCommands(): Promise<string> {
    const commands = [
      ['audit', 'export'],
      ['token', 'list'],
    ];
    const all = await Promise.all(commands.map((command) => workspace.run(command, dataDir)));
    expect(all.map(({ code }) => code)).toEqual([0, 0]);
    return all.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  }

  async function give(work: () => Promise<Answer>): Promise<Answer> {
    const answer = await work();
    expect(answer.status).toBeLessThan(300);
    shown.add(answer);
    return answer;
  }

  /** Sends every secret where it is refused. */
  async function provoke(planted: Record<string, string>): Promise<void> {
    const hex = privateKey.toString('hex');
    const own = [headerValue, password, probeAuth, chatPath, metricsToken, vigil.token];
    const secrets = [hex, ...own, ...Object.values(planted)];
    const wallet = { tenantId: 1, name: 'W', chainUid: 'ethereum' };
    const schemas = await client.ok('POST', 'detector/schema/search', { where: "name = 'http_probe'" });
    const probe = { contractId: 1, schemaId: schemas.data[0].id, name: 'D' };
    const url = 'https://example.com/';
    const statuses = new Set<number>();
    for (const secret of secrets) {
      const refused = [
        client.call('POST', 'wallet', undefined, { raw: `{"privateKey":"${secret}"` }),
        client.call('POST', 'wallet', undefined, { raw: `{"privateKey":${secret}}` }),
        client.call('POST', 'wallet', undefined, { raw: secret }),
        client.call('POST', 'wallet', { ...wallet, privateKey: `${secret}!` }),
        client.call('POST', 'wallet', { ...wallet, chainUid: 'bitcoin', privateKey: secret }),
        client.call('POST', 'wallet', { ...wallet, type: 'HSM', privateKey: secret }),
        client.call('POST', 'wallet', { ...wallet, privateKey: [secret] }),
        client.call('PUT', 'wallet/1', { privateKey: secret }),
        client.call('POST', 'destination', {
          tenantId: 1,
          type: 'HTTP',
          uri: `https://user:${secret}@example.com/`,
        }),
        client.call('POST', 'destination', {
          tenantId: 1,
          type: 'HTTP',
          uri: 'https://example.com/',
          headers: { Authorization: `${secret}\n` },
        }),
        client.call('POST', 'destination', {
          tenantId: 1,
          type: 'HTTP',
          uri: 'https://example.com/',
          headers: { Host: secret },
        }),
        client.call('POST', 'destination', {
          tenantId: 1,
          type: 'MESSENGER_B',
          messengerBUri: `ftp://example.com/${secret}`,
        }),
        client.call('POST', 'destination', { tenantId: 1, type: 'MESSENGER_B', messengerBUri: secret }),
        client.call('POST', 'detector', { ...probe, config: { url, auth: `${secret}\u0007` } }),
        client.call('POST', 'detector', { ...probe, config: { url, auth: [secret] } }),
        client.call('POST', 'detector', { ...probe, config: { url, auth: secret, samples: 0 } }),
        client.call('POST', 'auth/refresh', undefined, { token: `${secret}x` }),
        client.call('POST', 'auth/password', { oldPassword: secret, newPassword: secret }),
        client.call('POST', `destination/confirm/${secret}x`, undefined, { token: null }),
        client.call('GET', '/metrics', undefined, { token: `${secret}x` }),
        client.call('POST', 'user', {
          tenantId: 1,
          email: 'u@example.com',
          roles: ['tenant-viewer'],
          password: secret,
        }),
        client.call('POST', 'user', {
          tenantId: 1,
          email: 'v@example.com',
          roles: ['tenant-viewer'],
          password: secret.repeat(9),
        }),
        client.call('POST', 'auth/login', { email: 'nobody@example.com', password: secret }, { token: null }),
        client.call('GET', 'auth/me', undefined, { token: `${secret}x` }),
        client.call('GET', 'auth/me', undefined, {
          token: null,
          headers: { authorization: `Basic ${secret}` },
        }),
        client.call('POST', `invite/${secret}x/accept`, { name: 'I', password }, { token: null }),
        client.call('GET', `invites/${secret}`),
        client.call('GET', `/nowhere/${secret}?token=${secret}`),
        client.call('PATCH', `invite/${secret}/accept`),
      ];
      for (const { status } of await Promise.all(refused)) statuses.add(status);
    }
    // Unknown tokens from one address are limited in the end (429), on a slow machine only when more of them come at once.
    await until(async () => {
      const unknown = Array.from({ length: 50 }, () =>
        client.call('GET', 'auth/me', undefined, { token: `${headerValue}x` }),
      );
      for (const { status } of await Promise.all(unknown)) statuses.add(status);
      return statuses.has(429);
    });
    // An address that is no endpoint's is the console's (200).
    expect(statuses).toEqual(new Set([200, 400, 401, 403, 404, 405, 409, 422, 429]));
  }

  it('would be found in any form, wherever they stood', () => {
    const [key] = canaries;
    for (const shift of [0, 1, 2, 3]) {
      for (const value of [privateKey, Buffer.from(privateKey.toString('hex'))]) {
        const inside = Buffer.concat([Buffer.alloc(shift, 'x'), value, Buffer.from('rest')]);
        for (const form of ['latin1', 'hex', 'base64', 'base64url'] as const)
          expect(
            findLeaks([key!], Buffer.from(inside.toString(form), 'latin1')),
            `${form} at ${shift}`,
          ).not.toEqual([]);
      }
    }
    expect(findLeaks([key!], Buffer.from(`x${privateKey.toString('hex')}x`, 'utf16le'))).not.toEqual([]);
    expect(findLeaks([key!], randomBytes(100_000))).toEqual([]);
  });

  it('are in no answer but the one that gives them out', () => {
    expect(shown.size).toBe(8);
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.some(({ text }) => text.includes(marker))).toBe(true);
    const ofAdmin = [adminToken];
    for (const answer of answers) {
      const whole = `${answer.text}\n${[...answer.headers].join('\n')}`;
      expect(findLeaks(ofAdmin, whole)).toEqual([]);
      if (!shown.has(answer)) expect(findLeaks(canaries, whole), whole.slice(0, 300)).toEqual([]);
    }
  });

  it('are in no line of the log, even at level trace, and the admin token is printed once', () => {
    expect(ended.stderr.split('\n').length).toBeGreaterThan(100);
    expect(findLeaks([...canaries, adminToken], ended.stderr)).toEqual([]);
    expect(findLeaks(canaries, ended.stdout)).toEqual([]);
    expect(ended.stdout.split(vigil.token)).toHaveLength(2);
  });

  it('are in nothing that commands print, the export of the audit log included', () => {
    expect(printed).toContain(marker);
    expect(printed).toContain('"detector.create"');
    expect(findLeaks([...canaries, adminToken], printed)).toEqual([]);
  });

  it('are in no row of the database, also not compressed', () => {
    expect(rows).toContain(marker);
    expect(findLeaks([...canaries, adminToken], rows)).toEqual([]);
  });

  it('are in no file below the data folder: tables, indexes, write-ahead log and PostgreSQL’s own log', async () => {
    const master = (await readFile(join(dataDir, 'master.key'), 'utf8')).trim();
    const all = [...canaries, adminToken, canary('master key', master, Buffer.from(master, 'base64'))];
    const found = await findLeaksInFiles([canary('marker', marker), ...all], dataDir);
    expect(found.some((song) => /^postgres\/base\/.*marker \(plain/.test(song))).toBe(true);
    expect(found.some((song) => /^postgres\/pg_wal\/.*marker \(plain/.test(song))).toBe(true);
    const meant =
      /^(admin-token: admin token|master\.key: master key|postgres-password: (database|owner) password) |: marker /;
    expect(found.filter((song) => !meant.test(song))).toEqual([]);
  });
});

/** Every row of every table as text, which undoes PostgreSQL's compression of long values. */
async function dump(dataDir: string): Promise<string> {
  const client = new Client(await databaseOf(dataDir));
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  await client.end();
  return texts.join('\n');
}
