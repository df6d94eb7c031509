import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { asAccount, ensureAccount } from '../../src/store/embedded/account.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { freePort } from '../../testing/freePort.ts';
import { createSimChain } from '../../testing/simulator/createSimChain.ts';
import { startSimulator } from '../../testing/simulator/startSimulator.ts';
import { until } from '../../testing/until.ts';
import { detectorMaker } from '../watch/support/detectorMaker.ts';
import { newOwner, token } from '../watch/support/watchedWorld.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(isThere);
if (!program) console.warn('There is no pgbouncer: what is tested with it is SKIPPED.');

describe.skipIf(!program)('Vigil behind PgBouncer in transaction mode', () => {
  const random = createRandom('pooler');
  const chain = createSimChain({ chainId: 31337, seed: random.seed });
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  let pooler: ChildProcess;
  let url: string;
  beforeAll(async () => {
    [workspace, database, simulator] = await Promise.all([
      createWorkspace(),
      createTestDatabase('migrated'),
      startSimulator({ chain }),
    ]);
    const port = await freePort();
    const account = await ensureAccount(() => {});
    const folder = workspace.folder('pooler');
    await mkdir(folder);
    await chmod(folder, 0o755);
    const file = join(folder, 'pgbouncer.ini');
    const { host, port: serverPort, user, password } = inject('postgres');
    await writeFile(
      file,
      `[databases]
vigil = host=${host} port=${serverPort} dbname=${database.config.database} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
`,
    );
    if (account) await chown(file, account.uid, account.gid);
    pooler = spawn(program!, [file], { ...asAccount(account), stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    pooler.stderr!.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await until(() => printed.includes('process up'));
    url = `postgres://anyone@127.0.0.1:${port}/vigil`;
  });
  afterAll(async () => {
    await workspace?.remove();
    if (pooler) {
      const ended = once(pooler, 'exit');
      pooler.kill('SIGKILL');
      await ended;
    }
    await simulator?.stop();
    await database?.drop();
  });

  it('serves, follows and streams through five shared sessions, and leaves no setting in them', async () => {
    const vigil = await workspace.serve(workspace.folder('data'), {
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: database.url,
      VIGIL_ADMIN_TOKEN: 'a-token-of-the-environment-0123456789',
      VIGIL_RPC_ANVIL: simulator.wsUrl,
      VIGIL_CHAIN_ANVIL_START_BLOCK: '1',
    });
    await detectorMaker(vigil, token, [['ownership_change', {}]]);
    const streaming = new AbortController();
    let isMined = false;
    const onState = () => {
      if (!isMined) for (let i = 0; i < 20; i++) chain.extend({ logs: [newOwner(random)] });
      isMined = true;
    };
    for await (const { type } of vigil.follow({ signal: streaming.signal, onState })) {
      expect(type).toBe('raised');
      break;
    }
    streaming.abort();
    const read = async () => (await vigil.ok('POST', 'alert/search', { size: 100 })).total;
    await until(async () => (await read()) === 20);
    // More at once than there are sessions.
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        i % 2 === 0 ? vigil.call('POST', 'alert/search', {}) : vigil.call('GET', 'chain'),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const settings = await throughPooler("select name from pg_settings where source = 'session'");
    expect(settings).not.toContain('statement_timeout');
    expect(await throughPooler('select name from pg_prepared_statements')).toEqual([]);
    expect((await vigil.stop()).code).toBe(0);
    expect(vigil.stderr()).not.toContain('Request failed unexpectedly');
  });

  async function throughPooler(text: string): Promise<string[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(text);
    await client.end();
    return rows.map(({ name }) => name);
  }
});

function isThere(file: string): boolean {
  try {
    execFileSync(file, ['--version']);
    return true;
  } catch {
    return false;
  }
}
