import { type Decimal, parseDecimal } from '../../../lib/decimal.ts';
import { isRecord } from '../../../lib/isRecord.ts';
import type { StoryAlert, StoryContract } from './storyAlert.ts';

/** An amount of one asset that an alert says is gone. */
export type AssetLoss = {
  readonly asset: string;
  readonly symbol: string | null;
  readonly amount: Decimal;
  /** Holdings before and after, where the evidence has them. */
  readonly before: Decimal | undefined;
  readonly after: Decimal | undefined;
};

/** Loss by the evidence of one alert. */
export type AlertLoss = {
  readonly assets: readonly AssetLoss[];
  /** US dollars of all assets together. */
  readonly usd: number | undefined;
  readonly recipients: readonly string[];
  /** A sum over a window, which overlaps with those of other alerts. */
  readonly isWindow: boolean;
  /** Nothing but the token says so. */
  readonly isClaimed: boolean;
  /** A payment, which is a loss only where nothing came back. */
  readonly isPayment: boolean;
};

type Meta = StoryAlert['meta'];
type Reader = (meta: Meta, contract: StoryContract | undefined) => Partial<AlertLoss> | undefined;

/** The loss that an alert reports; undefined for an alert about anything else. */
export function readLoss(alert: StoryAlert, contract: StoryContract | undefined): AlertLoss | undefined {
  const { meta, kind, detectorSchemaName } = alert;
  if (kind === 'action' || meta.ended === true) return undefined;
  const reader = kind === 'trigger' ? ofTransfer : readers.get(detectorSchemaName ?? '');
  const loss = reader?.(meta, contract);
  const assets = (loss?.assets ?? []).filter(({ amount }) => amount.units > 0n);
  const usd = toDollars(meta.usd ?? meta.lostUsd);
  if (!loss || (assets.length === 0 && usd === undefined)) return undefined;
  return {
    assets,
    usd,
    recipients: loss.recipients ?? addressesOf(meta.recipients),
    isWindow: loss.isWindow ?? false,
    isClaimed: meta.unverified === true,
    isPayment: loss.isPayment ?? false,
  };
}

/** Evidence of each kind of detector that reports a loss. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['drain', ofChanges],
  ['reentrancy', ofChanges],
  [
    'allowance_drain',
    (meta) => ({
      assets: recordsOf(meta.assets).flatMap((asset) => toLoss(asset, asset.amount)),
    }),
  ],
  [
    'tvl_drop',
    (meta) => ({
      assets: toLoss({ ...meta, asset: meta.token }, meta.drop, meta.before, meta.after),
      recipients: counterpartiesOf(meta.transactions),
    }),
  ],
  [
    'outflow_rate',
    (meta) => ({
      assets: toLoss({ ...meta, asset: meta.token }, meta.outflow, meta.balanceBefore),
      recipients: counterpartiesOf(meta.transactions),
      isWindow: true,
    }),
  ],
  ['flash_loan', (meta) => (meta.lostUsd === undefined ? undefined : {})],
  [
    'illegitimate_transfer',
    (meta, contract) => ({
      assets: contract && meta.kind === 'sum' ? toLoss({ asset: contract.address }, meta.amount) : [],
    }),
  ],
  ['large_transfer', ofTransfer],
  ['utxo_spend', (meta) => ({ assets: toLoss({ ...meta, asset: 'native' }, meta.amount) })],
]);

function ofChanges({ assets }: Meta): Partial<AlertLoss> {
  return {
    assets: recordsOf(assets).flatMap((asset) => {
      const change = toDecimalOf(asset.change);
      if (!change || change.units >= 0n) return [];
      const amount = { units: -change.units, scale: change.scale };
      return toLoss(asset, amount, asset.held);
    }),
  };
}

/** Payments of the contract itself; those among strangers are no loss of it. */
function ofTransfer(meta: Meta, contract: StoryContract | undefined): Partial<AlertLoss> | undefined {
  const { from, to, token } = meta;
  if (contract === undefined || from !== contract.address || typeof to !== 'string') return undefined;
  return {
    assets: toLoss({ ...meta, asset: token ?? 'native' }, meta.amount),
    recipients: addressesOf([to]),
    isPayment: true,
  };
}

function toLoss(named: Meta, amount: unknown, before?: unknown, after?: unknown): AssetLoss[] {
  const lost = toDecimalOf(amount);
  if (!lost || typeof named.asset !== 'string') return [];
  return [
    {
      asset: named.asset.slice(0, maxAddress),
      symbol: typeof named.symbol === 'string' ? named.symbol.slice(0, maxSymbol) : null,
      amount: lost,
      before: toDecimalOf(before),
      after: toDecimalOf(after),
    },
  ];
}

const maxAddress = 130;
const maxSymbol = 40;
/** Evidence names few assets and recipients; a pushed finding may name any number. */
const maxListed = 50;

function recordsOf(value: unknown): Meta[] {
  return Array.isArray(value) ? value.slice(0, maxListed).filter(isRecord) : [];
}

function addressesOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, maxListed)
    .filter((item): item is string => typeof item === 'string' && item.length <= maxAddress);
}

function counterpartiesOf(value: unknown): string[] {
  const found = recordsOf(value).filter(({ direction }) => direction === undefined || direction === 'out');
  return [...new Set(addressesOf(found.map(({ counterparty }) => counterparty)))];
}

/** Undefined for anything but an exact number. */
function toDecimalOf(value: unknown): Decimal | undefined {
  if (isRecord(value)) {
    const { units, scale } = value;
    return typeof units === 'bigint' && typeof scale === 'number' ? { units, scale } : undefined;
  }
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return isPlain.test(String(value)) ? parseDecimal(value) : undefined;
}

const isPlain = /^-?\d{1,90}(\.\d{1,90})?$/;

function toDollars(value: unknown): number | undefined {
  const number = typeof value === 'string' && isPlain.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}
