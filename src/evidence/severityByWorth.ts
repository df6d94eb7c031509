import { Type } from 'typebox';
import type { Severity } from '../model/alert.ts';

/** Settings of detectors that judge what others lose, where there is no share to judge by. */
export const worthMembers = {
  minUsd: Type.Number({
    description: 'A loss of less US dollars is not reported; from this on it is MEDIUM.',
    default: 10_000,
    minimum: 1,
    maximum: 1e15,
  }),
  highUsd: limit('HIGH', 100_000),
  criticalUsd: limit('CRITICAL', 1_000_000),
};

function limit(severity: Severity, fallback: number) {
  return Type.Number({
    description: `A loss of this many US dollars is ${severity}.`,
    default: fallback,
    minimum: 1,
    maximum: 1e15,
  });
}

export function severityByWorth(worth: number, high: number, critical: number): Severity {
  if (worth >= critical) return 'CRITICAL';
  return worth >= high ? 'HIGH' : 'MEDIUM';
}
