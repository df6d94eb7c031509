import { timedUid } from '../lib/uid.ts';
import type { Finding } from '../model/alert.ts';

/** The same finding always gets the same uid, so that a replay adds nothing. */
export function alertUid(finding: Pick<Finding, 'tenantId' | 'kind' | 'timestamp' | 'key'>): string {
  const { tenantId, kind, timestamp, key } = finding;
  return timedUid(timestamp, [tenantId, kind, timestamp, key]);
}
