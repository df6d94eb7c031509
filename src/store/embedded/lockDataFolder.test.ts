import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataFolder } from './lockDataFolder.ts';

describe('lockDataFolder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(await realpath(tmpdir()), 'vigil-lock-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('refuses a second holder by name of the first, and leaves nothing behind when released', async () => {
    const lock = await lockDataFolder(dataDir);
    await expect(lockDataFolder(dataDir)).rejects.toThrow(
      `Another Vigil (process ${process.pid}) already runs on data folder ${dataDir}; ` +
        'stop it or set VIGIL_DATA_DIR to another folder',
    );
    expect(await readdir(dataDir)).toEqual(['lock']);
    await lock.release();
    expect(await readdir(dataDir)).toEqual([]);
    await (await lockDataFolder(dataDir)).release();
  });

  it('lets exactly one of many simultaneous starters in', async () => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => lockDataFolder(dataDir)));
    const winners = results.filter((result) => result.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    await winners[0]?.value.release();
  });
});
