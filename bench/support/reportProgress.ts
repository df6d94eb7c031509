/** Progress, beside the tables. */
export function reportProgress(text: string): void {
  process.stderr.write(`${text} …\n`);
}
