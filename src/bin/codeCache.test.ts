import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vigil-code-'));
  await writeFile(join(folder, 'main.cjs'), "process.stdout.write(require('./part.cjs').greet());");
  await writePart('good evening');
});
afterEach(() => rm(folder, { recursive: true }));

const writePart = (text: string) => writeFile(join(folder, 'part.cjs'), `exports.greet = () => '${text}';`);

/** What the program in the folder prints, in a process of its own, because code belongs to the flags of a process. */
async function start({ flags = [], isKept = false }: { flags?: string[]; isKept?: boolean } = {}) {
  const program = `
    import { loadCached, writeCaches } from ${urlOf(join(root, 'dist', 'bin', 'codeCache.js'))};
    loadCached(new URL(${urlOf(join(folder, 'main.cjs'))}));
    if (${isKept}) writeCaches();`;
  const args = [...flags, '--input-type=module', '--eval', program];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

const urlOf = (file: string) => JSON.stringify(pathToFileURL(file).href);

// V8 takes code whose text has the same length, so that a changed text shows which of the two has run.
it('runs the code that was kept', async () => {
  expect(await start({ isKept: true })).toBe('good evening');
  await writePart('good morning');
  expect(await start()).toBe('good evening');
});

it('compiles what nothing was kept of, and what another length or other flags make useless', async () => {
  expect(await start()).toBe('good evening');
  await writePart('good morning');
  expect(await start({ isKept: true })).toBe('good morning');
  await writePart('good evening');
  expect(await start({ flags: ['--no-opt'] })).toBe('good evening');
  await writePart('good night');
  expect(await start()).toBe('good night');
});

it('finds code of every file in the bundle of a build', async () => {
  const names = await readdir(join(root, 'dist', 'bin'));
  const files = names.filter((name) => name.endsWith('.cjs'));
  expect(files).toContain('vigil.cjs');
  expect(files.filter((file) => !names.some((name) => name.startsWith(`${file}.`)))).toEqual([]);
});
