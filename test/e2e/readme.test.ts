import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkspace } from '../../testing/createWorkspace.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
beforeAll(async () => {
  workspace = await createWorkspace();
});
afterAll(() => workspace.remove());

it('has a README whose commands work, in their order, on a new Vigil', { timeout: 120_000 }, async ({
  skip,
}) => {
  for (const program of ['bash', 'curl', 'timeout'])
    skip(spawnSync(program, ['--version']).status !== 0, `${program} is not installed`);
  const vigil = await workspace.serve(workspace.folder('data'));
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  const blocks = Array.from(readme.matchAll(/^```sh\n(.*?)^```/gms), ([, block]) => block!).filter((block) =>
    /\bpost |\$API/.test(block),
  );
  const commands = blocks
    .join('')
    // These two want a chain with that block and that transaction.
    .replace(/^post detector\/\$OWNER\/(backtest|explain) .*\n/gm, '')
    .replace(/^(TOKEN|API)=.*\n/gm, '')
    // A live stream does not end by itself.
    .replaceAll('curl -N', 'timeout 1 curl -N')
    .replaceAll('curl ', 'curl -S --fail-with-body ')
    .replace(/^(timeout 1 [^#\n]*)/gm, '$1 || [ $? = 124 ] ')
    // Nothing goes out of the machine.
    .replaceAll('example.com/hook', 'receiver.invalid/hook');
  expect(commands.match(/^post |\$\(post /gm)?.length).toBeGreaterThan(25);
  const script = `set -euxo pipefail\nTOKEN=${vigil.token}\nAPI=${vigil.url}/api/v1\n${commands}`;
  // What went wrong is in the last answer.
  const told = await promisify(execFile)('bash', ['-c', script]).then(
    () => 'Everything worked.',
    ({ stdout, stderr }: { stdout: string; stderr: string }) =>
      `${stderr.slice(-1000)}\n${stdout.slice(-2000)}`,
  );
  expect(told).toBe('Everything worked.');
  await vigil.stop();
});
