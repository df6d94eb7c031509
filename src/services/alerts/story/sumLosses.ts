import { addDecimal, compareDecimal, type Decimal, formatDecimal } from '../../../lib/decimal.ts';
import { groupBy } from '../../../lib/groupBy.ts';
import { severityOf } from '../../../model/alert.ts';
import type { AlertLoss, AssetLoss } from './readLoss.ts';
import { momentOf, type StoryAlert } from './storyAlert.ts';

/** An alert with the loss that it reports. */
export type LossAlert = { alert: StoryAlert; loss: AlertLoss };

/** Loss of one contract in one asset. */
export type IncidentLoss = {
  contractId: number;
  asset: string;
  symbol: string | null;
  /** Whole tokens. */
  amount: string;
  /** Holdings before the first and after the last loss, where the evidence has them. */
  before: string | null;
  after: string | null;
  /** Share of the holdings that is gone. */
  percent: number | null;
  /** Nothing but the token says so. */
  isClaimed: boolean;
  /** The alert that says most about it. */
  alertUid: string;
};

export type IncidentLosses = { losses: IncidentLoss[]; usd: number | null; recipients: string[] };

/** Loss that a trace of a transaction denies: by asset and contract, true where the contract has no less than before. */
export type IsUnchanged = (contractId: number, asset: string, txHash: string | null) => boolean;

/**
 * The losses of contracts by the evidence of alerts. Of several detectors the largest sum within a block counts, and blocks add up.
 * Claims of unverified tokens count only alone.
 */
export function sumLosses(all: readonly LossAlert[], isUnchanged: IsUnchanged = () => false): IncidentLosses {
  const counted = all.filter(
    ({ alert, loss }) => !loss.isPayment || alert.numericSeverity >= severityOf.HIGH,
  );
  const sure = counted.filter(({ loss }) => !loss.isClaimed);
  const used = sure.length > 0 ? sure : counted;
  const items = used.flatMap(({ alert, loss }) =>
    loss.assets.map((asset): Item => ({ alert, loss, asset, name: asset.asset.toLowerCase() })),
  );
  const real = items.filter(
    ({ alert, loss, name }) => !loss.isPayment || !isUnchanged(alert.contractId, name, alert.txHash),
  );
  const groups = groupBy(real, ({ alert, name }) => `${alert.contractId} ${name}`);
  const losses = Array.from(groups.values(), toLoss).sort(
    (a, b) => (b.percent ?? 0) - (a.percent ?? 0) || Number(b.amount) - Number(a.amount),
  );
  const recipients = new Set(used.flatMap(({ loss }) => loss.recipients));
  return { losses, usd: sumDollars(used), recipients: [...recipients] };
}

type Item = LossAlert & { asset: AssetLoss; name: string };

function toLoss(items: readonly [Item, ...Item[]]): IncidentLoss {
  const [first] = items;
  const inOrder = items.toSorted((a, b) => a.alert.timestamp - b.alert.timestamp);
  const sums = items.filter(({ loss }) => !loss.isWindow);
  const blocks = Array.from(
    groupBy(sums, ({ alert }) => momentOf(alert)).values(),
    (block) => largest(Array.from(groupBy(block, sourceOf).values(), sumOf)) ?? zero,
  );
  const windows = items.filter(({ loss }) => loss.isWindow).map(({ asset }) => asset.amount);
  const amount = largest([blocks.reduce(addDecimal, zero), ...windows]) ?? zero;
  const before = inOrder.find(({ asset }) => asset.before)?.asset.before;
  const last = inOrder.findLast(({ asset }) => asset.after ?? asset.before);
  const after = last && (last.asset.after ?? subtract(last.asset.before!, last.asset.amount));
  const strongest = items.toSorted((a, b) => b.alert.numericSeverity - a.alert.numericSeverity)[0]!;
  return {
    contractId: first.alert.contractId,
    asset: first.name,
    symbol: items.find(({ asset }) => asset.symbol)?.asset.symbol ?? null,
    amount: formatDecimal(amount),
    before: before ? formatDecimal(before) : null,
    after: after ? formatDecimal(after) : null,
    percent: before && before.units > 0n ? percentOf(amount, before) : null,
    isClaimed: first.loss.isClaimed,
    alertUid: strongest.alert.uid,
  };
}

const zero: Decimal = { units: 0n, scale: 0 };

function sourceOf({ alert: { kind, detectorId, triggerId, detectorSchemaName } }: LossAlert): string {
  return `${kind} ${detectorId ?? triggerId} ${detectorSchemaName}`;
}

function sumOf(items: readonly Item[]): Decimal {
  return items.reduce((sum, { asset }) => addDecimal(sum, asset.amount), zero);
}

function largest(amounts: readonly Decimal[]): Decimal | undefined {
  return amounts.reduce<Decimal | undefined>(
    (most, amount) => (most && compareDecimal(most, amount) >= 0 ? most : amount),
    undefined,
  );
}

function subtract(from: Decimal, amount: Decimal): Decimal {
  const rest = addDecimal(from, { units: -amount.units, scale: amount.scale });
  return rest.units < 0n ? zero : rest;
}

/** At most 100: what came in between may have been taken as well. */
function percentOf(part: Decimal, whole: Decimal): number {
  const scale = BigInt(Math.max(part.scale, whole.scale));
  const units = ({ units, scale: places }: Decimal) => units * 10n ** (scale - BigInt(places));
  return Math.min(100, Number((units(part) * 10_000n) / units(whole)) / 100);
}

/** Dollars of an alert cover all its assets, so that they are summed by contract and block as amounts are. */
function sumDollars(all: readonly LossAlert[]): number | null {
  const priced = all.flatMap((item) =>
    item.loss.usd === undefined ? [] : [{ ...item, usd: item.loss.usd }],
  );
  if (priced.length === 0) return null;
  const byContract = groupBy(priced, ({ alert }) => alert.contractId);
  let sum = 0;
  for (const items of byContract.values()) {
    const blocks = groupBy(
      items.filter(({ loss }) => !loss.isWindow),
      ({ alert }) => momentOf(alert),
    );
    let inBlocks = 0;
    for (const block of blocks.values()) {
      const sources = groupBy(block, sourceOf);
      inBlocks += Math.max(
        ...Array.from(sources.values(), (list) => list.reduce((total, { usd }) => total + usd, 0)),
      );
    }
    const windows = items.filter(({ loss }) => loss.isWindow).map(({ usd }) => usd);
    sum += Math.max(inBlocks, ...windows, 0);
  }
  return Math.round(sum * 100) / 100;
}
