import { createHash } from 'node:crypto';
import type { Finding } from '../model/alert.ts';

/**
 * The same finding always gets the same uid, so that a replay adds nothing. The time comes first (as in UUID version 7),
 * which makes an alert findable by its uid alone although alerts are partitioned by time.
 */
export function alertUid(finding: Pick<Finding, 'tenantId' | 'kind' | 'timestamp' | 'key'>): string {
  const { tenantId, kind, timestamp, key } = finding;
  const bytes = createHash('sha256')
    .update(JSON.stringify([tenantId, kind, timestamp, key]))
    .digest()
    .subarray(0, 16);
  bytes.writeUIntBE(timestamp, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
