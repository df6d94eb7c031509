#!/usr/bin/env node
import { commands } from './commands.ts';
import { parseCommand } from './parseCommand.ts';

// A reader such as `head` that has seen enough is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** The command line. Faults of the user are one sentence on standard error; faults of Vigil show where they arose. */
try {
  const { run, options, words } = parseCommand(commands, process.argv.slice(2));
  process.exitCode = await run({ options, words });
} catch (error) {
  const known = error instanceof Error && ['UsageError', 'ConfigError'].includes(error.name);
  process.stderr.write(`${known ? error.message : describe(error)}\n`);
  process.exitCode = known ? 2 : 1;
}

function describe(error: unknown): string {
  return `Vigil cannot go on: ${reasons(error).join('\n  because: ')}`;
}

function reasons(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  // A name with several addresses fails once for each of them, and says nothing itself.
  const own = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return [own, ...(error.cause === undefined ? [] : reasons(error.cause))];
}
