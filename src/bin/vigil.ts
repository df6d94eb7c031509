import { commands } from './commands.ts';
import { parseCommand } from './parseCommand.ts';

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Not awaited, because Node ends with code 13 when a module waits and nothing is left to do.
void runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});

/** Faults of the user are one sentence on standard error; faults of Vigil list their causes. */
async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    const { run, options, words } = parseCommand(commands, argv);
    return await run({ options, words });
  } catch (error) {
    const isUserFault = error instanceof Error && ['UsageError', 'ConfigError'].includes(error.name);
    process.stderr.write(`${isUserFault ? error.message : describe(error)}\n`);
    return isUserFault ? 2 : 1;
  }
}

function describe(error: unknown): string {
  return `Vigil cannot continue: ${reasons(error).join('\n  because: ')}`;
}

function reasons(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  // A host name with several addresses fails once for each of them, without a message of its own.
  const message = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return [message, ...(error.cause === undefined ? [] : reasons(error.cause))];
}
