import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresProcesses } from '../../testing/bundledPostgres.ts';
import { createWorkspace, type Ended, type Vigil } from '../../testing/createWorkspace.ts';
import { until } from '../../testing/until.ts';

describe('the command line', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let dataDir: string;
  let vigil: Vigil | undefined;
  beforeAll(async () => {
    workspace = await createWorkspace({ isBundled: true });
    dataDir = workspace.folder('data');
  });
  afterAll(() => workspace.remove());

  /** What every command that changes or attests something says first. */
  const working = () => `Working on ${dataDir}${vigil ? `, where Vigil runs (process ${vigil.pid})` : ''}.\n`;

  const run = (line: string): Promise<Ended> => workspace.run(line.split(' ').filter(Boolean), dataDir);

  it.each([
    ['', 'Usage: vigil <command> [options]'],
    ['--help', '  token create       Create an access token and print it once.'],
    ['help', '  audit verify  '],
    ['token --help', '\n  token create  Create an access token and print it once.\n  token list '],
    ['help token', '  token revoke  Revoke a token at once.\n'],
    ['help token create', 'Usage: vigil token create [options]'],
    ['token create --help', '  --role <role>               Role of the token, repeatable (default: admin).'],
    ['serve --help', 'Usage: vigil serve'],
    ['version', '1.0.0-rc.1\n'],
    ['--version', '1.0.0-rc.1\n'],
    ['endpoints', 'POST   /api/v1/wallet                          tenant-manager admin\n'],
    ['openapi', '"operationId": "searchContracts",\n'],
  ])('vigil %s tells what was asked for', async (line, words) => {
    const { code, stdout, stderr } = await run(line);
    expect(stdout).toContain(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it.each([
    ['serv', 'There is no command "serv". Did you mean serve? See vigil --help.\n'],
    ['frobnicate', 'There is no command "frobnicate". See vigil --help.\n'],
    ['token', 'vigil token needs one of: create, list, revoke. See vigil token --help.\n'],
    ['token craete', 'There is no "token craete". Did you mean token create? See vigil token --help.\n'],
    [
      'token create --rol=admin',
      'vigil token create has no option --rol. Did you mean --role? See vigil token create --help.\n',
    ],
    ['serve --port 1', 'vigil serve has no option --port. See vigil serve --help.\n'],
    ['migrate now', 'vigil migrate takes no "now". See vigil migrate --help.\n'],
    ['token create --role', 'See vigil token create --help.\n'],
    ['token create --role tennant-user', 'There is no role tennant-user; the roles are tenant-viewer, '],
    [
      'token create --role tenant-user',
      'An admin token has no tenant, and every other role needs --tenant.\n',
    ],
    ['token create --days -3', '--tenant and --days take a whole number above 0.\n'],
    [
      'openapi --out /nowhere/api.json',
      'Cannot write /nowhere/api.json (ENOENT): name a file in a folder that',
    ],
    ['backtest 9999', 'vigil backtest needs --from with a block, --to with a block. Usage: vigil backtest <'],
    ['token create --days soon', '--tenant and --days take a whole number above 0.\n'],
    ['token revoke', 'Usage: vigil token revoke <id>; vigil token list shows the ids.\n'],
  ])('vigil %s is refused with a sentence that helps', async (line, words) => {
    const { code, stdout, stderr } = await run(line);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  for (const state of ['running', 'stopped'] as const) {
    describe(`while Vigil is ${state}`, () => {
      beforeAll(async () => {
        if (state === 'running') vigil = await workspace.serve(dataDir);
      });
      afterAll(async () => {
        await vigil?.stop();
        vigil = undefined;
        expect(await postgresProcesses(dataDir)).toEqual([]);
      });

      it('migrate says that the database is up to date', async () => {
        const done = { code: 0, signal: null, stdout: 'The database is up to date.\n', stderr: working() };
        expect(await run('migrate')).toEqual(done);
      });

      it('token create, list and revoke make, show and end a token', async () => {
        const { code, stdout, stderr } = await run('token create --label nightly --days 2');
        expect(code).toBe(0);
        const token = stdout.trim();
        expect(token).toMatch(/^vigil_admin_[\w-]{43}$/);
        const id = /\nToken (\d+) was created\. It is not shown again\.\n$/.exec(stderr)![1]!;
        const row = new RegExp(
          `^ *${id}  ADMIN +platform +…${token.slice(-4)}  until \\S+Z  admin  nightly$`,
          'm',
        );
        const listed = await run('token list');
        expect(listed.stdout).toMatch(row);
        expect(listed.stdout).not.toContain(token);
        if (vigil) expect((await vigil.call('GET', 'auth/me', undefined, { token })).status).toBe(200);

        expect(await run(`token revoke ${id}`)).toMatchObject({
          code: 0,
          stdout: `Token ${id} is revoked.\n`,
        });
        const status = async () => (await vigil?.call('GET', 'auth/me', undefined, { token }))?.status;
        if (vigil) await until(async () => (await status()) === 401);
        expect((await run('token list')).stdout).not.toMatch(row);
        expect(await run(`token revoke ${id}`)).toMatchObject({
          code: 2,
          stderr: `${working()}There is no live token ${id}.\n`,
        });
        expect(await run('token create --tenant 999 --role tenant-viewer')).toMatchObject({
          code: 2,
          stderr: `${working()}There is no tenant 999.\n`,
        });
      });

      it('doctor lists the wallets that may call anything', async () => {
        if (vigil) {
          const { id: tenantId } = await vigil.ok('POST', 'tenant', { name: 'Open' });
          const wallet = { tenantId, chainUid: 'anvil' };
          await vigil.ok('POST', 'wallet', { ...wallet, name: 'Careful' });
          const { id } = await vigil.ok('POST', 'wallet', { ...wallet, name: 'Free', allowedCalls: null });
          const { code, stdout } = await run('doctor');
          expect(code).toBe(0);
          expect(stdout.split('\n').filter((line) => line.startsWith('Open:'))).toEqual([
            `Open: wallet ${id} (Free) of tenant ${tenantId} may call every contract that a user of the tenant adds. Set its allowedCalls.`,
          ]);
        } else {
          expect(await run('doctor')).toMatchObject({
            code: 0,
            stdout: expect.stringContaining('It does not run, so its wallets are not looked at.'),
          });
        }
      });

      it('key rotate changes the master key, and Vigil goes on', async () => {
        const file = join(dataDir, 'master.key');
        const before = await readFile(file, 'utf8');
        const { code, stdout } = await run('key rotate');
        expect(code).toBe(0);
        expect(stdout).toMatch(
          /^\d data keys are sealed under the new master key\.\nIt is in .*master\.key\.\n$/,
        );
        const after = await readFile(file, 'utf8');
        expect(after).not.toContain(before.trim());
        expect(stdout).not.toContain(after.trim());
        expect(after.trim().split('\n')).toHaveLength(1);
        if (vigil) expect((await vigil.call('GET', '/readyz')).status).toBe(200);
      });

      it('audit verify reports that the log is whole', async () => {
        expect(await run('audit verify')).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/^The audit log is whole: \d+ entries in \d+ chains\.\n$/),
        });
      });

      it('audit checkpoint is taken, and audit verify checks the log and its own signature by it', async () => {
        const { code, stdout } = await run('audit checkpoint');
        expect(code).toBe(0);
        const [file, forged] = ['checkpoint', 'forged'].map((name) => workspace.folder(`${name}-${state}`));
        await writeFile(file!, stdout);
        expect(await run(`audit verify --checkpoint ${file}`)).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/whole.*\nIt contains all entries of the checkpoint of \S+Z\.\n$/),
        });
        const signed: { payload: string } = JSON.parse(stdout);
        const payload = signed.payload.replace(/"seq":\d+/, '"seq":1');
        await writeFile(forged!, JSON.stringify({ ...signed, payload }));
        expect(await run(`audit verify --checkpoint ${forged}`)).toMatchObject({
          code: 2,
          stderr: `${working()}The checkpoint in ${forged} was changed, or another Vigil signed it.\n`,
        });
        expect((await run(`audit verify --checkpoint ${dataDir}/master.key`)).code).toBe(2);
        const exported = (await run('audit export')).stdout.split('\n').slice(0, -1);
        expect(exported.map((line) => JSON.parse(line).action)).toContain('key.rotate');
      });

      it('rollup verify reports that the roll-ups are right', async () => {
        const told = { code: 0, stdout: 'The roll-ups agree with the alerts.\n' };
        expect(await run('rollup verify')).toMatchObject(told);
      });
    });
  }
});
