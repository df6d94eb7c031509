import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { nodeFlags } from './testing/nodeFlags.ts';
import { SpreadLong } from './testing/spreadLong.ts';

// In memory where there is room, because a run creates and drops hundreds of databases, each of more than a thousand files.
if (process.env.TMPDIR === undefined && hasRoom('/dev/shm')) process.env.TMPDIR = '/dev/shm';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'testing/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['testing/globalSetup.ts'],
    setupFiles: ['testing/cheapPasswords.ts'],
    reporters: ['default', './testing/summaryReporter.ts'],
    pool: 'forks',
    // One more than the cores that it is made for: part of a long test is spent waiting for blocks, retries and other processes. A
    // fourth worker makes the run no shorter, and every test slower.
    maxWorkers: 3,
    execArgv: [...nodeFlags],
    // Each file has a database of its own; modules that are loaded and compiled once for all make the run a third shorter.
    isolate: false,
    sequence: { sequencer: SpreadLong },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 2 ** 30;
}
