import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { until } from '../../testing/until.ts';
import { shellBlocks } from '../docs/support/shellBlocks.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
/** A user who is not the one that installed; only root can become another one. */
const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const megabyte = 1_000_000;

describe('the package, installed as for production', () => {
  let folder: string;
  let program: string;
  let anvil: Anvil;
  let vigil: ChildProcess;
  let printed = '';
  const home = () => join(folder, 'home');
  const environment = () => ({ PATH: process.env.PATH, HOME: home() });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vigil-package-'));
    await chmod(folder, 0o755);
    await mkdir(home());
    if (other.uid !== undefined) await chown(home(), other.uid, other.gid);
    await run(process.execPath, ['scripts/bundleDemo.mjs'], { cwd: root });
    for (const place of [root, join(root, 'sdk')])
      await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: place });
    const env = { ...process.env, npm_config_prefer_offline: 'true' };
    program = join(folder, 'program');
    const args = [join(folder, await packed(/^vigil-\d/)), join(root, 'package-lock.json'), program];
    await run(join(root, 'deploy', 'assemble.sh'), args, { env });
    anvil = await startAnvil({ blockTime: 1 });
  });
  afterAll(async () => {
    vigil?.kill('SIGKILL');
    await anvil?.stop();
    await rm(folder, { recursive: true, maxRetries: 20, retryDelay: 100 });
  });

  it('is small, has what runs and its notices, and brings no tool of development', async () => {
    expect((await stat(join(folder, await packed(/^vigil-\d/)))).size).toBeLessThan(8 * megabyte);
    for (const file of ['LICENSE', 'README.md', 'dist/THIRD-PARTY-NOTICES.txt', 'dist/web/index.html'])
      expect((await lstat(join(program, file))).size, file).toBeGreaterThan(0);
    const installed = await readdir(join(program, 'node_modules'));
    expect(installed).toContain('pino');
    for (const tool of ['typescript', '@typescript', 'vite', 'vitest', 'fastify'])
      expect(installed).not.toContain(tool);
    expect(await readdir(program)).not.toContain('src');
  });

  it('runs the first alert of the README for another user, who cannot write where it is installed', async () => {
    vigil = spawn(process.execPath, [join(program, 'dist', 'bin', 'vigil.js'), 'serve'], {
      ...other,
      cwd: home(),
      env: { ...environment(), VIGIL_PORT: '0', VIGIL_RPC_ANVIL: anvil.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [vigil.stdout, vigil.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    const url = await until(() => {
      if (vigil.exitCode !== null) throw new Error(`Vigil ended with ${vigil.exitCode}: ${printed}`);
      return /^Vigil listens on (\S+)\n(.*\n)* {2}database/m.exec(printed)?.[1];
    }, 120_000);
    const blocks = (await shellBlocks('README.md')).filter(({ mark }) => mark === 'run');
    expect(blocks).toHaveLength(2);
    const script = blocks
      .map(({ text }) => text)
      .join('\n')
      .replaceAll('http://127.0.0.1:8545', anvil.url)
      .replaceAll('~/', `${home()}/`);
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', `API=${url}/api/v1\n${script}`], {
      ...other,
      cwd: program,
      env: environment(),
    });
    expect(stdout).toContain('"name":"Deposit"');

    const pages = await fetch(url);
    expect(await pages.text()).toContain('<title>');
    const documents = await fetch(`${url}/docs/`);
    expect(documents.status).toBe(200);
    await useClient(url);
  });

  it('has the command line and the demo', async () => {
    const command = (...args: string[]) =>
      run(process.execPath, [join(program, 'dist', 'bin', 'vigil.js'), ...args], {
        ...other,
        cwd: home(),
        env: environment(),
      });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect((await command('version')).stdout).toBe(`${version}\n`);
    expect((await command('token', 'list')).stdout).toContain('admin');
    await expect(command('demo', '--chains', 'moon')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--chains has "moon" but may have ethereum, bitcoin'),
    });
  });

  it('stops cleanly on SIGTERM', async () => {
    const ended = once(vigil, 'exit');
    vigil.kill();
    expect((await ended)[0], printed).toBe(0);
  });

  /** The client in an empty folder, from its own package alone. */
  async function useClient(url: string): Promise<void> {
    const place = join(folder, 'client', 'node_modules', '@vigil', 'client');
    await mkdir(place, { recursive: true });
    await run('tar', ['-xzf', join(folder, await packed(/client/)), '-C', place, '--strip-components=1']);
    const token = await readFile(join(home(), '.local', 'share', 'vigil', 'admin-token'), 'utf8');
    const file = join(folder, 'client', 'search.mjs');
    await writeFile(
      file,
      `import { createClient } from '@vigil/client';
const client = createClient({ url: '${url}', token: '${token.trim()}' });
console.log((await client.post('/tenant/search', {})).data.map(({ name }) => name).join());
`,
    );
    expect((await run(process.execPath, [file])).stdout).toContain('Acme');
  }

  async function packed(pattern: RegExp): Promise<string> {
    const name = (await readdir(folder)).find((each) => each.endsWith('.tgz') && pattern.test(each));
    if (name === undefined) throw new Error(`There is no packed file like ${pattern}.`);
    return name;
  }
});

describe('a checkout without the tools of development', () => {
  it('runs what was built, or says to build first', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vigil-checkout-'));
    await mkdir(join(folder, 'scripts'));
    for (const name of ['start', 'requireNode', 'buildIfStale', 'isStale'])
      await writeFile(
        join(folder, 'scripts', `${name}.mjs`),
        await readFile(join(root, 'scripts', `${name}.mjs`)),
      );
    const start = () => run(process.execPath, [join(folder, 'scripts', 'start.mjs'), 'version']);
    await expect(start()).rejects.toMatchObject({
      code: 1,
      stderr: 'There is no build to start. Build first: npm install && npm run build\n',
    });
    await mkdir(join(folder, 'dist', 'bin'), { recursive: true });
    await writeFile(join(folder, 'dist', '.built'), '');
    await writeFile(join(folder, 'dist', 'bin', 'vigil.js'), 'console.log("It runs.");');
    expect((await start()).stdout).toBe('It runs.\n');
    await rm(folder, { recursive: true });
  });
});
