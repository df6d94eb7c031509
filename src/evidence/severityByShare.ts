import type { Severity } from '../model/alert.ts';

/** Severity of a loss of this many per cent. */
export function severityByShare(percent: number): Severity {
  if (percent >= 50) return 'CRITICAL';
  if (percent >= 20) return 'HIGH';
  return percent >= 5 ? 'MEDIUM' : 'LOW';
}
