import { showDuration } from '../../lib/duration.ts';
import { isRecord } from '../../lib/isRecord.ts';
import { showValue } from '../../lib/showValue.ts';
import type { EvidenceMember } from '../../model/evidenceReadings.ts';
import { toTime } from './readData.ts';

/** A member of the evidence with its unit. It is as the chain has it, so that whatever shows it must find no link or mention in it. */
export function showEvidence({ format, value }: EvidenceMember, symbol: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && value > 1e12 && value < 1e13) return toTime(value);
  const number = numberIn(value);
  if (number === undefined)
    return Array.isArray(value) && value.some(isAsset) ? showAssets(value) : showValue(value);
  switch (format) {
    case 'percent':
      return `${number} %`;
    case 'usd':
      return `${groupDigits(number)} USD`;
    case 'amount':
      return `${groupDigits(number)} ${symbol}`.trim();
    case 'seconds':
      return showDuration(Number(number) * 1000);
    case 'minutes':
      return showDuration(Number(number) * 60_000);
    case 'milliseconds':
      return `${groupDigits(number)} ms`;
    case 'time':
    case 'plain':
      return showValue(value);
  }
}

function numberIn(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return /^-?\d{1,60}(\.\d{1,30})?$/.test(text) ? text : undefined;
}

function isAsset(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && typeof value.asset === 'string';
}

const maxAssets = 5;

/** `-500,000 DUSD (100 %), -3 ETH (5 %)`. */
function showAssets(assets: readonly unknown[]): string {
  const shown = assets
    .filter(isAsset)
    .slice(0, maxAssets)
    .map(({ asset, symbol, change, amount, percent }) => {
      const number = numberIn(change ?? amount);
      const share = numberIn(percent);
      const named = showValue(symbol ?? asset, 60);
      return `${number === undefined ? '' : `${groupDigits(number)} `}${named}${share ? ` (${share} %)` : ''}`;
    });
  return shown.join(', ') + (assets.length > maxAssets ? ` and ${assets.length - maxAssets} more` : '');
}

/** Commas between thousands. */
export function groupDigits(plain: string): string {
  const [whole = '', fraction] = plain.split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction === undefined ? '' : `.${fraction.slice(0, 6)}`}`;
}
