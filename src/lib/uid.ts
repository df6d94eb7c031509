import { hash } from 'node:crypto';

/**
 * A stable uuid of these parts, with the time first (as in UUID version 7), so the uid finds its partition. A
 * `position` of 26 bits sorts rows of one time.
 */
export function timedUid(timestamp: number, parts: readonly unknown[], position?: number): string {
  const bytes = hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16);
  bytes.writeUIntBE(timestamp, 0, 6);
  if (position !== undefined) {
    // Around the bits of version and variant: 12, 6 and 8 bits.
    bytes.writeUInt16BE((position >>> 14) & 0xfff, 6);
    bytes.writeUInt8((position >>> 8) & 0x3f, 8);
    bytes.writeUInt8(position & 0xff, 9);
  }
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The epoch milliseconds with which the uid of an alert or a score change begins, or undefined if it is no such uid. */
export function uidTime(uid: string): number | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uid)) return undefined;
  return Number.parseInt(uid.slice(0, 8) + uid.slice(9, 13), 16);
}

/** True if PostgreSQL accepts the text as a uuid. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
