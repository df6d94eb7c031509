import { type AlertHook, prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import type { Finding } from '../../src/model/alert.ts';
import type { Store } from '../../src/store/db/db.ts';

type Members = Pick<Finding, 'projectId' | 'contractId' | 'detectorId'> & Partial<Finding>;

/** Raises `count` alerts of the first tenant, numbered from `first` on, as a detector would. */
export async function raiseNumberedAlerts(
  store: Store,
  hook: AlertHook,
  { first, count, members }: { first: number; count: number; members: (number: number) => Members },
): Promise<void> {
  const timestamp = Date.now();
  const findings = Array.from({ length: count }, (_, n): Finding => {
    const number = first + n;
    return {
      tenantId: 1,
      kind: 'detector',
      group: 'SECURITY',
      severity: 'HIGH',
      timestamp,
      key: `bench ${number}`,
      eid: `bench-${number}`,
      name: 'Large transfer',
      message: `Transfer ${number} of a large amount.`,
      meta: { amount: number },
      tags: [],
      ...members(number),
    };
  });
  await prepareRaise(store, findings);
  await store.transaction((tx) => raiseAlerts(tx, findings, [hook]));
}
