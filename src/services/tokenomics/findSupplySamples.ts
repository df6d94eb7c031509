import { membersOf } from '../../lib/isRecord.ts';
import type { SupplyDetector } from '../../store/contracts/tokenomics.ts';
import { alertTable } from '../../store/search/documents/alertTable.ts';
import { contractScope } from '../../store/search/documents/documentScopes.ts';
import { searchDocuments } from '../../store/search/searchDocuments.ts';
import type { Call } from '../call.ts';
import type { Point } from './plannedAmounts.ts';

const maxSamples = 1000;
const latest = Number.MAX_SAFE_INTEGER;

/** Past samples from alerts: an alert gives the held or circulating amount at a time when it was off its plan. */
export async function findSupplySamples(
  call: Call,
  contract: { id: number; tenantId: number },
  detectors: readonly SupplyDetector[],
  { from = 0, to = latest }: { from?: number; to?: number },
): Promise<{ circulating: Point[]; ofAddress: ReadonlyMap<string, Point[]> }> {
  const circulating: Point[] = [];
  const ofAddress = new Map<string, Point[]>();
  if (detectors.length === 0) return { circulating, ofAddress };
  const ids = detectors.map(({ id }) => id).join(' OR ');
  // The sides are what the index of terms knows of such alerts, however many others the contract has.
  const query = `meta.side:(below OR above OR less OR more) AND detectorId:(${ids})`;
  // Blocks may be of the same second.
  const sort = ['timestamp', 'blockNumber'].map((field) => ({ field, order: 'desc' as const }));
  const search = { query, timeseries: [{ from, to }], size: maxSamples, trackTotalCount: 0, sort };
  const scope = contractScope(contract, 'detector');
  const { data } = await searchDocuments(
    call.services.reports,
    alertTable,
    scope,
    search,
    ['timestamp', 'meta'],
    call.now,
  );
  for (const { timestamp, meta } of data.toReversed()) {
    const { address, balance, circulation } = membersOf(meta);
    if (typeof circulation === 'string')
      circulating.push({ timestamp: Number(timestamp), amount: circulation });
    if (typeof address !== 'string' || typeof balance !== 'string') continue;
    const points = ofAddress.get(address) ?? [];
    ofAddress.set(address, [...points, { timestamp: Number(timestamp), amount: balance }]);
  }
  return { circulating, ofAddress };
}
