import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresProcesses } from '../../testing/bundledPostgres.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { until } from '../../testing/until.ts';

let workspace: Awaited<ReturnType<typeof createWorkspace>>;
const mounted: string[] = [];
beforeAll(async () => {
  workspace = await createWorkspace({ firstStart: true, isBundled: true });
});
afterAll(async () => {
  for (const folder of mounted) execFileSync('umount', [folder]);
  await workspace.remove();
});

/** A disk of this size; undefined where this user may mount none. */
async function mountDisk(name: string, megabytes: number): Promise<string | undefined> {
  const folder = workspace.folder(name);
  await mkdir(folder);
  const args = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder];
  if (spawnSync('mount', args).status !== 0) return undefined;
  mounted.push(folder);
  return folder;
}

const notMounted = 'this user may not mount a small disk';

it('refuses to make a database on a disk that is almost full, and writes none', async ({ skip }) => {
  const disk = (await mountDisk('small', 60)) ?? skip(notMounted);
  const { code, stderr } = await workspace.run(['serve'], join(disk, 'data'), { VIGIL_PORT: '0' });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /Vigil cannot continue: A new database needs 200 MB, but \S+ has \d+ MB free: free some, or set VIGIL_DATA_DIR/,
  );
  expect(existsSync(join(disk, 'data', 'postgres'))).toBe(false);
});

it('ends a first start whose disk fills up with the reason, leaves no PostgreSQL behind, and starts when there is room', async ({
  skip,
}) => {
  const disk = (await mountDisk('filling', 260)) ?? skip(notMounted);
  const dataDir = join(disk, 'data');
  const { ended, printed } = workspace.startServe(dataDir);
  let exit: Awaited<typeof ended> | undefined;
  void ended.then((how) => {
    exit = how;
  });
  await until(() => existsSync(join(dataDir, 'postgres')));
  // As much as the tables need, and less than the log that PostgreSQL writes ahead of them.
  const { bavail, bsize } = statfsSync(disk);
  const ballast = Buffer.alloc(bavail * bsize - 18 * 2 ** 20);
  // PostgreSQL may have written meanwhile: then the disk is full before all of it is there.
  await writeFile(join(disk, 'ballast'), ballast).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
  const { code, stderr } = await until(() => exit).catch(() => {
    throw new Error(`It has not ended: ${printed.stdout}${printed.stderr}`);
  });
  expect(stderr).toMatch(
    /^Vigil cannot continue: PostgreSQL failed while Vigil started: .*No space left on device$/m,
  );
  expect(code).toBe(1);
  expect(await postgresProcesses(dataDir)).toEqual([]);
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toContain('PANIC');

  await rm(join(disk, 'ballast'));
  const vigil = await workspace.serve(dataDir);
  expect((await vigil.call('GET', '/readyz')).status).toBe(200);
  expect((await vigil.stop()).code).toBe(0);
});
