import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it.each([
  ['describeDetectors.mjs', 'docs/reference/detectors.md'],
  ['describeEndpoints.mjs', 'docs/reference/api.md'],
  ['describeDestinations.mjs', 'docs/reference/destinations.md'],
])('has what %s generates from the build in %s; otherwise run `npm run docs`', async (script, document) => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [join(root, 'scripts', script), '--print'], {
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(await readFile(join(root, document), 'utf8')).toBe(stdout);
});
