import { formatUnits } from '../../evidence/amounts.ts';
import { findHoldings } from '../../store/contracts/holdingSamples.ts';
import { contractTable } from '../../store/tables/contractTable.ts';
import type { Call } from '../call.ts';
import { findReadable } from '../records/findReadable.ts';

type Point = { timestamp: number; blockNumber: number; amount: string; usd: string | null };
export type AssetHoldings = { asset: string; symbol: string; decimals: number; points: Point[] };

/** Points of an asset over the whole range, and of all assets together. */
const steps = 240;
const maxPoints = 5000;

/** Holdings of a contract over time, as its detectors saw them; assets by their worth now, those without a price last. */
export async function readHoldings(
  call: Call,
  id: number,
  { from, to }: { from: number; to: number },
): Promise<{ data: AssetHoldings[] }> {
  const contract = await findReadable(call, contractTable, id);
  const stepMs = Math.max(1, Math.ceil((to - from + 1) / steps));
  const rows = await findHoldings(call.db, contract, { from, to, stepMs, limit: maxPoints });
  const assets = new Map<string, AssetHoldings>();
  for (const { asset, symbol, decimals, timestamp, blockNumber, units, usd } of rows) {
    const holdings = assets.get(asset) ?? { asset, symbol, decimals, points: [] };
    assets.set(asset, holdings);
    holdings.points.push({ timestamp, blockNumber, amount: formatUnits(BigInt(units), decimals), usd });
  }
  const data = [...assets.values()].map((one) => ({ ...one, points: one.points.reverse() }));
  return { data: data.sort((a, b) => worthOf(b) - worthOf(a) || (a.asset < b.asset ? -1 : 1)) };
}

function worthOf({ points }: AssetHoldings): number {
  return Number(points.at(-1)?.usd ?? -1);
}
