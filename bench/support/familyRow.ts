/** What blocks of other families cost, in milliseconds of the processor, which others on the machine hardly change. */
export function familyTable(rows: readonly string[]): string[] {
  return [
    'Blocks of other families, 10,000 detectors, in processor time with that of the node, which is in the same process: fetched and parsed alone, and decoded and matched as well (on Solana: decoded, and what concerns watched addresses fetched in whole).',
    '',
    '| block | calls | fetching alone, ms | with decoding and matching, ms | ratio |',
    '|---|--:|--:|--:|--:|',
    ...rows,
  ];
}

export function familyRow(label: string, calls: number, aloneMs: number, wholeMs: number): string {
  const figures = [aloneMs.toFixed(1), wholeMs.toFixed(1), (wholeMs / aloneMs).toFixed(2)];
  return `| ${[label, calls, ...figures].join(' | ')} |`;
}

/** What a round takes, once it is warm. */
export async function processorMs(
  rounds: number,
  work: (round: number) => Promise<unknown>,
): Promise<number> {
  for (let round = 0; round < 5; round++) await work(round);
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) await work(round);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
}
