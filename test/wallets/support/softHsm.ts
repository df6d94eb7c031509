import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';

const run = promisify(execFile);

const module = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
].find((path) => existsSync(path));

export const hasSoftHsm = module !== undefined;

/** For `beforeEach`: says why a test is skipped on a machine without the module. */
export function skipWithoutSoftHsm({ skip }: TestContext): void {
  skip(!hasSoftHsm, 'SoftHSM2 is not installed (Debian package softhsm2)');
}

export type SoftHsm = Awaited<ReturnType<typeof createSoftHsm>>;

/** A token in a folder of its own. SoftHSM reads where it is from the environment, so a process has one at a time. */
export async function createSoftHsm(pin = 'canary-pin-493817') {
  if (module === undefined) throw new Error('The Debian package softhsm2 is missing.');
  const folder = await mkdtemp(join(tmpdir(), 'vigil-softhsm-'));
  const tokens = join(folder, 'tokens');
  const conf = join(folder, 'softhsm2.conf');
  const pinFile = join(folder, 'pin');
  await mkdir(tokens);
  await writeFile(conf, `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  await writeFile(pinFile, `${pin}\n`, { mode: 0o600 });
  const env = { ...process.env, SOFTHSM2_CONF: conf };
  const args = ['--init-token', '--free', '--label', 'vigil test', '--so-pin', '12345678', '--pin', pin];
  await run('softhsm2-util', args, { env });
  process.env.SOFTHSM2_CONF = conf;
  return {
    module,
    slot: 'vigil test',
    pin,
    pinFile,
    tokens,
    conf,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Opening it to read waits until somebody writes into it. */
export async function makePipe(path: string): Promise<void> {
  await run('mkfifo', [path]);
}
