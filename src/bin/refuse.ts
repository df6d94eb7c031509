/** Says why a command cannot be carried out as it was given; its exit code is 2, as for a wrong option. */
export function refuse(message: string): number {
  process.stderr.write(`${message}\n`);
  return 2;
}
