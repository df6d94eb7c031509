import type { Severity } from './alert.ts';

export const backtestStates = ['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELED'] as const;

/** An alert that would have been raised. */
export type BacktestAlert = {
  severity: Severity;
  name: string;
  message: string;
  timestamp: number;
  blockNumber: number | null;
  txHash: string | null;
  meta: Record<string, unknown>;
};

export type BacktestResult = {
  blocks: number;
  transactions: number;
  evaluations: number;
  alerts: number;
  bySeverity: Partial<Record<Severity, number>>;
  /** Alerts of each UTC day that has some. */
  byDay: { ts: number; count: number }[];
  samples: BacktestAlert[];
  /** Destinations that would have been notified and actions that would have been fired, filters of bindings left aside. */
  notified: { destinationId: number; alerts: number }[];
  fired: { actionId: number; alerts: number }[];
  /** Evaluations that failed, and how the first of them did. */
  faults: number;
  firstFault: string | null;
};
