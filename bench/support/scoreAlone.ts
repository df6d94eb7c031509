import { readLicenseTerms } from '../../src/model/licenseTerms.ts';
import type { AlertEvent } from '../../src/model/score.ts';
import { scoreEvent } from '../../src/scoring/scoreEvent.ts';
import type { Sandbox } from '../../src/scripts/sandbox.ts';
import { example } from './createScoredProjects.ts';

/** What the scripts of the example license alone can do, one event after the other; in changes a second. */
export async function scoreAlone(run: Sandbox['run'], count: number): Promise<number> {
  const { params, groupScript, scoreScript } = example.license;
  const scoreGroups = example.scoreGroups.map(({ name }) => ({ name, status: 'ACTIVE' }));
  const license = { terms: readLicenseTerms(params), groupScript, scoreScript, scoreGroups };
  const standing = new Map<string, number>();
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    const scored = await scoreEvent(run, 1, license, standing, toEvent(n));
    const [change] = 'changes' in scored ? scored.changes : [];
    if (!change) throw new Error('An alert did not change the score.');
    standing.set(change.scoreGroup, change.score);
  }
  return count / ((performance.now() - startedAt) / 1000);
}

function toEvent(n: number): AlertEvent {
  const place = { tenantId: 1, projectId: 1, contractId: 1, detectorId: 1, triggerId: null, actionId: null };
  return {
    type: 'alert',
    uid: `bench-${n}`,
    kind: 'detector',
    group: 'SECURITY',
    severity: 'LOW',
    numericSeverity: 30,
    timestamp: n,
    eid: `bench-${n}`,
    name: 'Large transfer',
    message: `Transfer ${n} of a large amount.`,
    meta: { amount: n },
    tags: [],
    ...place,
    txHash: null,
    chainUid: null,
    blockNumber: null,
    blockHash: null,
    walletId: null,
    walletName: null,
    walletChainUid: null,
    walletAddress: null,
    interceptorType: null,
    triggerType: null,
    suppressed: false,
    backfilled: false,
    detectorSchemaName: 'bench',
  };
}
