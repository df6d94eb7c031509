import type { alertKinds, finalities, RetractionReason, Severity } from '../../../model/alert.ts';

/** Members of an alert from which the story of its incident is made. */
export const storyAlertNames = [
  'uid',
  'kind',
  'timestamp',
  'contractId',
  'detectorId',
  'triggerId',
  'actionId',
  'detectorSchemaName',
  'numericSeverity',
  'severity',
  'status',
  'finality',
  'name',
  'message',
  'chainUid',
  'txHash',
  'blockNumber',
  'blockHash',
  'retractedAt',
  'retractionReason',
  'acknowledgedAt',
  'acknowledgedBy',
  'meta',
] as const;

export type StoryAlert = {
  uid: string;
  kind: (typeof alertKinds)[number];
  timestamp: number;
  contractId: number;
  detectorId: number | null;
  triggerId: number | null;
  actionId: number | null;
  detectorSchemaName: string | null;
  numericSeverity: number;
  severity: Severity;
  status: 'UNRESOLVED' | 'RESOLVED' | 'RETRACTED';
  finality: (typeof finalities)[number];
  name: string;
  message: string;
  chainUid: string | null;
  txHash: string | null;
  blockNumber: number | null;
  blockHash: string | null;
  retractedAt: number | null;
  retractionReason: RetractionReason | null;
  acknowledgedAt: number | null;
  acknowledgedBy: string | null;
  meta: Readonly<Record<string, unknown>>;
};

/** A contract of the tenant that the alerts are about. */
export type StoryContract = { id: number; name: string; address: string; chainUid: string };

/** The transaction never did this: retracted for that reason, or kept because an action was signed for it. */
export function isPrevented({ status, retractionReason, meta }: StoryAlert): boolean {
  if (meta.unfulfilled === true) return true;
  return status === 'RETRACTED' && retractionReason !== null && retractionReason !== 'REORGANISED';
}

/** The block in which an alert was raised, or its transaction while there is none. */
export function momentOf({ chainUid, blockNumber, txHash, uid }: StoryAlert): string {
  if (blockNumber !== null) return `${chainUid} block ${blockNumber}`;
  return txHash === null ? uid : `${chainUid} ${txHash}`;
}
