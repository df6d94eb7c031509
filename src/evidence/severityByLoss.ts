import { Type } from 'typebox';
import type { Severity } from '../model/alert.ts';
import { severityByShare } from './severityByShare.ts';

/** Losses that are severe whatever their share: settings of the detectors that judge losses. */
export const lossMembers = {
  highUsd: lossLimit('HIGH, if it is at least 2 % of what was held', 1_000_000),
  criticalUsd: lossLimit('CRITICAL, however small its share', 10_000_000),
};

/** Of what is held in hundreds of millions, a million leaves many times a day. */
const leastPercent = 2;

function lossLimit(severity: string, fallback: number) {
  return Type.Number({
    description: `A loss of this many US dollars is ${severity}. Counts where the price is known.`,
    default: fallback,
    minimum: 0,
    maximum: 1e15,
  });
}

/** The severity by the share that is lost or by what the loss is worth, whichever is more. */
export function severityByLoss(
  percent: number,
  usd: number | undefined,
  { highUsd, criticalUsd }: { highUsd: number; criticalUsd: number },
): Severity {
  const share = severityByShare(percent);
  if (share === 'CRITICAL' || usd === undefined) return share;
  if (usd >= criticalUsd) return 'CRITICAL';
  return usd >= highUsd && percent >= leastPercent ? 'HIGH' : share;
}
