import { timedUid } from '../lib/uid.ts';
import type { Finding, Position } from '../model/alert.ts';

/** The same finding always gets the same uid, so that a replay adds nothing; uids of one block sort as its transactions and logs. */
export function alertUid(
  finding: Pick<Finding, 'tenantId' | 'kind' | 'timestamp' | 'key' | 'position' | 'uid'>,
): string {
  const { tenantId, kind, timestamp, key, position } = finding;
  return finding.uid ?? timedUid(timestamp, [tenantId, kind, timestamp, key], position && toBits(position));
}

const maxTransaction = 2 ** 12 - 1;
const maxLog = 2 ** 14 - 1;

function toBits({ transaction, log }: Position): number {
  return Math.min(transaction, maxTransaction) * (maxLog + 1) + Math.min(log + 1, maxLog);
}
