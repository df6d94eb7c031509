import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findAnvil } from '../testing/startAnvil.ts';

/** The program of the demo's chain: from npm beside Vigil, from the PATH, or fetched by npm into the user's cache, once. */
export async function provideAnvil(): Promise<string> {
  return tryFind(import.meta.url) ?? findInPath() ?? fetchAnvil();
}

async function fetchAnvil(): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  );
  const { devDependencies } = manifest as { devDependencies: Record<string, string> };
  const wanted = `@foundry-rs/anvil@${devDependencies['@foundry-rs/anvil']}`;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'vigil', 'anvil');
  const from = join(folder, 'package.json');
  const fetched = tryFind(from);
  if (fetched) return fetched;
  process.stdout.write(`Fetching ${wanted}, the chain of the demo, into ${folder} (43 MB, once) …\n`);
  await mkdir(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', wanted];
  try {
    await promisify(execFile)('npm', args, { shell: process.platform === 'win32' });
    return findAnvil(from);
  } catch (cause) {
    throw new Error(
      `Anvil, the chain of the demo, is not on this machine, and npm could not fetch it for ${process.platform} on ${process.arch}. Install Foundry, or run: npm install --prefix ${folder} ${wanted}`,
      { cause },
    );
  }
}

function tryFind(from: string): string | undefined {
  try {
    return findAnvil(from);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function findInPath(): string | undefined {
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
