import { severities } from './enumerations.ts';
export const severityOf = { INFO: 10, LOW: 30, MEDIUM: 50, HIGH: 70, CRITICAL: 90 } as const;
export type Severity = keyof typeof severityOf;

/** The name of a severity that is stored as its number. */
export function toSeverity(numericSeverity: number): Severity {
  const name = severities.find((severity) => severityOf[severity] === numericSeverity);
  if (name === undefined) throw new Error(`There is no severity ${numericSeverity}.`);
  return name;
}

export function isSevere(severity: Severity): boolean {
  return severityOf[severity] >= severityOf.HIGH;
}

export const alertKinds = ['detector', 'trigger', 'action'] as const;
export type AlertKind = (typeof alertKinds)[number];
/** The groups of a histogram: two for detectors, one each for the others. */
export const alertGroups = ['SECURITY', 'COMPLIANCE', 'action', 'trigger'] as const;
export type AlertGroup = (typeof alertGroups)[number];
/** A detector whose schema has one of these tags raises COMPLIANCE alerts, any other SECURITY. */
export const complianceTags: readonly string[] = ['COMPLIANCE', 'FINANCIAL'];

/** Finality of the block of an alert; PENDING: no block has its transaction yet. */
export const finalities = ['PENDING', 'HEAD', 'CONFIRMED', 'FINAL'] as const;

/**
 * Reasons of a retraction: the block left the chain, or the pending transaction was replaced by its sender, was
 * dropped, or did something else in its block.
 */
export const retractionReasons = ['REORGANISED', 'REPLACED', 'DROPPED', 'UNFULFILLED'] as const;
export type RetractionReason = (typeof retractionReasons)[number];

/** Indexes of the transaction in its block, and of the log in its transaction; -1 without a log. */
export type Position = { readonly transaction: number; readonly log: number };

/** Something that was found, before it is an alert. */
export type Finding = {
  tenantId: number;
  projectId: number;
  contractId: number;
  kind: AlertKind;
  group: AlertGroup;
  severity: Severity;
  /** Epoch milliseconds of what was found (its block's time), not of when it was found. */
  timestamp: number;
  /** Identifies the finding: raising the same key at the same timestamp again adds nothing. */
  key: string;
  eid: string;
  name: string;
  message: string;
  meta: Record<string, unknown>;
  tags: readonly string[];
  txHash?: string | null;
  chainUid?: string | null;
  blockNumber?: number | null;
  blockHash?: string | null;
  /** Position in its block: its transaction, then its log. */
  position?: Position;
  /** Position in its transaction: the same in every block, and in none. */
  place?: string;
  /** The sender of its transaction, the foreign contract that this called, and the receiver of losses: not stored. */
  actors?: readonly string[];
  /** The sender of its transaction, and the account that the sender called: not stored. */
  initiators?: readonly string[];
  /** The planned change by which it was judged: not stored with it. */
  planned?: { plannedChangeId: number; expectation: number; isMatch: boolean; amount: string | null };
  /** Senders of transactions of its block, where nothing says yet which of them it was: not stored. */
  suspects?: readonly string[];
  /** No block has its transaction yet. */
  isPending?: boolean;
  /** Of the alert that it is, where that was raised while its transaction was pending. */
  uid?: string;
  /** Repeats when the same is found again: the detector or trigger and its message, without numbers and addresses. */
  cause?: string;
  detectorId?: number;
  /** The kind of the detector. */
  detectorSchemaName?: string;
  /** Advice to a person on the first step; notified, but not stored. */
  nextStep?: string;
  triggerId?: number;
  actionId?: number;
  walletId?: number;
  walletName?: string;
  walletChainUid?: string;
  walletAddress?: string;
  interceptorType?: string;
  triggerType?: string;
  /** Stored, but over the plan's rate limit: no one is notified. */
  suppressed?: boolean;
  /** It reports that a condition has ended: it fires no action. */
  isEnd?: true;
  /** Stored and scored, but pushed too long after it happened: no one is notified, and it fires only actions that allow its age. */
  backfilled?: boolean;
};

/** A finding that became an alert. */
export type RaisedAlert = {
  finding: Finding;
  uid: string;
  /** The incident that it belongs to, if any, and which of its alerts it is, from 1. */
  incident?: { uid: string; number: number };
};

/** Members of the alert itself that a message template may name, beside those of its finding. */
export const templateMembers: readonly string[] = [
  'severity',
  'name',
  'tags',
  'timestamp',
  'projectId',
  'contractId',
  'chainUid',
  'blockNumber',
  'blockHash',
  'txHash',
  'eid',
];

/**
 * Names alerts about transactions whose calls could not be seen. They fire no action: anyone can make such a transaction for
 * little.
 */
export const blindSpot = 'blind_spot';

/** The kind of detector that counts alerts. */
export const alertRateKind = 'alert_rate';
/** Advice to a person about the end of a condition. */
export const endNextStep = 'It is over: find out why it began, unless someone has.';

/** Alerts of a detector on trial have this tag: they notify no one, fire no action and change no score. */
export const shadowTag = 'shadow';

export function isShadow({ tags }: { tags: readonly string[] }): boolean {
  return tags.includes(shadowTag);
}
