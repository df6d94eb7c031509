import { createHash } from 'node:crypto';

/**
 * A uuid that is always the same for the same parts. The time comes first (as in UUID version 7), which makes a row
 * findable by its uid alone although rows are partitioned by time.
 */
export function timedUid(timestamp: number, parts: readonly unknown[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUIntBE(timestamp, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
