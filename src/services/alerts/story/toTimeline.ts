import { groupBy } from '../../../lib/groupBy.ts';
import type {
  StoryChange,
  StoryComment,
  StoryDelivery,
  StoryIntent,
} from '../../../store/alerts/incidentStory.ts';
import type { FundedAddress } from '../../../store/watch/funding.ts';
import type { TransactionDigest } from './digestTransaction.ts';
import type { Fold } from './foldAlerts.ts';
import type { StoryAlert } from './storyAlert.ts';
import type { LossAlert } from './sumLosses.ts';

export const stepTypes = [
  'FUNDING',
  'DEPLOYMENT',
  'TRANSACTION',
  'ALERT',
  'NOTIFICATION',
  'ACTION',
  'ACKNOWLEDGEMENT',
  'CHANGE',
  'COMMENT',
  'RETRACTION',
] as const;

type StepAlert = Pick<
  StoryAlert,
  'uid' | 'severity' | 'status' | 'name' | 'message' | 'timestamp' | 'contractId' | 'finality'
>;

export type Step = {
  at: number;
  type: (typeof stepTypes)[number];
  /** Waves of the same incident, counted from 1: a new one begins after a minute without a transaction. */
  wave: number;
  chainUid: string | null;
  blockNumber: number | null;
  txHash: string | null;
  /** Addresses of the step: who acted, and on what. */
  from: string | null;
  to: string | null;
  /** A person, destination, action or state; text of people. */
  text: string | null;
  /** The state of a delivery or an action, or the verb of a change. */
  state: string | null;
  /** Undelivered and failed steps have a reason. */
  reason: string | null;
  /** Of a delivery: how many went out at once. */
  count: number;
  /** It takes part in a loss. */
  isLoss: boolean;
  alert: StepAlert | null;
  folded: StepAlert[];
  /** Folded alerts beyond those that are listed. */
  foldedMore: number;
};

type Input = {
  folds: readonly Fold[];
  losing: readonly LossAlert[];
  digests: ReadonlyMap<string, TransactionDigest>;
  funding: readonly FundedAddress[];
  /** Addresses whose creation by a transaction makes that a deployment of the attack. */
  attackers: ReadonlySet<string>;
  deliveries: readonly StoryDelivery[];
  intents: readonly StoryIntent[];
  changes: readonly StoryChange[];
  comments: readonly StoryComment[];
  alerts: readonly StoryAlert[];
};

/** Steps beyond this are counted; those that matter most are kept. */
const maxSteps = 200;
const maxFolded = 20;
const waveGapMs = 60_000;

/** Everything that happened, in its order: on the chain, and what Vigil and people did. */
export function toTimeline(input: Input): { steps: Step[]; leftOut: number } {
  const all = [
    ...input.funding.map(toFunding),
    ...toTransactions(input),
    ...toNotifications(input.deliveries),
    ...input.intents.flatMap(toActions),
    ...input.changes.map(toChange),
    ...input.comments.map(toComment),
    ...toRetractions(input.alerts),
  ];
  const kept = new Set(all.toSorted((a, b) => weightOf(b) - weightOf(a) || a.at - b.at).slice(0, maxSteps));
  const steps = all.filter((step) => kept.has(step)).sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b));
  countWaves(steps);
  return { steps, leftOut: all.length - steps.length };
}

const plain: Omit<Step, 'at' | 'type'> = {
  wave: 1,
  chainUid: null,
  blockNumber: null,
  txHash: null,
  from: null,
  to: null,
  text: null,
  state: null,
  reason: null,
  count: 1,
  isLoss: false,
  alert: null,
  folded: [],
  foldedMore: 0,
};

function toFunding(funded: FundedAddress): Step {
  const { address, source, tags, transactionHash, blockNumber, timestamp } = funded;
  return {
    ...plain,
    at: timestamp,
    type: 'FUNDING',
    blockNumber,
    txHash: transactionHash,
    from: source,
    to: address,
    text: tags.join(', '),
  };
}

function toTransactions({ folds, losing, digests, attackers }: Input): Step[] {
  const losses = new Set(losing.map(({ alert }) => alert.uid));
  return folds.map((fold): Step => {
    const { at, chainUid, blockNumber, txHash, strongest, folded } = fold;
    const digest = txHash === null ? undefined : digests.get(txHash);
    const isDeployment =
      strongest.detectorSchemaName === 'suspicious_deployment' ||
      (digest?.to === null && digest.created.some((address) => attackers.has(address)));
    const created = digest?.created[0] ?? strongest.meta.contractAddress;
    return {
      ...plain,
      at,
      type: isDeployment ? 'DEPLOYMENT' : txHash === null ? 'ALERT' : 'TRANSACTION',
      chainUid,
      blockNumber,
      txHash,
      from: digest?.from ?? (typeof strongest.meta.sender === 'string' ? strongest.meta.sender : null),
      to: isDeployment ? (typeof created === 'string' ? created : null) : (digest?.to ?? null),
      state: digest?.isReverted ? 'FAILED' : null,
      isLoss: [strongest, ...folded].some(({ uid }) => losses.has(uid)),
      alert: toStepAlert(strongest),
      folded: folded.slice(0, maxFolded).map(toStepAlert),
      foldedMore: Math.max(0, folded.length - maxFolded),
    };
  });
}

