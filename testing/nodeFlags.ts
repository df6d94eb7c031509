/**
 * For processes that end within minutes. Node 20 compiles a function with all optimisations after few calls, on threads of its own,
 * which takes a quarter of a test's processor time for code that runs for seconds: here that needs fifteen times as many. Later
 * versions have no such setting.
 */
export const nodeFlags: readonly string[] = process.version.startsWith('v20.')
  ? ['--interrupt-budget=1000000']
  : [];
