/**
 * For processes that end within minutes. A young generation that begins with 1 MB is copied dozens of times while one starts, which
 * takes a tenth of it. Node 20 compiles a function with all optimisations after few calls, on threads of its own, which takes a
 * quarter of a test's processor time for code that runs for seconds: here that needs fifteen times as many. Later versions have no
 * such setting.
 */
export const nodeFlags: readonly string[] = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=64',
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000'] : []),
];
