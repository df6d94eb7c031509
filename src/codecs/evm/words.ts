import type { Log } from '../../model/block.ts';

export const zeroAddress = '0x0000000000000000000000000000000000000000';

/** The 32-byte word at this place of call data or log data, as a number. */
export function wordAt(data: string, index: number): bigint {
  const start = 2 + index * 64;
  const word = data.slice(start, start + 64);
  if (word.length < 64) throw new RangeError(`The data has no word ${index}.`);
  return BigInt(`0x${word}`);
}

/** The address in an indexed value. */
export function topicAddress(topic: string): string {
  return `0x${topic.slice(26)}`;
}

export function addressTopic(address: string): string {
  return `0x000000000000000000000000${address.slice(2)}`;
}

/** True if an indexed value can be an address at all. */
export function isAddressTopic(topic: string): boolean {
  return topic.length === 66 && topic.startsWith('0x000000000000000000000000');
}

/** The bytes that the word at this place of ABI data points to, as far as they are there; it never fails. */
export function bytesAt(data: string, index: number): string {
  const start = 2 + 2 * sizeAt(data, 2 + 64 * index);
  return `0x${data.slice(start + 64, start + 64 + 2 * sizeAt(data, start))}`;
}

/** The number that begins at this digit; 0 where there is none. */
export function sizeAt(data: string, digit: number): number {
  const word = data.slice(digit, digit + 64);
  return word.length < 64 ? 0 : Number(BigInt(`0x${word}`));
}

/**
 * The values of an event as words of 32 bytes, indexed ones first. Contracts that index differently read alike as long
 * as indexed values come first.
 */
export function logWords({ indexed, data }: Pick<Log, 'indexed' | 'data'>): string[] {
  const words = [...indexed];
  for (let start = 2; start + 64 <= data.length; start += 64)
    words.push(`0x${data.slice(start, start + 64)}`);
  return words;
}
