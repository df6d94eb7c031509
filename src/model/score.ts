import type { AlertGroup, AlertKind, Severity } from './alert.ts';

/** An alert as the scripts of a license see it in `e`: only what never changes any more. */
export type AlertEvent = {
  type: 'alert';
  uid: string;
  kind: AlertKind;
  group: AlertGroup;
  severity: Severity;
  numericSeverity: number;
  timestamp: number;
  eid: string;
  name: string;
  message: string;
  meta: Record<string, unknown>;
  tags: readonly string[];
  tenantId: number;
  projectId: number;
  contractId: number;
  txHash: string | null;
  chainUid: string | null;
  blockNumber: number | null;
  blockHash: string | null;
  detectorId: number | null;
  triggerId: number | null;
  actionId: number | null;
  walletId: number | null;
  walletName: string | null;
  walletChainUid: string | null;
  walletAddress: string | null;
  interceptorType: string | null;
  triggerType: string | null;
  suppressed: boolean;
  backfilled: boolean;
  /** Null unless a detector raised it. */
  detectorSchemaName: string | null;
};

/** The clock: the license asked for it by `tick` in its params. */
export type TickEvent = { type: 'tick'; timestamp: number };

export type ScoreEvent = AlertEvent | TickEvent;

/** Effect of an event on the score of one group. */
export type ScoreStep = {
  scoreGroup: string;
  base: number;
  requested: number;
  score: number;
  scoreChange: number;
  key: string;
  value: number;
};

/** Fault that ends the scoring of an instance. */
export type ScoreFault = {
  script: 'groupScript' | 'scoreScript' | 'params';
  code: 'syntax' | 'time' | 'memory' | 'thrown' | 'result';
  message: string;
  line: number | null;
  column: number | null;
  /** Time of the change, and its alert, if it was one. */
  at: number;
  alertId: string | null;
};
