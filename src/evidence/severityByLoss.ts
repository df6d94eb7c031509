import { Type } from 'typebox';
import type { Severity } from '../model/alert.ts';
import { severityByShare } from './severityByShare.ts';

/** Losses that are severe whatever their share: settings of the detectors that judge losses. */
export const lossMembers = {
  highUsd: lossLimit('HIGH', 1_000_000),
  criticalUsd: lossLimit('CRITICAL', 10_000_000),
};

function lossLimit(severity: Severity, fallback: number) {
  return Type.Number({
    description: `A loss of this many US dollars is ${severity}, however small its share. Counts where the price is known.`,
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
  if (share === 'CRITICAL' || usd === undefined || usd < highUsd) return share;
  return usd >= criticalUsd ? 'CRITICAL' : 'HIGH';
}
