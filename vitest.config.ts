import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'testing/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['testing/globalSetup.ts'],
    setupFiles: ['testing/cheapPasswords.ts'],
    reporters: ['default', './testing/summaryReporter.ts'],
    pool: 'forks',
    // One more than the cores that it is made for: many tests wait for other processes.
    maxWorkers: 3,
    // Each file has a database of its own; modules that are loaded and compiled once for all make the run a third shorter.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
