/** Progress, beside the tables. */
export function tell(text: string): void {
  process.stderr.write(`${text} …\n`);
}
