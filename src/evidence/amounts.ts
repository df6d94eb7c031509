import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  toDecimal,
} from '../lib/decimal.ts';
import { showNumber } from '../lib/showNumber.ts';

export type AssetFacts = { readonly symbol: string; readonly decimals: number };

/** The word that stands for the chain's own coin where a token may be named. */
export const native = 'native';

/** Of a token that has no contract on an EVM chain or its like: only the transactions that move it tell of it. */
export function isWithoutContract(token: string | undefined): boolean {
  return token !== undefined && token !== native && !token.startsWith('0x');
}

/** `1,234.5 TKN`, for people. */
export function showAmount(units: bigint, { symbol, decimals }: AssetFacts): string {
  return `${groupDigits(formatUnits(units, decimals))} ${symbol}`;
}

/** The coins that a transaction carries, as the end of a sentence; empty for none. */
export function showPayment(value: bigint, coin: AssetFacts): string {
  return value === 0n ? '' : ` with ${showAmount(value, coin)}`;
}

/** The amount in whole tokens, in plain digits. */
export function formatUnits(units: bigint, decimals: number): string {
  return formatDecimal(toDecimal(units, decimals));
}

/** Commas between thousands; a very long fraction is cut and a very long number rounded, since no one reads them. */
export function groupDigits(plain: string): string {
  const [whole = '', fraction = ''] = plain.split('.');
  if (whole.length > longest) return showNumber(BigInt(whole));
  const shown = fraction.slice(0, /^-?0$/.test(whole) ? 18 : 6).replace(/0+$/, '');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown === '' ? '' : `.${shown}`}`;
}

/** Hundreds of billions are seen in real tokens, hundreds of quadrillions only where decimals are missing. */
const longest = 15;

/**
 * Negative, 0 or positive as the amount is below, equal to or above the limit: whole tokens (`1000.5`), or a share of
 * `whole` (`1%`). With unknown decimals, if they matter, the amount counts as more.
 */
export function compareToLimit(
  limit: string,
  units: bigint,
  whole: bigint,
  decimals: () => number | undefined,
): number {
  if (!limit.endsWith('%')) return compareToAmount(limit, units, decimals);
  const percent = parseDecimal(limit.slice(0, -1).trimEnd());
  return compareDecimal(toDecimal(units * 100n), multiplyDecimal(percent, toDecimal(whole)));
}

/** The same for an amount in whole tokens. One that is too small even in smallest units is so whatever the decimals. */
export function compareToAmount(amount: string, units: bigint, decimals: () => number | undefined): number {
  const limit = parseDecimal(amount);
  if (compareDecimal(toDecimal(units), limit) < 0) return -1;
  const places = decimals();
  return places === undefined ? 1 : compareDecimal(toDecimal(units, places), limit);
}

/** The share in per cent with up to four decimals; of nothing, everything is all. */
export function percentOf(part: bigint, whole: bigint): number {
  if (whole === 0n) return part === 0n ? 0 : 100;
  return Number((part * 1_000_000n) / whole) / 10_000;
}

/** The quotient, cut after 18 decimals; undefined when there is nothing to divide by. */
export function ratioOf(part: Decimal, whole: Decimal): Decimal | undefined {
  if (whole.units === 0n) return undefined;
  const units = part.units * 10n ** BigInt(whole.scale + 18);
  return toDecimal(units / (whole.units * 10n ** BigInt(part.scale)), 18);
}
