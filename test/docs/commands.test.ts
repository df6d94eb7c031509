import { execFile, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';
import { type Anvil, startAnvil } from '../../testing/startAnvil.ts';
import { documents, shellBlocks } from './support/shellBlocks.ts';

const root = join(import.meta.dirname, '..', '..');

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
let anvil: Anvil;
let vigil: Vigil;
beforeAll(async () => {
  workspace = await createWorkspace({ isBundled: true });
  anvil = await startAnvil({ blockTime: 1 });
  vigil = await workspace.serve(workspace.folder('data'), {
    VIGIL_RPC_ANVIL: anvil.url,
    VIGIL_ALLOW_NETWORKS: '127.0.0.0/8',
  });
});
afterAll(async () => {
  await vigil?.stop();
  await anvil?.stop();
  await workspace?.remove();
});

it('runs every command of the README, the tutorial and the guides, in their order, on a new Vigil', {
  timeout: 240_000,
}, async ({ skip }) => {
  for (const program of ['bash', 'curl'])
    skip(spawnSync(program, ['--version']).status !== 0, `${program} is not installed`);
  const blocks = await blocksMarked('run');
  expect(blocks.length).toBeGreaterThan(30);
  const port = await freePort();
  const stdout = await runInShell([
    `API=${vigil.url}/api/v1`,
    `export VIGIL_DATA_DIR=${workspace.folder('data')} VIGIL_RUN_DIR=${workspace.folder('runs')}`,
    // Slow machines get more time than people need until a change takes effect.
    'sleep() { command sleep $(($1 > 1 ? 3 * $1 : 1)); }',
    ...blocks.map(({ document, text }) =>
      toLocal(`echo "in ${document}" >&2\n${text}`)
        .replaceAll('http://127.0.0.1:8545', anvil.url)
        .replaceAll('http://127.0.0.1:8080', vigil.url)
        .replaceAll('127.0.0.1:9000', `127.0.0.1:${port}`)
        .replaceAll('receiver.mjs 9000', `receiver.mjs ${port}`),
    ),
  ]);
  // What the documents promise, beyond commands that do not fail.
  expect(stdout).toContain('"name":"Deposit"');
  expect(stdout).toMatch(/^signed +ping/m);
  expect(stdout).toMatch(/^signed +alert\.trigger\.raised/m);
  expect(stdout).toMatch(/^signed +alert\.detector\.raised/m);
  expect(stdout).not.toMatch(/^UNSIGNED/m);
  expect(stdout).toContain('"state":"CONFIRMED"');
  expect(stdout).toContain('"name":"Pause on theft"');
  expect(stdout).toContain('"binding":"manual"');
  expect(stdout).toContain('412: read it again');
  expect(stdout).toMatch(/^event: raised$/m);
  expect(stdout).toMatch(/"scoreChange":-\d/);
});

it('restores a backup as the operations guide makes it', async ({ skip }) => {
  skip(spawnSync('tar', ['--version']).status !== 0, 'tar is not installed');
  const { id } = await vigil.ok('POST', 'tenant', { name: 'Kept' });
  await vigil.stop();
  const blocks = await blocksMarked('run by the tests while Vigil is stopped');
  await runInShell(blocks.map(({ text }) => toLocal(text)));
  vigil = await workspace.serve(workspace.folder('made-restored'));
  expect(await vigil.ok('GET', `tenant/${id}`)).toMatchObject({ name: 'Kept' });
});

it('marks every shell block as run, started by the tests, or not run for a stated reason', async () => {
  for (const { document, mark, text } of await allBlocks())
    if (!mark.startsWith('run') && mark !== 'started by the tests')
      expect(mark, `${document}: ${text}`).toMatch(/^not run: .{10}/);
});

it('starts Vigil with the settings that the documents name', async () => {
  const started = (await blocksMarked('started by the tests')).map(({ text }) => text).join('');
  expect(started).toContain(
    'VIGIL_RPC_ANVIL=http://127.0.0.1:8545 VIGIL_ALLOW_NETWORKS=127.0.0.0/8 npm start',
  );
});

async function allBlocks() {
  return (await Promise.all(documents.map(shellBlocks))).flat();
}

async function blocksMarked(wanted: string) {
  return (await allBlocks()).filter(({ mark }) => mark === wanted);
}

/** The same commands, with folders of their own in place of the user's, and nothing that leaves the machine. */
function toLocal(text: string): string {
  return (
    text
      .replaceAll('/tmp/vigil-', workspace.folder('made-'))
      .replaceAll('~/.local/share/vigil', workspace.folder('data'))
      .replaceAll('example.com', 'receiver.invalid')
      // npx takes longer than the command; the guide of operations runs it once.
      .replaceAll('npx vigil', text.includes('rollup verify') ? 'npx vigil' : 'node dist/bin/vigil.js')
      // `head` closes its input early, which `pipefail` would count as a failure.
      .replace(/\| head (-\w \d+)/g, '| { head $1; cat > /dev/null; }')
  );
}

async function runInShell(commands: readonly string[]): Promise<string> {
  const setup = ["trap 'jobs -p | xargs -r kill' EXIT", 'set -euxo pipefail'];
  try {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024, timeout: 220_000 };
    const { stdout } = await promisify(execFile)('bash', ['-c', [...setup, ...commands].join('\n')], options);
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stderr.slice(-1500)}\n${stdout.slice(-2500)}`, { cause: error });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
