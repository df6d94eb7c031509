import type { Log } from '../../../model/block.ts';

/**
 * The values of an event as words of 32 bytes: the indexed ones, then those in the data. That is their order whenever the
 * indexed ones come first, so that contracts which index differently are read alike.
 */
export function logWords({ indexed, data }: Pick<Log, 'indexed' | 'data'>): string[] {
  const words = [...indexed];
  for (let start = 2; start + 64 <= data.length; start += 64)
    words.push(`0x${data.slice(start, start + 64)}`);
  return words;
}
