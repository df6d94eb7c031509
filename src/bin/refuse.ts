/** Prints why a command cannot run; returns the exit code 2, as for a wrong option. */
export function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