function toStepAlert(alert: StoryAlert): StepAlert {
  const { uid, severity, status, name, message, timestamp, contractId, finality } = alert;
  return {
    uid,
    severity,
    status,
    name: name.slice(0, 200),
    message: message.slice(0, 1000),
    timestamp,
    contractId,
    finality,
  };
}

/** One step for all messages that were made at once. */
function toNotifications(deliveries: readonly StoryDelivery[]): Step[] {
  const groups = groupBy(
    deliveries,
    ({ createdAt, destinationId, state, type }) =>
      `${Math.floor(createdAt / togetherMs)} ${destinationId} ${state} ${type}`,
  );
  return Array.from(groups.values(), (group): Step => {
    const [{ destinationName, destinationId, state, type }] = group;
    const last = group.at(-1)!;
    return {
      ...plain,
      at: Math.min(...group.map(({ deliveredAt, createdAt }) => deliveredAt ?? createdAt)),
      type: 'NOTIFICATION',
      text: destinationName ?? `destination #${destinationId}`,
      state,
      reason: state === 'DELIVERED' ? type : (last.lastError ?? type),
      count: group.length,
    };
  });
}

const togetherMs = 10_000;

function toActions(intent: StoryIntent): Step[] {
  const { actionName, state, reason, txHash, chainUid, minedBlock, createdAt, updatedAt } = intent;
  const step = { ...plain, type: 'ACTION' as const, chainUid, txHash, text: actionName };
  const fired: Step = { ...step, at: createdAt, state: 'FIRED', txHash: null };
  if (state === 'WAITING') return [{ ...fired, state, reason }];
  return [fired, { ...step, at: updatedAt, state, reason, blockNumber: minedBlock }];
}

function toChange({ at, verb, by, text }: StoryChange): Step {
  const isAcknowledgement = verb === 'acknowledge' || verb === 'unacknowledge';
  return {
    ...plain,
    at,
    type: isAcknowledgement ? 'ACKNOWLEDGEMENT' : 'CHANGE',
    text: by,
    state: verb,
    reason: text,
  };
}

function toComment({ at, author, text }: StoryComment): Step {
  return { ...plain, at, type: 'COMMENT', text: author, reason: text.slice(0, 1000) };
}

/** Alerts that went together, by reason. */
function toRetractions(alerts: readonly StoryAlert[]): Step[] {
  const gone = alerts.filter(({ retractedAt }) => retractedAt !== null);
  const groups = groupBy(
    gone,
    ({ retractedAt, retractionReason }) =>
      `${Math.floor((retractedAt ?? 0) / 1000)} ${retractionReason ?? 'REORGANISED'}`,
  );
  return Array.from(
    groups.values(),
    (group): Step => ({
      ...plain,
      at: Math.max(...group.map(({ retractedAt }) => retractedAt ?? 0)),
      type: 'RETRACTION',
      chainUid: group[0].chainUid,
      txHash: group[0].txHash,
      blockNumber: group[0].blockNumber,
      state: group[0].retractionReason ?? 'REORGANISED',
      count: group.length,
    }),
  );
}

/** Acts of people and losses come before alerts without one. */
function weightOf({ type, isLoss, alert }: Step): number {
  if (type === 'ACKNOWLEDGEMENT' || type === 'CHANGE' || type === 'ACTION' || type === 'FUNDING') return 200;
  if (isLoss) return 190;
  if (type === 'DEPLOYMENT' || type === 'RETRACTION') return 180;
  if (type === 'COMMENT') return 100;
  return alert ? severityWeight[alert.severity] : 60;
}

const severityWeight = { INFO: 10, LOW: 30, MEDIUM: 50, HIGH: 70, CRITICAL: 90 } as const;

/** Of one moment: causes before what followed from them. */
function rankOf({ type }: Step): number {
  return stepTypes.indexOf(type);
}

function countWaves(steps: readonly Step[]): void {
  let wave = 1;
  let before: number | undefined;
  for (const step of steps) {
    if (step.type === 'TRANSACTION' || step.type === 'ALERT') {
      if (before !== undefined && step.at - before >= waveGapMs) wave += 1;
      before = step.at;
    }
    step.wave = wave;
  }
}
