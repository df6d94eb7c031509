// Generated from the OpenAPI document by `npm run client`; do not edit it by hand.

import type { DetectorOf, TriggerOf } from './configs.ts';

export type AcceptInviteBody = {
  /** How the user is called. */
  name: string;
  /** 12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own names are refused. */
  password: string;
};

export type AcceptShareBody = {
  /** The tenant that the project is shared with; your own if left out. */
  tenantId?: number;
};

export type AcceptShareReply = {
  /** The project. */
  projectId: number;
  /** Name of the project. */
  name: string;
  /** The tenant that shares it. */
  ownerTenantId: number;
  /** Name of that tenant. */
  ownerName: string;
  /** Whether your tenant has accepted. */
  status: AcceptShareReplyStatus;
};

/** Whether your tenant has accepted. */
export type AcceptShareReplyStatus = 'OFFERED' | 'ACCEPTED' | 'DECLINED';

export type AcknowledgeAlertBody = {
  /** Until when: then it is unacknowledged again. Null for as long as it takes. In epoch milliseconds. */
  until?: number | null;
  /** What others should know; it becomes a comment. */
  note?: string;
};

export type Action = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** Wallet that signs the call; on the chain of the contract. */
  walletId: number;
  /** The contract to call. */
  contractId: number;
  /** What to call it. */
  name: string;
  /** Signature of the function to call. */
  funcSignature: string;
  /** Call parameters. */
  params: CreateActionBodyParam[];
  /** ABI of the function. */
  funcAbi: Record<string, unknown>;
  /** market, slow, fast, fastest, or a price: in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar. */
  gasPrice: string;
  /** Most gas, energy or compute units that the call may use; estimated if null. */
  gasLimit: number | null;
  /** Tip in gwei, where the chain has tips; estimated if empty or null. */
  gasTip: string | null;
  /** What the action is for. */
  description: string | null;
  /** Destinations notified of what the action does. */
  destinations: CreateTriggerReplyAlertDestination[];
  /** Detectors whose alerts fire the action. */
  detectors: CreateActionReplyDetector[];
  /** Trigger alerts that fire the action. */
  triggerAlerts: CreateActionReplyTriggerAlert[];
  /** When an alert fires it: while its transaction is pending, priced to be mined before it; as soon as a block has it; or when that block has the confirmations of the chain. */
  fireAt: 'pending' | 'head' | 'confirmed';
  /** How old an alert may be when it is raised to fire the action, in milliseconds; an hour if left out, any age if null. An older one, found while Vigil catches up, notifies but leaves a skipped intent. */
  maxAlertAge: number | null;
  /** Whether its calls go before the others of the tenant, in a lane of their own. Null: those fired by alerts of severity HIGH or CRITICAL, while a transaction is pending, or by hand. */
  urgent: boolean | null;
  /** What the scripts of bindings may fill where the wallet asks for approvals, each with `values`, `min` and `max`, or `any`. All other parameters are as `params` gives them. */
  openParams: CreateActionBodyOpenParam[];
};

export type ActionAlertAggregationBody = {
  /** What to compute. */
  aggregation: ActionAlertAggregationBodyAggregation[];
  /** Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field. */
  query?: string;
  /** Ranges of timestamps; what lies in none of them is not read. */
  timeseries?: QuerySearchTimeseries[];
  /** Up to which value `total` is counted; 0 disables it and returns 0. */
  trackTotalCount?: number;
};

export type ActionAlertAggregationBodyAggregation = {
  /** The name of the result; unique among its neighbours. A nested item cannot be called key or like a metric. */
  name: string;
  /** The field that is grouped and measured; only `count` alone can do without. */
  field?: string;
  /** Number of buckets of terms to return. */
  size?: number;
  /** The order of the buckets; the largest first if left out. */
  sort?: ActionAlertAggregationBodyAggregationSort[];
  /** Leaves only these of the alerts to the item, in the same syntax. */
  query?: string;
  /** The length of a bucket of `date_histogram`: one of 1y, 1q, 1M, 1w, 1d, 1h, 1m, 1s, or a multiple such as 90m. */
  interval?: string;
  /** Time zone of the days of `date_histogram`; UTC if left out. */
  timezone?: string;
  /** Kind words and nested items; `terms` if left out. */
  aggregation?: unknown[];
};

export type ActionAlertAggregationBodyAggregationSort = {
  /** `_count`, `_key`, a metric that `aggregation` lists, or `child.metric` of a nested item without buckets. Buckets that are equal so far are sorted by key. */
  field: string;
  /** The direction; `_count` descends if left out, all else ascends. */
  order?: 'asc' | 'desc';
  /** Another name for `order`. */
  direction?: 'asc' | 'desc';
};

export type ActionAlertAggregationReply = {
  /** Number of alerts that the query finds, counted up to `trackTotalCount`. */
  total: number;
  /** The result of every item, by its name. */
  data: Record<string, unknown>;
  /** Only where a search over all tenants lacks the documents of some workers: their names. */
  partial?: string[];
};

/** The transaction of an action is confirmed. */
export type ActionConfirmedWebhook = {
  /** What happened. */
  type: 'action.confirmed';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** An action failed. */
export type ActionFailedWebhook = {
  /** What happened. */
  type: 'action.failed';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

export type ActionIntentReply = {
  /** When alerts fire the action. */
  fireAt: 'pending' | 'head' | 'confirmed';
  /** The intents. */
  data: ExecuteActionReply[];
};

export type ActionPage = {
  /** The records of this page. */
  data: CreateActionReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** The transaction of an action was sent again with a higher fee. */
export type ActionReplacedWebhook = {
  /** What happened. */
  type: 'action.replaced';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** The transaction of an action was sent. */
export type ActionSubmittedWebhook = {
  /** What happened. */
  type: 'action.submitted';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** The wallet of an action has too little to pay for it. */
export type ActionWaitingWebhook = {
  /** What happened. */
  type: 'action.waiting';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** What stands at the address. */
export type AddressType = 'CONTRACT' | 'WALLET' | 'ENTITY';

export type Alert = Required<Omit<WebhookAlert, 'contract' | 'project' | 'incident' | 'nextStep' | 'nextSteps' | 'runbookUrl' | 'escalation' | 'links' | 'repeat' | 'truncated'>>;

/** A detector has raised an alert. */
export type AlertDetectorRaisedWebhook = {
  /** What happened. */
  type: 'alert.detector.raised';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** How settled its block is; PENDING while no block has its transaction. */
export type AlertFinality = 'PENDING' | 'HEAD' | 'CONFIRMED' | 'FINAL';

/** Its group in histograms. */
export type AlertGroup = 'SECURITY' | 'COMPLIANCE' | 'action' | 'trigger';

/** Kind of its source. */
export type AlertKind = 'detector' | 'trigger' | 'action';

export type AlertOutcomeReply = {
  /** The incident that it belongs to. */
  incident: UpdateIncidentReply | null;
  /** What to do next, in the words of its detector or trigger, or else as the kind of its detector knows; null where neither says anything. */
  nextStep: string | null;
  /** Address of the page that says what to do, of its detector or trigger. */
  runbookUrl: string | null;
  /** Why no one was notified; null when someone was or is about to be. */
  silence: {
    /** The reason as a word. */
    code: 'suppressed' | 'backfilled' | 'shadow' | 'purged' | 'silenced' | 'inhibited' | 'muted' | 'below-floor' | 'no-destination' | 'filtered';
    /** The reason for people, and what would change it. */
    reason: string;
    /** The silences that held it when it was raised; empty unless the reason is `silenced`. */
    silences: Array<{
      /** The silence. */
      id: number;
      /** Its reason. */
      reason: string;
      /** How people know who made it. */
      author: string;
      /** From when on it holds. In epoch milliseconds. */
      from: number;
      /** Until when. In epoch milliseconds. */
      to: number;
    }>;
  } | null;
  /** What routes and rules decided when it was raised; null where none had a say. */
  decision: {
    /** When it was decided. In epoch milliseconds. */
    at: number;
    /** The routes that took it; empty where routes were off. */
    routes: Array<{
      /** The route. */
      id: number;
      /** Its name. */
      name: string;
      /** Why it notified no one; null where it did. */
      held: 'suppressed' | 'backfilled' | 'shadow' | 'purged' | 'silenced' | 'inhibited' | 'muted' | 'below-floor' | 'no-destination' | 'filtered' | null;
      /** Whom it notified, or would have if nothing else had held the alert. Those of an earlier route are left out. */
      destinationIds: number[];
    }>;
    /** The inhibitions that held it. */
    inhibitions: AlertOutcomeReplyDecisionInhibition[];
  } | null;
  /** Why what contracts did within the transactions of its block is not seen, so that there may be more than this alert; null when nothing is known to be missing. */
  unseen: {
    /** Whether the traces of its block are yet to come, were given up, or no node gives any. */
    state: 'waiting' | 'given-up' | 'unavailable';
    /** Why. */
    reason: string;
  } | null;
  /** Who was called about its incident, the newest chain first. */
  escalations: AlertOutcomeReplyEscalation[];
  /** What was sent, newest first. */
  deliveries: Array<{
    /** The delivery; receivers of webhooks see it as `webhook-id`. */
    uid: string;
    /** Rises in the order in which messages came into being. */
    sequence: number;
    /** The destination. */
    destinationId: number;
    /** The event that it reports. */
    type: AlertOutcomeReplyDeliveryType;
    /** Its outcome. */
    state: AlertOutcomeReplyDeliveryState;
    /** The alert that it reports. */
    alertUid: string | null;
    /** When it came into being. In epoch milliseconds. */
    createdAt: number;
    /** When it last changed. In epoch milliseconds. */
    updatedAt: number;
    /** When it got through. In epoch milliseconds. */
    deliveredAt: number | null;
    /** When it is tried next. In epoch milliseconds. */
    nextAttemptAt: number | null;
    /** Status that the receiver answered with. */
    lastStatus: number | null;
    /** Reason of the failure. */
    lastError: string | null;
    /** Every attempt so far. */
    attempts: AlertOutcomeReplyDeliveryAttempt[];
    /** The destination as people know it; null where it has no address. */
    destinationName: string | null;
    /** Kind of the destination. */
    destinationType: 'EMAIL' | 'MESSENGER_A' | 'HTTP' | 'MESSENGER_B' | 'PAGERDUTY' | 'TEAMS' | 'DISCORD' | 'ALERTMANAGER' | 'SYSLOG' | 'SNS' | 'SQS' | 'WEB_PUSH' | null;
  }>;
  /** What it fired, newest first. */
  intents: Array<{
    /** The intent. */
    uid: string;
    /** The action. */
    actionId: number;
    /** How far it is. */
    state: AlertOutcomeReplyIntentState;
    /** Why it failed, was skipped or cancelled, or what it waits for; null only when it is confirmed. */
    reason: string | null;
    /** What fired it: `detector` or `trigger` with the id of the binding, or `manual`; `filler` calls nothing and uses up a number of the wallet that was missing. */
    binding: string;
    /** The alert that fired it. */
    alertUid: string | null;
    /** The block of the alert. */
    blockNumber: number | null;
    /** When its alert may fire it. */
    fireAt: AlertOutcomeReplyIntentFireAt;
    /** When it came into being. In epoch milliseconds. */
    createdAt: number;
    /** When it last changed. In epoch milliseconds. */
    updatedAt: number;
    /** The wallet that signs. */
    walletId: number;
    /** The address. */
    walletAddress: string | null;
    call: AlertOutcomeReplyIntentCall | null;
    /** The number of the transaction in its account. */
    nonce: number | null;
    /** The transaction. */
    txHash: string | null;
    /** The block that holds it. */
    minedBlock: number | null;
    /** What gas may cost while it is under way, and did cost once it is over. In the smallest unit of the currency. */
    cost: string;
    /** Everything that was signed for it. All have the same number, so that the chain takes at most one. */
    transactions: AlertOutcomeReplyIntentTransaction[];
    /** Name of the action. */
    actionName: string;
    /** The chain that it runs on. */
    chainUid: string;
  }>;
};

export type AlertOutcomeReplyDecisionInhibition = {
  /** The inhibition. */
  id: number;
  /** Its name. */
  name: string;
};

export type AlertOutcomeReplyDeliveryAttempt = {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** When it was made. In epoch milliseconds. */
  at: number;
  /** How long it took. */
  durationMs: number;
  /** Status that the receiver answered with. */
  status: number | null;
  /** Reason of the failure. */
  error: string | null;
};

/** Its outcome. */
export type AlertOutcomeReplyDeliveryState = 'PENDING' | 'DELIVERED' | 'DEAD' | 'CANCELED';

/** The event that it reports. */
export type AlertOutcomeReplyDeliveryType = 'alert.detector.raised' | 'alert.trigger.raised' | 'alert.retracted' | 'alert.resolved' | 'alert.updated' | 'alert.repeated' | 'action.submitted' | 'action.confirmed' | 'action.failed' | 'action.replaced' | 'action.waiting' | 'score.changed' | 'subscription.expiring' | 'destination.disabled' | 'ping';

export type AlertOutcomeReplyEscalation = {
  /** Which one. */
  id: number;
  /** The incident. */
  incidentUid: string;
  /** The escalation chain. */
  escalationChainId: number;
  /** Its name. */
  chainName: string;
  /** RUNNING, how it was answered, or EXHAUSTED where every step was made and no one answered. */
  state: AlertOutcomeReplyEscalationState;
  /** When it began. In epoch milliseconds. */
  startedAt: number;
  /** Who began it: a person, or a route. */
  startedBy: string;
  /** When it ended. In epoch milliseconds. */
  endedAt: number | null;
  /** When its next step is due; null when it has ended. In epoch milliseconds. */
  nextAt: number | null;
  /** Its steps so far. */
  steps: AlertOutcomeReplyEscalationStep[];
};

/** RUNNING, how it was answered, or EXHAUSTED where every step was made and no one answered. */
export type AlertOutcomeReplyEscalationState = 'RUNNING' | 'ACKNOWLEDGED' | 'RESOLVED' | 'RETRACTED' | 'EXHAUSTED';

export type AlertOutcomeReplyEscalationStep = {
  /** The step, counted from 0 over all rounds. */
  number: number;
  /** The round, from 0. */
  round: number;
  /** When it was made. In epoch milliseconds. */
  at: number;
  /** What it calls. */
  kind: AlertOutcomeReplyEscalationStepKind;
  /** The user, schedule or destination. */
  targetId: number;
  /** Who was called, as people know it. */
  name: string;
  /** The user who was called; null for a destination, and where there was no one. */
  userId: number | null;
  /** CALLED: messages went out. NOBODY: no one could be called. FAILED: the first attempts of all of them failed. */
  outcome: AlertOutcomeReplyEscalationStepOutcome;
  /** Why no one could be called, or what failed. */
  detail: string | null;
  /** Its messages. */
  deliveries: AlertOutcomeReplyEscalationStepDelivery[];
};

export type AlertOutcomeReplyEscalationStepDelivery = {
  /** The message. */
  uid: string;
  /** The destination. */
  destinationId: number;
  /** What became of it. */
  state: AlertOutcomeReplyEscalationStepDeliveryState;
  /** How often it was tried. */
  attempts: number;
};

/** What became of it. */
export type AlertOutcomeReplyEscalationStepDeliveryState = 'PENDING' | 'DELIVERED' | 'DEAD' | 'CANCELED';

/** What it calls. */
export type AlertOutcomeReplyEscalationStepKind = 'user' | 'schedule' | 'destination';

/** CALLED: messages went out. NOBODY: no one could be called. FAILED: the first attempts of all of them failed. */
export type AlertOutcomeReplyEscalationStepOutcome = 'CALLED' | 'NOBODY' | 'FAILED';

/** What it turned out to be; null while no one has judged. */
export type AlertOutcomeReplyIncidentDisposition = 'TRUE' | 'BENIGN' | 'KNOWN' | 'TEST';

/** The highest severity of its alerts. */
export type AlertOutcomeReplyIncidentSeverity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** RESOLVED when all its alerts are, RETRACTED when none of their blocks is part of the chain any more. */
export type AlertOutcomeReplyIncidentStatus = 'UNRESOLVED' | 'RESOLVED' | 'RETRACTED';

/** What is called, once it is signed. */
export type AlertOutcomeReplyIntentCall = {
  /** The address. */
  to: string;
  /** The call data. */
  data: string;
  /** The parameters of the call, filled. */
  parameters: AlertOutcomeReplyIntentCallParameter[];
  /** Gas that it may use. */
  gasLimit: string;
};

export type AlertOutcomeReplyIntentCallParameter = {
  /** Its name. */
  name: string;
  /** Its type. */
  type: string;
  /** Its value; lists and structs as JSON. */
  value: string;
};

/** When its alert may fire it. */
export type AlertOutcomeReplyIntentFireAt = 'pending' | 'head' | 'confirmed';

/** How far it is. */
export type AlertOutcomeReplyIntentState = 'WAITING' | 'SIGNED' | 'SUBMITTED' | 'CONFIRMED' | 'FAILED' | 'SKIPPED' | 'CANCELED';

export type AlertOutcomeReplyIntentTransaction = {
  /** The transaction. */
  hash: string;
  /** What a unit of gas may cost. In the smallest unit of the currency. */
  maxFeePerGas: string;
  /** The tip within it; null on chains that know a gas price only. In the smallest unit of the currency. */
  maxPriorityFeePerGas: string | null;
  /** It calls nothing and only takes the place of a call that was given up. */
  isVoid: boolean;
  /** When it was signed. In epoch milliseconds. */
  createdAt: number;
  /** When a node last took it. In epoch milliseconds. */
  broadcastAt: number | null;
};

/** No one has acknowledged or resolved an alert, and its route repeats it. */
export type AlertRepeatedWebhook = {
  /** What happened. */
  type: 'alert.repeated';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** A user marked an alert as resolved. */
export type AlertResolvedWebhook = {
  /** What happened. */
  type: 'alert.resolved';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** What an alert reported did not happen: its block or its pending transaction is gone. */
export type AlertRetractedWebhook = {
  /** What happened. */
  type: 'alert.retracted';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

export type AlertSilencedBody = {
  /** The alerts. */
  uids: string[];
};

export type AlertSilencedReply = {
  /** The silenced ones. */
  data: Array<{
    /** The alert. */
    uid: string;
    /** The silences that held it. */
    silences: Array<{
      /** The silence. */
      id: number;
      /** Its reason. */
      reason: string;
    }>;
  }>;
};

/** Whether someone has dealt with it, or its block is gone. */
export type AlertStatus = 'UNRESOLVED' | 'RESOLVED' | 'RETRACTED';

export type AlertTraceReply = {
  /** The chain. */
  chainUid: ChainUid;
  /** The transaction. */
  txHash: string;
  /** Its block. */
  blockNumber: number;
  /** The sender. */
  from: string;
  /** True if it failed as a whole. */
  isReverted: boolean;
  /** How many frames it has. */
  total: number;
  /** How many of them were reverted. */
  reverted: number;
  /** How deep the deepest is. */
  depth: number;
  /** The frames, in the order in which calls began. */
  frames: Array<{
    /** Its place among all frames, in the order in which calls began. */
    position: number;
    /** The position of the frame that made the call; null for the transaction itself. */
    parent: number | null;
    /** How deep it is within the transaction. */
    depth: number;
    /** How it was called. */
    type: 'CALL' | 'STATICCALL' | 'DELEGATECALL' | 'CALLCODE' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT';
    /** The caller. */
    from: string;
    /** Whose code runs: of a creation the new contract, of a self-destruct who gets the coins; null when nothing was created. */
    to: string | null;
    /** Native coins that move with it, in the smallest unit. */
    value: string;
    /** The same in whole coins. */
    amount: string;
    /** The first four bytes of the input. */
    selector: string | null;
    /** The function, where the ABI of the contract has it or it is a common one. */
    function: string | null;
    /** Its arguments, where the function is known. */
    arguments: Array<{
      /** Its name, or its place where it has none. */
      name: string;
      /** Its type. */
      type: string;
      /** Its value; numbers are decimal, lists and structs in brackets, what is longer than 300 characters is cut. */
      value: string;
      /** An amount of a token that the transaction moves, in whole tokens with its symbol; null for anything else. */
      shown: string | null;
    }>;
    /** Reason of its own failure, decoded as far as possible; null otherwise. */
    reason: string | null;
    /** How long its input is. */
    inputBytes: number;
    /** True if it, or a frame that contains it, failed, so that nothing of it remains. */
    isReverted: boolean;
  }>;
  /** What each party has more or less after it: coins by the frames that remain, without fees, and tokens as they report it in events. */
  changes: Array<{
    /** The address with more or less. */
    address: string;
    /** `native`, or the address of the token. */
    asset: string;
    /** Its symbol, as the token reports it. */
    symbol: string | null;
    /** Of a token with several kinds or pieces. */
    tokenId: string | null;
    /** By how much, in the smallest unit; below 0 when it has less. */
    value: string;
    /** The same in whole tokens. */
    amount: string;
  }>;
  /** What you know of the addresses. */
  parties: AlertTraceReplyParty[];
  /** What is not among these. */
  leftOut: {
    /** Frames before the first of these. */
    before: number;
    /** Frames after the last of these. */
    after: number;
    /** Balance changes beyond the first 200. */
    changes: number;
  };
  /** The same in a sentence; null when nothing is left out. */
  note: string | null;
};

export type AlertTraceReplyParty = {
  /** The address. */
  address: string;
  /** By what it is known. */
  type: AlertTraceReplyPartyType;
  /** Your name for it. */
  name: string;
  /** The contract, where it is one of yours. */
  contractId: number | null;
  /** The tags of its labels. */
  tags: string[];
  /** How suspicious its labels say it is. */
  score: number | null;
};

/** By what it is known. */
export type AlertTraceReplyPartyType = 'contract' | 'wallet' | 'label';

/** A trigger has raised an alert. */
export type AlertTriggerRaisedWebhook = {
  /** What happened. */
  type: 'alert.trigger.raised';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

/** A user acknowledged an alert, or took that back. */
export type AlertUpdatedWebhook = {
  /** What happened. */
  type: 'alert.updated';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
  data: WebhookAlert;
};

export type Apikey = Omit<CreateApikeyReply, 'token'>;

export type ApikeyPage = {
  /** The records of this page. */
  data: Apikey[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type Approval = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** Outcome of the request. */
  state: ApprovalState;
  /** Until when it can be approved. In epoch milliseconds. */
  expiresAt: number;
  /** The wallet that asks for the approval. */
  walletId: number;
  /** Method of the request. */
  method: string;
  /** Path of the request, below /api/v1. */
  path: string;
  /** The `{id}` in the path. */
  recordId: number | null;
  /** Body of the request; of a detector only the member `actions`, of a batch the number of its records. */
  body: Record<string, unknown> | null;
  /** Everything on which it depends what the wallet signs, and when, as far as the request changes it. */
  changes: ApprovalChanges[] | null;
  /** The user who sent the request; null for a token without a user. */
  requestedBy: number | null;
  /** The user who approved or rejected it. */
  decidedBy: number | null;
};

export type ApprovalChanges = {
  /** What becomes of the record. */
  change: ApprovalChangesChange;
  /** The kind of the record. */
  kind: string;
  /** The record; null of one that the request creates. */
  id: number | null;
  /** Its name. */
  name: string | null;
  /** What differs. */
  members: ApprovalChangesMember[];
};

/** What becomes of the record. */
export type ApprovalChangesChange = 'ADDED' | 'CHANGED' | 'REMOVED';

export type ApprovalChangesMember = {
  /** The member. */
  name: string;
  /** Its value now; null if it has none. Secrets show as `[sealed]`. */
  before: string | number | boolean | Record<string, unknown> | unknown[] | null;
  /** Its value once the request is carried out. */
  after: string | number | boolean | Record<string, unknown> | unknown[] | null;
};

export type ApprovalPage = {
  /** The records of this page. */
  data: Approval[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** Outcome of the request. */
export type ApprovalState = 'PENDING' | 'APPROVED' | 'REJECTED' | 'EXPIRED';

export type ApproveApprovalReply = {
  /** The approval. */
  approval: RejectApprovalReply;
  /** What the request answered. */
  reply: Record<string, unknown>;
};

export type AssignAlertsBody = {
  /** Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field. */
  query: string;
  /** Ranges of timestamps; what lies in none of them is not read. */
  timeseries?: QuerySearchTimeseries[];
  /** True only counts what would change. */
  dryRun?: boolean;
  /** The user; null for no one. */
  assigneeId: number | null;
};

export type AuditCheckpointReply = {
  /** The statement as JSON text: `at`, `keyId` and `chains`, each with `tenantId` (null for the platform’s), `seq`, `hash` and `at`. */
  payload: string;
  /** Ed25519 public key in PEM. It changes when the master key is rotated. */
  publicKey: string;
  /** Ed25519 signature over the bytes of `payload`, in base64. */
  signature: string;
};

export type AuditExportReply = {
  /** Number of the entry in its chain. */
  seq: number;
  /** HMAC-SHA-256 over the hash before and this entry, in hex. */
  hash: string;
  /** The key of the hash; null in entries from before there were keys, whose hash is a plain SHA-256. */
  keyId: number | null;
  /** When it happened. In epoch milliseconds. */
  at: number;
  /** The request that did it. */
  requestId: string;
  /** The tenant whose chain it is in; null for the platform’s. */
  tenantId: number | null;
  /** Token and user that did it, and the address it came from. */
  actor: Record<string, unknown>;
  /** What happened. */
  action: string;
  /** The record it happened to. */
  record: Record<string, unknown>;
  /** Every member that changed, before and after; never a secret. */
  changes: Record<string, unknown>;
};

export type AuthLoginBody = {
  /** E-mail address of the user, in capitals or not. */
  email: string;
  /** The tenant of the user, where the address has users in several; without it the oldest that fits. */
  tenantId?: number;
  /** Password of the user. */
  password: string;
  /** Whether a cookie carries the token, for pages that Vigil serves. */
  cookie?: boolean;
};

export type AuthLoginReply = {
  /** Access token of the session; absent when the cookie carries it. */
  token?: string;
  /** When the session ends. In epoch milliseconds. */
  expiredAt: number;
};

export type AuthMeReply = {
  /** The user. */
  userId: number | null;
  /** The tenant. */
  tenantId: number | null;
  /** The organisation of the tenant. */
  organisationId: number | null;
  /** How the user is called, else the e-mail address; of a key what it is for. */
  name: string | null;
  /** What the tenant is called. */
  tenantName: string | null;
  /** What the token may do. */
  roles: AuthMeReplyRole[];
  /** What kind of token it is. */
  tokenKind: 'SESSION' | 'API_KEY' | 'ADMIN';
  /** When the token ends; null when it never does. In epoch milliseconds. */
  expiredAt: number | null;
  plan: AuthMeReplyPlan | null;
  /** What this installation offers. */
  installation: {
    /** Whether Vigil sends mails here. */
    mail: boolean;
    /** What the operator calls the messenger of MESSENGER_A, by VIGIL_MESSENGER_A_NAME. */
    messengerAName: string | null;
    /** The same for MESSENGER_B. */
    messengerBName: string | null;
  };
};

/** Plan of the tenant. */
export type AuthMeReplyPlan = {
  /** The plan. */
  id: number;
  /** Unique name. */
  name: string;
  /** Limit of the plan. */
  limits: AuthMeReplyPlanLimits;
  /** What the tenant has of each. */
  use: AuthMeReplyPlanUse;
};

/** Limit of the plan. */
export type AuthMeReplyPlanLimits = Required<Omit<CreatePlanBody, 'name' | 'detectorRateLimit' | 'detectorRateLimitDuration' | 'apiKeyDays'>>;

/** What the tenant has of each. */
export type AuthMeReplyPlanUse = AuthMeReplyPlanLimits;

export type AuthMeReplyRole = 'tenant-viewer' | 'tenant-user' | 'tenant-manager' | 'organisation-viewer' | 'organisation-user' | 'organisation-manager' | 'admin' | 'tenant-ingest';

export type Backtest = {
  /** The backtest. */
  uid: string;
  /** The contract. */
  contractId: number;
  /** The detector, unless it was only proposed. */
  detectorId: number | null;
  /** When it was asked for. In epoch milliseconds. */
  createdAt: number;
  /** When it last went on. In epoch milliseconds. */
  updatedAt: number;
  /** How far it is. */
  state: BacktestState;
  /** First block. */
  fromBlock: number;
  /** Last block; at most 100,000 blocks in all. */
  toBlock: number;
  /** Blocks done so far. */
  processed: number;
  /** Share that is done, 0 to 1. */
  progress: number;
  result: BacktestResult | null;
  /** Reason of the failure. */
  fault: string | null;
};

export type BacktestDetectorBody = {
  /** First block. */
  fromBlock: number;
  /** Last block; at most 100,000 blocks in all. */
  toBlock: number;
};

export type BacktestNewDetectorBody = {
  /** The contract that is watched. */
  contractId: number;
  /** The detector schema. */
  schemaId: number;
  /** What to call it. */
  name?: string;
  /** Detector configuration. */
  config?: Record<string, unknown>;
  /** First block. */
  fromBlock: number;
  /** Last block; at most 100,000 blocks in all. */
  toBlock: number;
};

/** What was found, once it is done. */
export type BacktestResult = {
  /** Blocks that were read. */
  blocks: number;
  /** Transactions in them. */
  transactions: number;
  /** How often the detector was shown something. */
  evaluations: number;
  /** Alerts that would have been raised. */
  alerts: number;
  /** Alerts of each severity. */
  bySeverity: Record<string, unknown>;
  /** Alerts of each day that has some. */
  byDay: BacktestResultByDay[];
  /** The first alerts, at most 50. */
  samples: BacktestResultSample[];
  /** Destinations that would have been notified, without the filters of bindings. */
  notified: BacktestResultNotified[];
  /** Actions that would have been fired, without the filters of bindings. */
  fired: BacktestResultFired[];
  /** Evaluations that failed. */
  faults: number;
  /** Reason of the first failure. */
  firstFault: string | null;
};

export type BacktestResultByDay = {
  /** Start of the UTC day. In epoch milliseconds. */
  ts: number;
  /** Alerts of that day. */
  count: number;
};

export type BacktestResultFired = {
  /** The action. */
  actionId: number;
  /** How many alerts would have fired it. */
  alerts: number;
};

export type BacktestResultNotified = {
  /** The destination. */
  destinationId: number;
  /** How many alerts it would have got. */
  alerts: number;
};

export type BacktestResultSample = {
  /** How bad it is. */
  severity: Severity;
  /** Name of the alert. */
  name: string;
  /** What was found. */
  message: string;
  /** Time of the block. In epoch milliseconds. */
  timestamp: number;
  /** The block. */
  blockNumber: number | null;
  /** The transaction. */
  txHash: string | null;
  /** Evidence. */
  meta: Record<string, unknown>;
};

/** How far it is. */
export type BacktestState = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';

export type Chain = {
  /** The chain. */
  chainUid: ChainUid;
  /** Family of the chain. */
  family: string;
  /** Name of the chain. */
  name: string;
  /** Kind of network. */
  network: ListChainsReplyDataNetwork;
  /** Native currency. */
  currency: ListChainsReplyDataCurrency;
  /** Chain id where there is one. */
  chainId: number | null;
  /** Usual time between blocks in milliseconds. */
  blockTimeMs: number;
  explorer: ListChainsReplyDataExplorer | null;
  /** Whether an administrator added it, beside those that Vigil knows by itself. */
  isOwn: boolean;
  /** Of other families than EVM: what nodes name the network by. */
  genesis: string | null;
  /** Blocks that must lie on a block before an action follows from it. */
  confirmations: number;
  /** Of EVM chains: what decides that a block is final. */
  finality: ChainFinality;
  /** Whether it cannot be changed here: Vigil knows it by itself, or the environment adds it. */
  isFixed: boolean;
  /** When it was added; null for a chain that Vigil knows by itself. In epoch milliseconds. */
  createdAt: number | null;
  /** When it last changed. In epoch milliseconds. */
  updatedAt: number | null;
};

/** Of EVM chains: what decides that a block is final. */
export type ChainFinality = 'finalized' | 'safe' | 'confirmations';

/** The chain. */
export type ChainUid = 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana' | (string & {});

export type ChangePasswordBody = {
  /** The present password. */
  oldPassword: string;
  /** 12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own names are refused. */
  newPassword: string;
};

export type ConfirmDestinationReply = {
  /** The confirmed address. */
  address: string;
  /** Whose alerts it gets. */
  tenant: string;
};

export type Contract = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning project. */
  projectId: number;
  /** The chain. */
  chainUid: ChainUid;
  /** Direct address of the contract, in the form of its chain. */
  address: string;
  /** Address of the implementation when the contract is a proxy, else null. */
  implementation: string | null;
  /** What to call it. */
  name: string;
  /** What sort of contract it is. */
  category: string | null;
  /** Free labels. */
  tags: string[];
  /** What stands at the address. */
  addressType: ContractAddressType;
  /** Whether the AML detector is required. */
  amlRequired: boolean;
  /** URL of an icon. */
  icon: string | null;
};

export type ContractActionAlertPage = {
  /** The records of this page. */
  data: Array<{
    /** INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90. */
    numericSeverity: number;
    /** How bad it is. */
    severity: Severity;
    /** Identifier of the event behind it. */
    eid: string;
    /** The wallet that signed. */
    walletId: number | null;
    /** What happened, for people. */
    message: string;
    /** Unique identifier of the alert. */
    uid: string;
    /** What the finding carries. */
    meta: Record<string, unknown>;
    /** The tenant. */
    tenantId: number;
    /** The contract. */
    contractId: number;
    /** Name of the alert. */
    name: string;
    /** The action behind it. */
    actionId: number | null;
    /** The transaction. */
    txHash: string | null;
    /** The project. */
    projectId: number;
    /** When it happened. In epoch milliseconds. */
    timestamp: number;
    /** Name of the wallet. */
    walletName: string | null;
    /** Chain of the wallet. */
    walletChainUid: string | null;
    /** Address of the wallet. */
    walletAddress: string | null;
  }>;
  /** Number of matching records, counted up to `trackTotalCount`. */
  total: number;
  /** Only with `matched`: for each record, in their order, the clauses that it matches. Of the first 32 clauses that nothing excludes, while they cost less than 1000 together. */
  matched?: ContractActionAlertPageMatched[][];
  /** Only where a search over all tenants lacks the documents of some workers: their names. */
  partial?: string[];
};

export type ContractActionAlertPageMatched = {
  /** The clause as it stands in the query. */
  clause: string;
  /** The column in which it begins, from 1. */
  position: number;
  /** Members of the record that have the value, such as `meta.amount`; at most 16. */
  members: string[];
  /** Words of their texts that fit, in lower case; at most 16. None for a whole value. */
  words: string[];
};

/** What stands at the address. */
export type ContractAddressType = 'CONTRACT' | 'WALLET' | 'ENTITY';

export type ContractDetectorAlertPage = {
  /** The records of this page. */
  data: Alert[];
  /** Number of matching records, counted up to `trackTotalCount`. */
  total: number;
  /** Only with `matched`: for each record, in their order, the clauses that it matches. Of the first 32 clauses that nothing excludes, while they cost less than 1000 together. */
  matched?: ContractActionAlertPageMatched[][];
  /** Only where a search over all tenants lacks the documents of some workers: their names. */
  partial?: string[];
};

export type ContractFactsReply = {
  /** The block after which the chain was asked. */
  block: number | null;
  /** Why the chain says nothing. */
  fault: string | null;
  /** Kinds that it was recognised as. */
  kinds: InspectContractReplyDataKind[];
  /** The facts. */
  data: Array<{
    /** What it is. `minDelay` is in seconds; `role` is one that was granted and not taken back, as far as alerts tell. */
    name: 'implementation' | 'owner' | 'paused' | 'owners' | 'threshold' | 'minDelay' | 'role';
    /** How it stands now. */
    value: string;
    /** Since when, if the newest alert about it led to the present value. In epoch milliseconds. */
    since: number | null;
    /** The newest alert about it. Without `since` it changed after that, without an alert. */
    alertUid: string | null;
    /** The active detector that reports changes; null where none does. */
    detectorId: number | null;
    /** Since when there is that detector. In epoch milliseconds. */
    watchedSince: number | null;
  }>;
  /** Its detectors, at most 500. */
  detectors: Array<{
    /** The detector. */
    id: number;
    /** Its kind. */
    schema: string;
    /** Its status. */
    status: string;
    /** Since when there is the detector. In epoch milliseconds. */
    createdAt: number;
    /** Incidents of the last 90 days with an alert of it that someone judged, tests left out. */
    judged: number;
    /** How many of them were an attack or a real fault. */
    right: number;
    /** `right` by `judged`; null before any is judged. */
    precision: number | null;
  }>;
};

export type ContractHistogramBody = {
  /** Start in milliseconds, included. */
  from: number;
  /** End in milliseconds, included; not before `from`. */
  to: number;
  /** Width of a bucket. One of 1y, 1q, 1M, 1w, 1d, 1h, 1m, 1s (or year, quarter, month, week, day, hour, minute, second), which follow the calendar, or a whole multiple of ms, s, m, h or d such as 90m. At most 11,000 of them. */
  interval: string;
  /** Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field. */
  query?: string;
  /** Where days begin: an offset up to 18:00 such as +05:45, UTC, or an IANA name such as Europe/Paris, which knows when the clocks change. */
  timezone?: string;
};

export type ContractHistogramReply = {
  /** Every bucket from that of the start to that of the end, in order, empty ones too. */
  data: Array<{
    /** Start of the bucket in milliseconds. */
    ts: number;
    /** The groups that have alerts in this bucket. */
    bucket: {
      /** The alerts of this group. */
      SECURITY?: ContractHistogramReplyDataBucketSecurity;
      /** The alerts of this group. */
      COMPLIANCE?: ContractHistogramReplyDataBucketSecurity;
      /** The alerts of this group. */
      action?: ContractHistogramReplyDataBucketSecurity;
      /** The alerts of this group. */
      trigger?: ContractHistogramReplyDataBucketSecurity;
    };
  }>;
  /** Alerts of each group in the whole range, under the query. */
  total: {
    /** How many alerts. */
    SECURITY: number;
    /** How many alerts. */
    COMPLIANCE: number;
    /** How many alerts. */
    action: number;
    /** How many alerts. */
    trigger: number;
  };
  /** What is set up on the contract, whatever the query: its active detectors by category, its triggers, its actions. */
  count: {
    /** How many there are. */
    SECURITY: number;
    /** How many there are. */
    COMPLIANCE: number;
    /** How many there are. */
    action: number;
    /** How many there are. */
    trigger: number;
  };
};

/** The alerts of this group. */
export type ContractHistogramReplyDataBucketSecurity = {
  /** How many alerts. */
  count: number;
  /** The worst of them. */
  maxSeverity: MaxSeverity;
};

export type ContractHoldingsReply = {
  /** By asset, the most valuable first; at most 5,000 points in all. */
  data: Array<{
    /** `native`, or the address of the token. */
    asset: string;
    /** Its symbol. */
    symbol: string;
    /** Its decimals. */
    decimals: number;
    /** What was held, oldest first. */
    points: Array<{
      /** When it was seen. In epoch milliseconds. */
      timestamp: number;
      /** After which block. */
      blockNumber: number;
      /** How many whole tokens. */
      amount: string;
      /** Worth in US dollars then; null where no price answered. */
      usd: string | null;
    }>;
  }>;
  /** What it holds of `token` now; null where no node answers, or it is no token. */
  now?: {
    /** `native`, or the address of the token. */
    asset: string;
    /** Its symbol. */
    symbol: string;
    /** Its decimals. */
    decimals: number;
    /** How many whole tokens it holds. */
    amount: string;
    /** After which block. */
    blockNumber: number;
  } | null;
};

export type ContractPage = {
  /** The records of this page. */
  data: Contract[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type ContractSignatureReply = {
  /** Every function. */
  functions: string[];
  /** Functions that change something. */
  writing: string[];
  /** Every event. */
  events: string[];
};

export type ContractTokenomicsReply = {
  /** The contract. */
  contractId: number;
  /** The chain. */
  chainUid: ChainUid;
  /** When this was read. In epoch milliseconds. */
  timestamp: number;
  /** The block after which the chain was asked. */
  block: number | null;
  /** Symbol of the token; null where the contract has none. */
  symbol: string | null;
  /** Decimals of the token; 0 where it reports none. */
  decimals: number | null;
  /** Why nothing could be read from the chain. */
  fault: {
    /** What kind of fault. */
    code: 'chain-not-configured' | 'chain-unavailable' | 'not-a-token';
    /** The reason. */
    message: string;
  } | null;
  /** All tokens that there are. */
  totalSupply: {
    /** The whole amounts of all categories that have one. */
    planned: string | null;
    /** What the token says. */
    actual: string | null;
  };
  /** The tokens that circulate. */
  circulating: {
    /** The planned amounts. */
    line: ContractTokenomicsReplyCirculatingLine[];
    /** What is planned for now. */
    planned: string | null;
    /** What there is. */
    actual: string | null;
    /** Number of tokens beyond the plan. */
    difference: string | null;
    /** What alerts saw. */
    samples: ContractTokenomicsReplyCirculatingLine[];
    /** What the locker addresses hold. */
    locked: string | null;
  };
  /** The active categories. */
  categories: Array<{
    /** The record. */
    id: number;
    /** Its uid. */
    uid: string;
    /** Its name. */
    name: string;
    /** The address that holds the allocation. */
    address: string | null;
    /** The whole allocation. */
    amount: string | null;
    /** The planned amounts. */
    line: ContractTokenomicsReplyCirculatingLine[];
    /** What is planned for now. */
    planned: string | null;
    /** What there is. */
    actual: string | null;
    /** Number of tokens beyond the plan. */
    difference: string | null;
    /** What alerts saw. */
    samples: ContractTokenomicsReplyCirculatingLine[];
    /** Its active schedules. */
    schedules: Array<{
      /** The record. */
      id: number;
      /** Its uid. */
      uid: string;
      /** Its name. */
      name: string;
      /** The planned amounts. */
      line: ContractTokenomicsReplyCirculatingLine[];
      /** What is planned for now. */
      planned: string | null;
    }>;
  }>;
};

export type ContractTokenomicsReplyCirculatingLine = {
  /** Since when. In epoch milliseconds. */
  timestamp: number;
  /** How many tokens. */
  amount: string;
};

export type ContractTriggerAlertPage = {
  /** The records of this page. */
  data: Array<{
    /** Unique identifier of the alert. */
    uid: string;
    /** When it happened. In epoch milliseconds. */
    timestamp: number;
    /** Identifier of the event behind it. */
    eid: string;
    /** The transaction. */
    txHash: string | null;
    /** What the finding carries. */
    meta: Record<string, unknown>;
    /** The tenant. */
    tenantId: number;
    /** The project. */
    projectId: number;
    /** The contract. */
    contractId: number;
    /** The trigger that raised it. */
    triggerId: number | null;
    interceptorType: ContractTriggerAlertPageDataInterceptorType | null;
    triggerType: ContractTriggerAlertPageDataTriggerType | null;
    /** INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90. */
    numericSeverity: number;
    /** How bad it is. */
    severity: Severity;
    /** Name of the alert. */
    name: string;
    /** What happened, for people. */
    message: string;
  }>;
  /** Number of matching records, counted up to `trackTotalCount`. */
  total: number;
  /** Only with `matched`: for each record, in their order, the clauses that it matches. Of the first 32 clauses that nothing excludes, while they cost less than 1000 together. */
  matched?: ContractActionAlertPageMatched[][];
  /** Only where a search over all tenants lacks the documents of some workers: their names. */
  partial?: string[];
};

/** What fed the trigger. */
export type ContractTriggerAlertPageDataInterceptorType = 'TRANSACTION' | 'EVENT' | 'BLOCK' | 'TRACE' | 'STATE' | 'SCHEDULE';

/** What the trigger looks for. */
export type ContractTriggerAlertPageDataTriggerType = 'SUCCESSFUL_TX' | 'FAILED_TX' | 'FUNCTION_CALL' | 'FUNCTION_PARAMETER' | 'EVENT_EMITTED' | 'EVENT_PARAMETER' | 'ERC20_TRANSFER' | 'ERC721_TRANSFER' | 'NATIVE_TRANSFER' | 'BALANCE_CHANGE' | 'STATE_CHANGE' | 'VIEW_FUNCTION' | 'WHITELISTED_CALLERS' | 'BLACKLISTED_CALLERS' | 'CONTRACT_CREATED';

export type CreateActionBody = {
  /** Wallet that signs the call; on the chain of the contract. */
  walletId: number;
  /** The contract to call. */
  contractId: number;
  /** What to call it. */
  name: string;
  /** Signature of the function to call. */
  funcSignature: string;
  /** Call parameters. */
  params?: CreateActionBodyParam[];
  /** market, slow, fast, fastest, or a price: in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar. */
  gasPrice?: string;
  /** Most gas, energy or compute units that the call may use; estimated if null. */
  gasLimit?: number | null;
  /** Tip in gwei, where the chain has tips; estimated if empty or null. */
  gasTip?: string | null;
  /** What the action is for. */
  description?: string | null;
  /** Destinations notified of what the action does. */
  destinations?: CreateTriggerBodyAlertDestination[];
  /** Detectors whose alerts fire the action. */
  detectors?: CreateActionBodyDetector[];
  /** Trigger alerts that fire the action. */
  triggerAlerts?: CreateActionBodyTriggerAlert[];
  /** When an alert fires it: while its transaction is pending, priced to be mined before it; as soon as a block has it; or when that block has the confirmations of the chain. */
  fireAt?: FireAt;
  /** How old an alert may be when it is raised to fire the action, in milliseconds; an hour if left out, any age if null. An older one, found while Vigil catches up, notifies but leaves a skipped intent. */
  maxAlertAge?: number | null;
  /** Whether its calls go before the others of the tenant, in a lane of their own. Null: those fired by alerts of severity HIGH or CRITICAL, while a transaction is pending, or by hand. */
  urgent?: boolean | null;
  /** What the scripts of bindings may fill where the wallet asks for approvals, each with `values`, `min` and `max`, or `any`. All other parameters are as `params` gives them. */
  openParams?: CreateActionBodyOpenParam[];
};

export type CreateActionBodyDetector = {
  /** The binding; leave it out to add one. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** Expression over the alert `e` and the action `a` that decides whether the action fires; always if null. */
  scriptFilter?: string | null;
  /** Function parameter name to the expression that yields its value. */
  scriptParams?: Record<string, string>;
  /** The detector whose alerts fire the action. */
  detectorId?: number;
};

export type CreateActionBodyOpenParam = {
  /** Name of the parameter. */
  name: string;
  /** The values that it may have. */
  values?: string[];
  /** The least that it may be, of a whole number. */
  min?: string;
  /** The most that it may be, of a whole number. */
  max?: string;
  /** True where it may have any value. */
  any?: boolean;
};

export type CreateActionBodyParam = {
  /** Name of the parameter. */
  name: string;
  /** Its value. */
  value: string;
};

export type CreateActionBodyTriggerAlert = {
  /** The binding; leave it out to add one. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** Expression over the alert `e` and the action `a` that decides whether the action fires; always if null. */
  scriptFilter?: string | null;
  /** Function parameter name to the expression that yields its value. */
  scriptParams?: Record<string, string>;
  /** The trigger alert that fires the action. */
  triggerAlertId?: number;
};

export type CreateActionReply = Omit<Action, 'fireAt' | 'maxAlertAge' | 'urgent' | 'openParams'>;

export type CreateActionReplyDetector = Required<CreateActionBodyDetector>;

export type CreateActionReplyTriggerAlert = Required<CreateActionBodyTriggerAlert>;

export type CreateActionsBody = {
  /** The new records, checked as single ones are. */
  records: CreateActionBody[];
};

export type CreateActionsReply = {
  /** The records, in their order. */
  data: CreateActionReply[];
};

export type CreateAlertCommentBody = {
  /** What it says. */
  text: string;
};

export type CreateAlertCommentReply = {
  /** The comment. */
  id: number;
  /** The user who wrote it; null if a token without a user did. */
  authorId: number | null;
  /** Name of the author at the time. */
  author: string;
  /** What it says. */
  text: string;
  /** When it was written. In epoch milliseconds. */
  createdAt: number;
};

export type CreateApikeyBody = {
  /** What the key is for. */
  label: string;
  /** Seconds until the key ends: at most `apiKeyDays` of the plan, and as long if left out. */
  lifetime?: number;
  /** The tenant that the key acts in; your own if left out. */
  tenantId?: number;
  /** What the key may do: roles that you hold yourself, or `tenant-ingest`, which pushes findings and reads nothing. */
  roles: AuthMeReplyRole[];
};

export type CreateApikeyReply = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The tenant that the key acts in; your own if left out. */
  tenantId: number | null;
  /** The user who made the key. */
  userId: number | null;
  /** What the key is for. */
  label: string | null;
  /** What the key may do: roles that you hold yourself, or `tenant-ingest`, which pushes findings and reads nothing. */
  roles: AuthMeReplyRole[];
  /** The end of the key, to recognise it by. */
  hint: string;
  /** When the key ends; null if never. In epoch milliseconds. */
  expiredAt: number | null;
  /** The key. Keep it: it is not shown again. */
  token: string;
};

export type CreateChainBody = {
  /** Its name in every `chainUid`: 2 to 40 lower-case letters, digits and underscores. */
  chainUid: string;
  /** Family of the chain; evm if left out. */
  family?: CreateChainBodyFamily;
  /** Of EVM chains: the chain id, which transactions are signed for. */
  chainId?: number | null;
  /** Of other families: what nodes name the network by. Bitcoin: test, testnet4, signet or regtest; Solana, Tron, VeChain: the first block; Stellar: the passphrase; Internet Computer: the root key. */
  genesis?: string | null;
  /** What people call it. */
  name: string;
  /** Whether its money is worth something. */
  network: CreateChainBodyNetwork;
  /** Native currency. */
  currency: CreateChainBodyCurrency;
  explorer?: CreateChainBodyExplorer | null;
  /** Usual time between blocks in milliseconds. */
  blockTimeMs: number;
  /** Blocks that must lie on a block before an action follows from it; if left out 12 on a main network, 6 on a test network, 1 on a development network. */
  confirmations?: number;
  /** Of EVM chains: which block nodes are asked for as the newest final one; `confirmations` where they know none, so that depth alone decides. */
  finality?: Finality;
  /** Endpoints; each is asked for its network first. */
  endpoints?: string[];
};

/** Native currency. */
export type CreateChainBodyCurrency = {
  /** Short name. */
  symbol: string;
  /** Name; the symbol if left out. */
  name?: string;
  /** Digits after the point. */
  decimals: number;
};

/** Link patterns of a block explorer. */
export type CreateChainBodyExplorer = {
  /** Link to an address; `{}` stands for it. */
  address: string;
  /** Link to a transaction; `{}` stands for it. */
  transaction?: string | null;
  /** Link to a block; `{}` stands for it. */
  block?: string | null;
};

/** Family of the chain; evm if left out. */
export type CreateChainBodyFamily = 'evm' | 'bitcoin' | 'solana' | 'tron' | 'vechain' | 'stellar' | 'icp';

/** Whether its money is worth something. */
export type CreateChainBodyNetwork = 'MAINNET' | 'TESTNET' | 'DEVNET';

export type CreateChainEndpointBody = {
  /** Address of a JSON-RPC server of the chain: http, https, ws or wss. Private networks are allowed. */
  url: string;
  /** What people call it. */
  name?: string | null;
  /** Whether it is used. */
  status?: 'ACTIVE' | 'DISABLED';
};

export type CreateChainEndpointReply = {
  /** The endpoint. */
  uid: string;
  /** What people call it; of a fixed one its variable. */
  name: string | null;
  /** Its address; what may be an access key is masked. */
  url: string;
  /** Whether the environment sets it (`VIGIL_RPC_*`), so that it cannot be changed here. */
  isFixed: boolean;
  /** Whether it is used. */
  status: 'ACTIVE' | 'DISABLED';
  /** When it was added; null for a fixed one. In epoch milliseconds. */
  createdAt: number | null;
  /** When it last changed; null for a fixed one. In epoch milliseconds. */
  updatedAt: number | null;
};

export type CreateContractBody = {
  /** The owning project. */
  projectId: number;
  /** The chain. */
  chainUid: ChainUid;
  /** Direct address of the contract, in the form of its chain. */
  address: string;
  /** What to call it. */
  name: string;
  /** What sort of contract it is. */
  category?: string | null;
  /** Free labels. */
  tags?: string[];
  /** What stands at the address. */
  addressType?: AddressType;
  /** Whether the AML detector is required. */
  amlRequired?: boolean;
  /** URL of an icon. */
  icon?: string | null;
  /** Used as the main ABI even when the address is a proxy. Never shown. */
  abi?: Record<string, unknown>[] | null;
};

export type CreateContractsBody = {
  /** The new records, checked as single ones are. */
  records: CreateContractBody[];
};

export type CreateContractsReply = {
  /** The records, in their order. */
  data: Contract[];
};

export type CreateDestinationBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** Kind of destination. */
  type: CreateDestinationBodyType;
  /** What people call it. */
  name?: string | null;
  /** What reaches the destination where nothing else is bound: DETECTOR the alerts of detectors and triggers, WALLET those of actions, DEFAULT both. */
  tags?: CreateDestinationBodyTag[];
  /** The destination: an e-mail address, phone number or http uri. */
  value?: string | null;
  /** Name of the bot. */
  messengerABotUsername?: string | null;
  /** Who bound the destination; set by `/bind`. */
  messengerAUserId?: string | null;
  /** Name of who bound it; set by `/bind`. */
  messengerAUsername?: string | null;
  /** The chat; set by `/bind`. */
  messengerAChatId?: string | null;
  /** Title of the chat; set by `/bind`. */
  messengerAChatTitle?: string | null;
  /** Kind of chat; set by `/bind`. */
  messengerAChatType?: string | null;
  /** Webhook address. */
  messengerBUri?: string | null;
  /** The channel. */
  messengerBChannelId?: string | null;
  /** Name of the channel. */
  messengerBChannelName?: string | null;
  /** HTTP destination address. */
  uri?: string | null;
  method?: CreateDestinationBodyMethod | null;
  /** Settings of its kind; `GET /destination/kind` has a schema of them for each. Secrets show [sealed]. */
  settings?: Record<string, unknown>;
  /** Alerts that the destination gets of the whole tenant, of a project or of a contract, whatever else they are bound to. An alert comes once, however many ways lead to the destination. Bindings and `tags` go on as without. */
  gets?: CreateDestinationBodyGet[];
  /** Mails and chat messages within this many milliseconds of the last one go out together; 0 sends at once. */
  groupWindowMs?: number;
  /** HTTP headers of an HTTP destination. Values are shown as [sealed]. */
  headers?: Record<string, string> | null;
};

export type CreateDestinationBodyGet = {
  minSeverity?: MinSeverity | null;
  /** Only alerts that this query string finds; all if null. */
  query?: string | null;
  /** Only alerts of this project; of all projects if null. */
  projectId?: number | null;
  /** Only alerts of this contract; of all contracts if null. */
  contractId?: number | null;
};

/** HTTP method of an HTTP destination. */
export type CreateDestinationBodyMethod = 'POST' | 'PUT' | 'PATCH';

export type CreateDestinationBodyTag = 'DEFAULT' | 'DETECTOR' | 'WALLET';

/** Kind of destination. */
export type CreateDestinationBodyType = 'EMAIL' | 'MESSENGER_A' | 'HTTP' | 'MESSENGER_B' | 'PAGERDUTY' | 'TEAMS' | 'DISCORD' | 'ALERTMANAGER' | 'SYSLOG' | 'SNS' | 'SQS' | 'WEB_PUSH';

export type CreateDestinationReply = Omit<CreateDetectorReplyDestinationTenantDestination, 'type'>;

export type CreateDetectorBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The detector schema; or give `schemaName`. */
  schemaId?: number;
  /** Name of the detector schema, instead of `schemaId`: its newest version is used. */
  schemaName?: string;
  /** The contract that is watched. */
  contractId: number;
  /** What to call it. */
  name: string;
  /** Where its findings come from. */
  source?: CreateDetectorBodySource;
  /** Free labels. */
  tags?: string[];
  /** Detector configuration. */
  config?: Record<string, unknown>;
  /** Address of the page that says what to do about its alerts; every message about them has it. */
  runbookUrl?: string | null;
  /** What to do about its alerts, in place of what Vigil says; every message about them has it. */
  nextSteps?: string | null;
  /** Destinations that its alerts are sent to. */
  destinations?: CreateDetectorBodyDestination[];
  /** Actions that its alerts fire. */
  actions?: CreateDetectorBodyAction[];
};

export type CreateDetectorBodyAction = {
  /** The binding; leave it out to add one. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateDetectorBodyDestinationStatus;
  /** Expression over the alert `e` and the action `a` that decides whether the action fires; always if null. */
  scriptFilter?: string | null;
  /** Function parameter name to the expression that yields its value. */
  scriptParams?: Record<string, string>;
  /** The action to fire. */
  actionId?: number;
};

export type CreateDetectorBodyDestination = {
  /** The binding; leave it out to add one. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateDetectorBodyDestinationStatus;
  /** The destination. */
  tenantDestination?: TenantDestination;
  /** The destination to bind. */
  tenantDestinationId?: number;
  minSeverity?: MinSeverity | null;
  /** Only alerts that this query string finds; all if null. */
  query?: string | null;
  /** How many blocks must follow that of the alert before it is sent; at once if null or 0. */
  afterConfirmations?: number | null;
};

/** State of the record. */
export type CreateDetectorBodyDestinationStatus = 'ACTIVE' | 'DISABLED' | 'DELETED';

/** Where its findings come from. */
export type CreateDetectorBodySource = 'ATTACK_DETECTOR' | 'PLATFORM' | 'CUSTOM' | 'EXTERNAL' | 'IMPORT';

export type CreateDetectorReply = Omit<Detector, 'runbookUrl' | 'nextSteps'>;

export type CreateDetectorReplyAction = {
  /** The binding; leave it out to add one. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** Expression over the alert `e` and the action `a` that decides whether the action fires; always if null. */
  scriptFilter: string | null;
  /** Function parameter name to the expression that yields its value. */
  scriptParams: Record<string, string>;
  /** The action to fire. */
  actionId: number;
};

export type CreateDetectorReplyDestination = {
  /** The binding; leave it out to add one. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The destination. */
  tenantDestination: CreateDetectorReplyDestinationTenantDestination;
};

/** The destination. */
export type CreateDetectorReplyDestinationTenantDestination = Omit<Destination, 'settings' | 'gets' | 'groupWindowMs' | 'confirmed'>;

/** The detector schema. */
export type CreateDetectorReplySchema = Omit<DetectorSchema, 'configSchema'>;

/** Where its findings come from. */
export type CreateDetectorReplySource = 'ATTACK_DETECTOR' | 'PLATFORM' | 'CUSTOM' | 'EXTERNAL' | 'IMPORT';

export type CreateDetectorSchemaBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Title for people. */
  title: string;
  /** Name of the detector. */
  name: string;
  /** Version of the schema. */
  version: string;
  /** What it detects. */
  description?: string | null;
  /** Who wrote it. */
  author?: string | null;
  /** Address of an icon. */
  icon?: string | null;
  /** Category and further labels. */
  tags?: string[];
  /** Chain families that it works on. */
  networkTags?: string[];
  /** JSON Schema of the configuration. */
  configSchema?: Record<string, unknown> | null;
};

export type CreateDetectorsBody = {
  /** The new records, checked as single ones are. */
  records: CreateDetectorBody[];
};

export type CreateDetectorsReply = {
  /** The records, in their order. */
  data: CreateDetectorReply[];
};

export type CreateEscalationchainBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Its purpose. */
  description?: string | null;
  /** Who is called, in this order. Each names one of user, schedule or destination. */
  steps: CreateEscalationchainBodyStep[];
  /** How many times all steps are made again where no one answers. */
  repeat?: number;
};

export type CreateEscalationchainBodyStep = {
  /** Calls this user by the destinations of the contact (`/contact`). */
  userId?: number | null;
  /** Calls the user who is on call by this schedule at that time. */
  scheduleId?: number | null;
  /** Calls this destination. */
  destinationId?: number | null;
  /** How long it waits for an answer before the next step. */
  waitMinutes: number;
};

export type CreateInhibitionBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** What people call it. */
  name: string;
  /** Its purpose. */
  description?: string | null;
  /** While an incident with such an alert is open, it holds others of the same contract. A query string as in the search of alerts. */
  sourceQuery: string;
  /** The alerts of the same contract of which no one is notified meanwhile. One that the other query finds too is notified. A query string as in the search of alerts. */
  targetQuery: string;
  /** Whether it holds CRITICAL alerts too; people are notified of them otherwise. */
  includeCritical?: boolean;
};

export type CreateInstanceBody = {
  /** The license; on a change another version of it. */
  licenseId: number;
  /** The organisation that grants the license. */
  organisationId: number;
  /** The licensed project. */
  projectId: number;
  /** PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED. */
  licenseStatus?: CreateInstanceBodyLicenseStatus;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
};

/** PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED. */
export type CreateInstanceBodyLicenseStatus = 'PENDING' | 'LICENCED' | 'CANCELED';

export type CreateInstanceMetaBody = {
  /** The license instance. */
  licenseInstanceId: number;
  /** When the license begins, ISO 8601 UTC. */
  startedAt: string;
  /** When it ends, ISO 8601 UTC; never if null. */
  expiredAt?: string | null;
};

export type CreateInviteBody = {
  /** Roles granted to the invited user. */
  roles: CreateUserBodyRole[];
  /** The page that accepts the invite; it is placed into the mail. Any http or https address; VIGIL_INVITE_ORIGINS restricts it to the origins that the operator names. */
  url: string;
  /** The tenant that the user will belong to; your own if left out. */
  tenantId?: number;
  /** The organisation of that tenant. */
  organisationId?: number;
  /** Address the invite is made for. */
  email: string;
};

export type CreateLabelBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The owning tenant; your own if left out. An administrator who leaves it out makes a label for the whole platform, which every tenant sees. */
  tenantId?: number | null;
  chainUid?: CreateLabelBodyChainUid | null;
  /** The address, shown in its canonical spelling. */
  address: string;
  /** What to call the address. */
  name?: string | null;
  /** What the address is known as, kept in capitals. Detectors know SANCTION, EXPLOIT, MIXER, BRIDGE, SCAM, SPENDER, EXCHANGE; others may be used. */
  tags?: string[];
  /** How suspicious the address is, from 0 to 100. */
  score?: number;
  /** Where the label comes from; the same address may have one of each source. */
  source?: string | null;
  /** Anything else worth knowing. */
  note?: string | null;
};

/** The chain on which the label holds; every EVM chain if left out. */
export type CreateLabelBodyChainUid = 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana';

export type CreateLabelsBody = {
  /** The new records, checked as single ones are. */
  records: CreateLabelBody[];
};

export type CreateLabelsReply = {
  /** The records, in their order. */
  data: Label[];
};

export type CreateLicenseBody = {
  /** Name of the license. */
  name: string;
  /** Version of the license. */
  version: string;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Address of an icon. */
  icon?: string | null;
  /** Dynamic parameters held as a JSON text: `min` (0) and `max` (100) bound a score, `start` (max) is where it begins, `tick` is a schedule such as "1 day" by which the scripts are asked, and any other members are for the scripts. */
  params?: string | null;
  /** JavaScript that names the score groups which an event concerns: a text, a list of texts, or nothing. It sees `e` (the alert, or `{ type: "tick", timestamp }`), `l` (the params) and `s` (present scores by group). Without it every active score group is meant. */
  groupScript?: string | null;
  /** JavaScript that gives the change of the score of one group: a number, `{ change, key, value }`, or nothing. It sees what the group script sees, and `group` and `score` (the present one). */
  scoreScript?: string | null;
};

export type CreateOrganisationBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Unique name. */
  name: string;
  /** What the organisation is. */
  description?: string | null;
};

/** State of the record. */
export type CreateOrganisationBodyStatus = 'ACTIVE' | 'DISABLED' | 'DELETED';

export type CreatePlanBody = {
  /** Unique name. */
  name: string;
  /** Most users of a tenant. */
  maxUsers: number;
  /** Most contracts of a tenant. */
  maxContracts: number;
  /** Most projects of a tenant. */
  maxProjects: number;
  /** Most triggers of a tenant. */
  maxTriggers: number;
  /** Most detectors of a tenant. */
  maxDetectors: number;
  /** Most wallets of a tenant. */
  maxWallets: number;
  /** Most actions of a tenant. */
  maxActions: number;
  /** Most API keys of a tenant. */
  maxApiKeys: number;
  /** Most detector alerts of one severity and above that notify a tenant in `detectorRateLimitDuration`. */
  detectorRateLimit?: number;
  /** Length of that time in milliseconds. */
  detectorRateLimitDuration?: number;
  /** Most destinations of a tenant. */
  maxDestinations?: number;
  /** Most address labels of a tenant. */
  maxLabels?: number;
  /** Most streams of alerts that a tenant has open at once, in each process. */
  maxStreams?: number;
  /** Most open invites of a tenant. */
  maxInvites?: number;
  /** Most saved views of a tenant. */
  maxViews?: number;
  /** Most time sets of a tenant. */
  maxTimeSets?: number;
  /** Most silences of a tenant that have not ended. */
  maxSilences?: number;
  /** Most on-call schedules of a tenant. */
  maxSchedules?: number;
  /** Most escalation chains of a tenant. */
  maxEscalationChains?: number;
  /** Most routes of a tenant. */
  maxRoutes?: number;
  /** Most inhibitions of a tenant. */
  maxInhibitions?: number;
  /** Most planned changes of a tenant whose window has not ended. */
  maxPlannedChanges?: number;
  /** Most days that an API key lives, and how long it does where no `lifetime` is given. */
  apiKeyDays?: number;
  /** Most alerts that a tenant pushes in a minute. */
  maxPushedAlerts?: number;
};

export type CreatePlanReply = Pick<Plan, 'id' | 'createdAt' | 'updatedAt' | 'name' | 'maxUsers' | 'maxContracts' | 'maxProjects' | 'maxTriggers' | 'maxDetectors' | 'maxWallets' | 'maxActions' | 'maxApiKeys' | 'detectorRateLimit' | 'detectorRateLimitDuration'>;

export type CreatePlannedchangeBody = {
  /** The contract that changes. */
  contractId: number;
  /** What people call it. */
  name: string;
  /** What is planned, and why. */
  description?: string | null;
  /** Addresses of which one must send the transaction or be called by its sender; anyone if empty. */
  actors?: string[];
  /** When its window begins. In epoch milliseconds. */
  from: number;
  /** When its window ends, at most 30 days after it begins. In epoch milliseconds. */
  to: number;
  /** The alerts that it will raise. */
  expected: CreatePlannedchangeBodyExpected[];
  /** Whether a second person must confirm it; always where a wallet of the tenant asks for approvals. */
  needsConfirmation?: boolean;
};

export type CreatePlannedchangeBodyExpected = {
  /** The kind of the detector, or the type of the trigger, that will report it. */
  kind: string;
  /** Members of the evidence (`meta`) of the alert, and the value that each must have. */
  values?: Record<string, string>;
  /** The member of the evidence that is an amount. */
  amountMember?: string | null;
  /** The most that this amount may be, over all alerts of the window together. */
  amountUpTo?: string | null;
};

export type CreateProjectBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Legal name of the company behind it. */
  legalName?: string | null;
  /** What the project is. */
  description?: string | null;
  /** Address of an icon. */
  icon?: string | null;
  /** Address of the website. */
  website?: string | null;
  networkStatus?: NetworkStatus | null;
  /** Identifier of the project in an external market-data service. */
  marketDataId?: string | null;
  /** Any parameters; tenants that it is shared with do not see the member `private`. */
  params?: Record<string, unknown> | null;
  /** Free labels. */
  tags?: string[];
  /** Tenants that may view the project, its contracts and their alerts once they have accepted (`/share`). They do not see each other here. */
  viewTenantIds?: number[];
  /** What sort of project it is. */
  type?: string | null;
  /** Any further data; tenants that it is shared with do not see the member `private`. */
  meta?: Record<string, unknown> | null;
};

export type CreateRouteBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** A DISABLED route takes nothing, nor do those below it. Routes are on while the root is ACTIVE; a root is made DISABLED unless it says otherwise, and other routes ACTIVE. */
  status?: CreateRouteBodyStatus;
  /** The route above it; null for the root, of which a tenant has one. */
  parentId?: number | null;
  /** Its turn among the routes of its parent: the lowest first. Last if left out. */
  order?: number;
  /** What people call it. */
  name: string;
  /** Its purpose. */
  description?: string | null;
  /** The alerts that it takes: a query string as in the search of alerts; all if null. The root takes what no other route does. */
  query?: string | null;
  /** Whether an alert that it took is offered to the next routes of its parent too. */
  continue?: boolean;
  /** What alerts have in common that come together and are repeated as one: their incident, contract, or kind of detector or trigger. NONE: each comes alone. */
  groupBy?: GroupBy;
  /** How long the first alert of a group waits for others that come with it. In seconds. */
  waitSeconds?: number;
  /** How long further alerts of a group wait after its last message, unless they are worse than all before. If null, those that people read come after 5 minutes, or 1 where they are HIGH or CRITICAL, and others at once. In seconds. */
  intervalSeconds?: number | null;
  /** How often a group is notified again until its alerts are acknowledged, resolved or retracted; never if null. In seconds. */
  repeatSeconds?: number | null;
  /** The time set within which alone it takes alerts; outside of it they go on to the next route. Always if null. */
  activeTimeSetId?: number | null;
  /** The time set within which it notifies of no alert that it takes, except CRITICAL ones. Never if null. */
  muteTimeSetId?: number | null;
  minSeverity?: CreateRouteBodyMinSeverity | null;
  /** The escalation chain that it runs for the incident of an alert of which it notifies. With one, a route without destinations leaves none to those of its parent. None if null. */
  escalationChainId?: number | null;
  /** The destinations that get its alerts. Where none of them can be reached, or there is none, those of its parent get them. */
  destinationIds?: number[];
};

/** It notifies of alerts that are at least this bad; of all if null. */
export type CreateRouteBodyMinSeverity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** A DISABLED route takes nothing, nor do those below it. Routes are on while the root is ACTIVE; a root is made DISABLED unless it says otherwise, and other routes ACTIVE. */
export type CreateRouteBodyStatus = 'ACTIVE' | 'DISABLED' | 'DELETED';

export type CreateScheduleBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Its purpose. */
  description?: string | null;
  /** The zone whose clocks count: a name of the IANA database, UTC, or an offset. */
  zone: string;
  /** Rotations. The first one that has someone at a time counts. */
  layers: CreateScheduleBodyLayer[];
  /** Times for which someone else is on call. They go before all layers and do not overlap. */
  overrides?: CreateScheduleBodyOverride[];
};

export type CreateScheduleBodyLayer = {
  /** What people call it. */
  name?: string | null;
  /** Who takes turns, in this order. */
  userIds: number[];
  /** What turns are counted in. Days and weeks are those of the calendar; hours are real hours from `start` on. */
  unit: CreateScheduleBodyLayerUnit;
  /** How many of them a turn lasts. */
  every: number;
  /** When the first turn begins; before that the layer has no one. In epoch milliseconds. */
  start: number;
  /** The local time at which turns of days and weeks end; that of `start` if null. Where a switch of daylight saving skips it, they end at the switch; where it comes twice, they end once. */
  handover?: string | null;
  /** The zone of its clocks; that of the schedule if null. */
  zone?: string | null;
  /** The times at which it counts: in any of these ranges. At all times if empty. Turns pass at other times too. */
  restrictions?: CreateScheduleBodyLayerRestriction[];
};

export type CreateScheduleBodyLayerRestriction = {
  /** When it begins, by the clocks of the zone; 00:00 if null. */
  from?: string | null;
  /** When it ends, 24:00 if null. At or before `from`: on the next day. */
  to?: string | null;
  /** The weekdays on which it begins; all if empty. */
  weekdays?: CreateTimesetBodyRangeWeekday[];
};

/** What turns are counted in. Days and weeks are those of the calendar; hours are real hours from `start` on. */
export type CreateScheduleBodyLayerUnit = 'HOURS' | 'DAYS' | 'WEEKS';

export type CreateScheduleBodyOverride = {
  /** The user who is on call. */
  userId: number;
  /** From when on. In epoch milliseconds. */
  from: number;
  /** Until when, at most 366 days later. In epoch milliseconds. */
  to: number;
  /** Why. */
  note?: string | null;
  /** The event of the calendar that it was imported from; null if it was made here. */
  uid?: string | null;
};

export type CreateScheduleCalendarReply = {
  /** The address. */
  url: string;
};

export type CreateScoreGroupBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Name, unique in the license. */
  name: string;
  /** Title for people. */
  title?: string | null;
  /** What the group is about. */
  description?: string | null;
  /** The license that the group belongs to. */
  licenseId: number;
};

export type CreateSilenceBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** The alerts of which no one is notified: a query string as in the search of alerts, `*` for all. */
  query: string;
  /** From when on; from now if left out. In epoch milliseconds. */
  from?: number;
  /** Until when, at most 90 days after it begins. Required, because a silence without an end would hide what no one expects. In epoch milliseconds. */
  to: number;
  /** The time set within which alone it holds; at all times if null. */
  timeSetId?: number | null;
  /** Whether it holds for CRITICAL alerts too; people are notified of them otherwise. */
  includeCritical?: boolean;
  /** Why, for those who wonder later. */
  reason: string;
};

export type CreateSubscriptionBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** When it begins; now if left out. In epoch milliseconds. */
  startDate?: number;
  /** When it ends; later than `startDate`. In epoch milliseconds. */
  expirationDate: number;
  /** The plan. */
  planId: number;
  /** Days before the end on which a notice is mailed. */
  notifyBeforeExpireDays?: number[];
};

export type CreateTenantBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The organisation that the tenant belongs to. */
  organisationId?: number | null;
  /** Unique name. */
  name: string;
  /** What the tenant is. */
  description?: string | null;
};

export type CreateTimesetBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Its purpose. */
  description?: string | null;
  /** The zone whose clocks count: a name of the IANA database, UTC, or an offset. Local times that a switch of daylight saving skips never hold, and those that it repeats hold twice. */
  zone: string;
  /** The times at which it holds: in any of these ranges. */
  ranges: CreateTimesetBodyRange[];
};

export type CreateTimesetBodyRange = {
  /** When it begins, by the clocks of the zone; 00:00 if null. */
  from?: string | null;
  /** When it ends, 24:00 if null. At or before `from`: on the next day. */
  to?: string | null;
  /** The weekdays on which it begins; all if empty. */
  weekdays?: CreateTimesetBodyRangeWeekday[];
  /** The days of the month on which it begins, -1 for the last one; all if empty. */
  daysOfMonth?: number[];
  /** The months in which it begins, 1 to 12; all if empty. */
  months?: number[];
  /** The years in which it begins; all if empty. */
  years?: number[];
};

export type CreateTimesetBodyRangeWeekday = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN';

export type CreateTokenomicsCategoryBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The token contract. */
  contractId: number;
  /** Name of the category. */
  name: string;
  /** What the share is for. */
  description?: string | null;
  /** Address that holds the allocation, in the form of the contract’s chain. */
  address?: string | null;
  /** The whole allocation in tokens. */
  amount?: string | null;
};

export type CreateTokenomicsScheduleBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The category. */
  categoryId: number;
  /** Name of the schedule. */
  name: string;
  /** Dated amounts, kept in order of time; several of one time add up. */
  amounts: CreateTokenomicsScheduleBodyAmount[];
};

export type CreateTokenomicsScheduleBodyAmount = {
  /** When the amount is released. In epoch milliseconds. */
  timestamp: number;
  /** How many tokens. */
  amount: string;
};

export type CreateTriggerBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The contract that is watched. */
  contractId: number;
  /** What to call it. */
  name: string;
  /** What it looks for. */
  triggerType: TriggerType;
  /** Parameters of the condition. */
  params?: Record<string, unknown>;
  /** Free labels. */
  tags?: string[];
  /** Address of the page that says what to do about its alerts; every message about them has it. */
  runbookUrl?: string | null;
  /** What to do about its alerts, in place of what Vigil says; every message about them has it. */
  nextSteps?: string | null;
  /** Alerts that it raises. */
  alerts?: CreateTriggerBodyAlert[];
};

export type CreateTriggerBodyAlert = {
  /** The binding; leave it out to add one. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** How bad it is. */
  severity?: Severity;
  /** Name of the alert. */
  name?: string;
  /** Message of the alert. {member} stands for a member of what the trigger finds, or for severity, name, timestamp, txHash and other members of the alert; one that it cannot have is refused, and the refusal lists those that it can. */
  message?: string | null;
  /** Destinations that the alert is sent to. */
  destinations?: CreateTriggerBodyAlertDestination[];
  /** Actions that the alert fires. */
  actions?: CreateTriggerBodyAlertAction[];
};

export type CreateTriggerBodyAlertAction = Omit<CreateDetectorBodyAction, 'status'>;

export type CreateTriggerBodyAlertDestination = {
  /** The binding; leave it out to add one. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** The destination. */
  tenantDestination?: CreateTriggerBodyAlertDestinationTenantDestination;
  /** The destination to bind. */
  tenantDestinationId?: number;
  minSeverity?: MinSeverity | null;
  /** Only alerts that this query string finds; all if null. */
  query?: string | null;
  /** How many blocks must follow that of the alert before it is sent; at once if null or 0. */
  afterConfirmations?: number | null;
};

/** The destination. */
export type CreateTriggerBodyAlertDestinationTenantDestination = CreateDestinationReply;

export type CreateTriggerReply = Omit<Trigger, 'runbookUrl' | 'nextSteps'>;

export type CreateTriggerReplyAlert = {
  /** The binding; leave it out to add one. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** How bad it is. */
  severity: Severity;
  /** Name of the alert. */
  name: string;
  /** Message of the alert. {member} stands for a member of what the trigger finds, or for severity, name, timestamp, txHash and other members of the alert; one that it cannot have is refused, and the refusal lists those that it can. */
  message: string | null;
  /** Destinations that the alert is sent to. */
  destinations: CreateTriggerReplyAlertDestination[];
  /** Actions that the alert fires. */
  actions: CreateTriggerReplyAlertAction[];
};

export type CreateTriggerReplyAlertAction = Required<Omit<CreateDetectorBodyAction, 'status'>>;

export type CreateTriggerReplyAlertDestination = {
  /** The binding; leave it out to add one. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The destination. */
  tenantDestination: CreateTriggerReplyAlertDestinationTenantDestination;
};

/** The destination. */
export type CreateTriggerReplyAlertDestinationTenantDestination = CreateDestinationReply;

export type CreateTriggersBody = {
  /** The new records, checked as single ones are. */
  records: CreateTriggerBody[];
};

export type CreateTriggersReply = {
  /** The records, in their order. */
  data: CreateTriggerReply[];
};

export type CreateUserBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The tenant of the user; none for an administrator. */
  tenantId?: number | null;
  /** Unique in the tenant, kept in lower case; the user logs in with it. A new one needs a new `password` along with it. */
  email: string;
  /** How the user is called. */
  name?: string | null;
  /** What the user may do. */
  roles: CreateUserBodyRole[];
  /** 12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own names are refused. */
  password?: string | null;
};

export type CreateUserBodyRole = 'tenant-viewer' | 'tenant-user' | 'tenant-manager' | 'organisation-viewer' | 'organisation-user' | 'organisation-manager' | 'admin';

export type CreateViewBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** Name, unique among the views of its owner. */
  name: string;
  /** The query string of the search of alerts; blank finds all. */
  query?: string;
  /** Members of the alerts that are shown, in this order; `meta.amount` is a member of `meta`. */
  columns?: string[];
  /** The time that is searched: the last minutes, hours or days (`30m`, `24h`, `7d`), or from one time to another in epoch milliseconds (`1792108800000-1794787199999`). */
  timeRange?: string | null;
  /** Whether everyone in the tenant sees it. */
  shared?: boolean;
};

export type CreateWalletBody = {
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** The chain. */
  chainUid: ChainUid;
  /** What to call it. */
  name: string;
  /** Where the key lives: sealed here, or in a hardware module. */
  type?: 'DEFAULT' | 'HSM';
  /** Free labels. */
  tags?: string[];
  /** Private key in the form of its chain; allowed only when `type` is DEFAULT. */
  privateKey?: string | null;
  /** Most that a unit of gas may cost: in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar. What is usual on the chain if left out, no limit if null. */
  maxGasPrice?: string | null;
  /** Most that gas may cost within an hour, in the currency of the chain; what is usual there if left out, no limit if null. */
  maxHourlySpend?: string | null;
  /** What the wallet may call, when an action is saved and when it is fired; nothing if empty, which is how a new wallet begins, and every contract of the tenant if null. */
  allowedCalls?: CreateWalletBodyAllowedCalls[] | null;
  /** Whether changing the wallet or its actions and executing them by hand waits for the approval of a second user. Alerts fire them without asking. */
  requireApproval?: boolean;
  /** Users of the tenant who alone may approve what touches the wallet; any other user than the one who asks if left out or null. */
  approvers?: number[] | null;
};

export type CreateWalletBodyAllowedCalls = {
  /** A contract of the tenant. */
  contractId?: number | null;
  /** Or its address. */
  address?: string;
  /** Functions that may be called; every one if left out or null. */
  functions?: string[] | null;
};

export type CreateWalletReply = Omit<Wallet, 'maxGasPrice' | 'maxHourlySpend' | 'allowedCalls' | 'requireApproval' | 'approvers'>;

export type CurrentApikeyReply = {
  /** API keys that the user has made and that still live. */
  data: Apikey[];
};

export type DeleteActionReply = {
  /** The deleted action. */
  id: number;
};

export type DeleteAlertCommentReply = {
  /** The deleted comment. */
  id: number;
};

export type DeleteApikeyReply = {
  /** The deleted API key. */
  id: number;
};

export type DeleteAuthSessionReply = {
  /** The session that ended. */
  id: number;
};

export type DeleteChainEndpointReply = {
  /** The endpoint. */
  uid: string;
};

export type DeleteChainReply = {
  /** The chain. */
  chainUid: ChainUid;
};

export type DeleteContractReply = {
  /** The deleted contract. */
  id: number;
};

export type DeleteDestinationReply = {
  /** The deleted destination. */
  id: number;
};

export type DeleteDetectorReply = {
  /** The deleted detector. */
  id: number;
};

export type DeleteDetectorSchemaReply = {
  /** The deleted detector schema. */
  id: number;
};

export type DeleteEscalationchainReply = {
  /** The deleted escalation chain. */
  id: number;
};

export type DeleteInhibitionReply = {
  /** The deleted inhibition. */
  id: number;
};

export type DeleteInstanceMetaReply = {
  /** The deleted license instance period. */
  id: number;
};

export type DeleteInstanceReply = {
  /** The deleted license instance. */
  id: number;
};

export type DeleteInviteReply = {
  /** The deleted invite. */
  id: number;
};

export type DeleteLabelReply = {
  /** The deleted label. */
  id: number;
};

export type DeleteLicenseReply = {
  /** The deleted license. */
  id: number;
};

export type DeleteOrganisationReply = {
  /** The deleted organisation. */
  id: number;
};

export type DeletePlanReply = {
  /** The deleted plan. */
  id: number;
};

export type DeleteProjectReply = {
  /** The deleted project. */
  id: number;
};

export type DeleteRouteReply = {
  /** The deleted route. */
  id: number;
};

export type DeleteScheduleReply = {
  /** The deleted schedule. */
  id: number;
};

export type DeleteScoreGroupReply = {
  /** The deleted score group. */
  id: number;
};

export type DeleteSubscriptionReply = {
  /** The deleted subscription. */
  id: number;
};

export type DeleteTenantReply = {
  /** The deleted tenant. */
  id: number;
};

export type DeleteTimesetReply = {
  /** The deleted time set. */
  id: number;
};

export type DeleteTokenomicsCategoryReply = {
  /** The uid of the deleted record. */
  uid: string;
};

export type DeleteTriggerReply = {
  /** The deleted trigger. */
  id: number;
};

export type DeleteUserReply = {
  /** The deleted user. */
  id: number;
};

export type DeleteViewReply = {
  /** The deleted view. */
  id: number;
};

export type DeleteWalletReply = {
  /** The deleted wallet. */
  id: number;
};

export type Destination = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** Kind of destination. */
  type: CreateDestinationBodyType;
  /** What people call it. */
  name: string | null;
  /** Identifier to bind the destination with; for MESSENGER_A the text to send to the bot. */
  uid: string;
  /** What reaches the destination where nothing else is bound: DETECTOR the alerts of detectors and triggers, WALLET those of actions, DEFAULT both. */
  tags: CreateDestinationBodyTag[];
  /** The destination: an e-mail address, phone number or http uri. */
  value: string | null;
  /** Name of the bot. */
  messengerABotUsername: string | null;
  /** Who bound the destination; set by `/bind`. */
  messengerAUserId: string | null;
  /** Name of who bound it; set by `/bind`. */
  messengerAUsername: string | null;
  /** The chat; set by `/bind`. */
  messengerAChatId: string | null;
  /** Title of the chat; set by `/bind`. */
  messengerAChatTitle: string | null;
  /** Kind of chat; set by `/bind`. */
  messengerAChatType: string | null;
  /** Webhook address. */
  messengerBUri: string | null;
  /** The channel. */
  messengerBChannelId: string | null;
  /** Name of the channel. */
  messengerBChannelName: string | null;
  /** HTTP destination address. */
  uri: string | null;
  method: CreateDestinationBodyMethod | null;
  /** HTTP headers of an HTTP destination. Values are shown as [sealed]. */
  headers: Record<string, string> | null;
  /** Settings of its kind; `GET /destination/kind` has a schema of them for each. Secrets show [sealed]. */
  settings: Record<string, unknown>;
  /** Alerts that the destination gets of the whole tenant, of a project or of a contract, whatever else they are bound to. An alert comes once, however many ways lead to the destination. Bindings and `tags` go on as without. */
  gets: CreateDestinationBodyGet[];
  /** Mails and chat messages within this many milliseconds of the last one go out together; 0 sends at once. */
  groupWindowMs: number;
  /** Whether the e-mail address was confirmed by the link that was mailed to it; before that nothing else is sent there. Null for other kinds. */
  confirmed: boolean | null;
};

export type DestinationBindingReply = {
  /** The bindings. */
  data: Array<{
    /** What is bound. */
    kind: 'detector' | 'trigger' | 'action';
    /** The detector, trigger or action. */
    recordId: number;
    /** Its name; for a trigger that of its alert as well. */
    name: string;
    /** The binding inside that record. */
    bindingId: number;
    /** Only alerts that are at least this bad. */
    minSeverity: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | null;
    /** Only alerts that this query string finds. */
    query: string | null;
    /** How many blocks must follow that of the alert before it is sent. */
    afterConfirmations: number | null;
    /** A condition of the query that no alert can meet, such as a misspelt member; null if there is none. */
    fault: string | null;
  }>;
};

export type DestinationCallbackReply = {
  /** Whether something changed. */
  applied: boolean;
  /** applied; ignored: about something else; stale: older than a day; replayed: it came before; overtaken: a newer one came before; unchanged: Vigil said so already. */
  outcome: 'applied' | 'ignored' | 'stale' | 'replayed' | 'overtaken' | 'unchanged';
};

export type DestinationDeliveryReply = {
  /** Whether anything is sent to it. */
  status: 'ACTIVE' | 'DISABLED';
  /** Since when nothing has got through. In epoch milliseconds. */
  failingSince: number | null;
  /** Reason that nothing is sent any more. */
  disabledReason: string | null;
  /** Mails and chat messages within this time of the last one go out together. */
  groupWindowMs: number;
  /** The deliveries. */
  data: ReplayDeliveryReply[];
};

/** Nothing reached another destination of the tenant for five days, or it wants no more. */
export type DestinationDisabledWebhook = {
  /** What happened. */
  type: 'destination.disabled';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** A destination that Vigil no longer sends to. */
  data: WebhookDestination;
};

export type DestinationKindReply = {
  /** The kinds. */
  data: Array<{
    /** The `type` of its destinations. */
    type: 'EMAIL' | 'MESSENGER_A' | 'HTTP' | 'MESSENGER_B' | 'PAGERDUTY' | 'TEAMS' | 'DISCORD' | 'ALERTMANAGER' | 'SYSLOG' | 'SNS' | 'SQS' | 'WEB_PUSH';
    /** What people call it; the operator may have named it. */
    title: string;
    /** What a person has to do to add one. */
    about: string;
    /** Members of the record that a form asks for, beside those that every kind has. */
    members: string[];
    /** JSON Schema of `settings`, in the order of `x-order`; secrets are `writeOnly`. */
    settings: Record<string, unknown>;
    /** Members and settings that are sealed and never shown. */
    secrets: string[];
    /** People read it: they get one message about an incident. */
    isGrouped: boolean;
    /** Its address is confirmed by a link that is mailed there. */
    isConfirmed: boolean;
    /** A chat binds itself with the text in `uid`. */
    isBoundByChat: boolean;
    /** Vigil makes a secret that signs its messages. */
    isSigned: boolean;
    /** Vigil can send to it: the operator has set what it needs. */
    isSetUp: boolean;
  }>;
};

export type DestinationPage = {
  /** The records of this page. */
  data: CreateDestinationReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type DestinationSecretReply = {
  /** The new secret. */
  secret: string;
  /** Until when the old secret signs as well. In epoch milliseconds. */
  previousUntil: number;
};

export type Detector = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The detector schema. */
  schema: CreateDetectorReplySchema;
  /** The contract that is watched. */
  contractId: number;
  /** What to call it. */
  name: string;
  /** Where its findings come from. */
  source: CreateDetectorReplySource;
  /** Free labels. */
  tags: string[];
  /** Detector configuration. */
  config: Record<string, unknown>;
  /** Destinations that its alerts are sent to. */
  destinations: CreateDetectorReplyDestination[];
  /** Actions that its alerts fire. */
  actions: CreateDetectorReplyAction[];
  /** Address of the page that says what to do about its alerts; every message about them has it. */
  runbookUrl: string | null;
  /** What to do about its alerts, in place of what Vigil says; every message about them has it. */
  nextSteps: string | null;
};

export type DetectorFaultReply = {
  /** Whether its last evaluation went well, and, where it needs traces, no transaction of its chain stayed unseen for a day. */
  works: boolean;
  /** How it failed, or which transaction or block it was not shown the calls of. */
  message: string | null;
  /** Faults in a row, or blocks of which calls were not seen. */
  count: number;
  /** When the first of them happened. In epoch milliseconds. */
  firstAt: number | null;
  /** When the last of them happened. In epoch milliseconds. */
  lastAt: number | null;
};

export type DetectorPage = {
  /** The records of this page. */
  data: CreateDetectorReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type DetectorQualityReply = {
  /** The share of TRUE among the judged incidents, without those of tests; null before any is judged. */
  precision: number | null;
  /** How many incidents with its alerts were judged. */
  total: number;
  /** These by disposition. */
  judged: {
    /** An attack or a real fault. */
    TRUE: number;
    /** Harmless. */
    BENIGN: number;
    /** Expected. */
    KNOWN: number;
    /** Made by a test. */
    TEST: number;
  };
  /** How many of its alerts were acknowledged. */
  acknowledged: number;
  /** Median time from an alert to its first acknowledgement, in milliseconds. */
  medianMs: number | null;
};

export type DetectorSchema = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** Title for people. */
  title: string;
  /** Name of the detector. */
  name: string;
  /** Version of the schema. */
  version: string;
  /** What it detects. */
  description: string | null;
  /** Who wrote it. */
  author: string | null;
  /** Address of an icon. */
  icon: string | null;
  /** Category and further labels. */
  tags: string[];
  /** Chain families that it works on. */
  networkTags: string[];
  /** JSON Schema of the configuration. */
  configSchema: Record<string, unknown> | null;
};

export type DetectorSchemaPage = {
  /** The records of this page. */
  data: DetectorSchema[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type EndScheduleCalendarReply = {
  /** The schedule. */
  id: number;
};

export type EndUserSessionsReply = {
  /** How many sessions have ended. */
  ended: number;
};

export type EscalateIncidentBody = {
  /** The escalation chain. */
  escalationChainId: number;
};

export type EscalateIncidentReply = {
  /** The chains that ran, the newest first, at most 100. */
  escalations: AlertOutcomeReplyEscalation[];
};

export type Escalationchain = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Its purpose. */
  description: string | null;
  /** Who is called, in this order. Each names one of user, schedule or destination. */
  steps: CreateEscalationchainBodyStep[];
  /** How many times all steps are made again where no one answers. */
  repeat: number;
};

export type EscalationchainPage = {
  /** The records of this page. */
  data: Escalationchain[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type ExecuteActionBody = {
  /** Values by the name of their parameter; they go before those of the action. */
  params?: Record<string, unknown>;
};

export type ExecuteActionReply = {
  /** The intent. */
  uid: string;
  /** The action. */
  actionId: number;
  /** How far it is. */
  state: AlertOutcomeReplyIntentState;
  /** Why it failed, was skipped or cancelled, or what it waits for; null only when it is confirmed. */
  reason: string | null;
  /** What fired it: `detector` or `trigger` with the id of the binding, or `manual`; `filler` calls nothing and uses up a number of the wallet that was missing. */
  binding: string;
  /** The alert that fired it. */
  alertUid: string | null;
  /** The block of the alert. */
  blockNumber: number | null;
  /** When its alert may fire it. */
  fireAt: AlertOutcomeReplyIntentFireAt;
  /** When it came into being. In epoch milliseconds. */
  createdAt: number;
  /** When it last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The wallet that signs. */
  walletId: number;
  /** The address. */
  walletAddress: string | null;
  call: AlertOutcomeReplyIntentCall | null;
  /** The number of the transaction in its account. */
  nonce: number | null;
  /** The transaction. */
  txHash: string | null;
  /** The block that holds it. */
  minedBlock: number | null;
  /** What gas may cost while it is under way, and did cost once it is over. In the smallest unit of the currency. */
  cost: string;
  /** Everything that was signed for it. All have the same number, so that the chain takes at most one. */
  transactions: AlertOutcomeReplyIntentTransaction[];
};

export type ExplainDetectorBody = {
  /** The transaction. */
  txHash: string;
};

export type ExplainDetectorReply = {
  /** What comes of it. */
  verdict: 'ALERT' | 'NO_ALERT' | 'FAULT';
  /** How the verdict was reached. */
  steps: Array<{
    /** The checked condition. */
    step: string;
    /** Result of the step. */
    text: string;
    /** What it was seen from. */
    details?: Record<string, unknown>;
  }>;
  /** The alerts. */
  alerts: BacktestResultSample[];
};

/** Of EVM chains: which block nodes are asked for as the newest final one; `confirmations` where they know none, so that depth alone decides. */
export type Finality = 'finalized' | 'safe' | 'confirmations';

/** When an alert fires it: while its transaction is pending, priced to be mined before it; as soon as a block has it; or when that block has the confirmations of the chain. */
export type FireAt = 'pending' | 'head' | 'confirmed';

export type GetLinkReply = {
  /** What the link does. */
  action: GetLinkReplyAction;
  /** To what. */
  subject: 'alert' | 'incident';
  /** Its identifier. */
  uid: string;
  /** Until when the link works. In epoch milliseconds. */
  expiresAt: number;
  /** The destination that it was sent to. */
  sentTo: string;
  /** Whose alert it is. */
  tenant: string;
  /** How bad it is. */
  severity: Severity;
  /** Name of the alert, or of the worst one of the incident. */
  name: string;
  /** Its message. */
  message: string;
  /** Its status. */
  status: GetLinkReplyStatus;
  /** How many alerts the incident has. */
  alerts: number;
};

/** What the link does. */
export type GetLinkReplyAction = 'acknowledge' | 'assign' | 'resolve' | 'silence' | 'halt';

/** Its status. */
export type GetLinkReplyStatus = 'UNRESOLVED' | 'RESOLVED' | 'RETRACTED';

/** What alerts have in common that come together and are repeated as one: their incident, contract, or kind of detector or trigger. NONE: each comes alone. */
export type GroupBy = 'INCIDENT' | 'CONTRACT' | 'KIND' | 'NONE';

export type HaltActionsBody = {
  /** The tenant; yours if left out. */
  tenantId?: number;
  /** Why, for the audit log. */
  reason?: string;
};

export type HaltActionsReply = {
  /** The tenant. */
  tenantId: number;
  /** True if actions are halted. */
  halted: boolean;
  /** Since when. In epoch milliseconds. */
  haltedAt: number | null;
  /** How many waiting intents were cancelled by this request. */
  canceled: number;
};

export type HeartbeatReply = {
  /** Whether chains are followed and queues move. */
  isOk: boolean;
  /** Since when it is as it is; null before any process has judged. In epoch milliseconds. */
  since: number | null;
  /** When a process judged last. In epoch milliseconds. */
  checkedAt: number | null;
  /** Everything that keeps the heartbeat from being sent. */
  faults: Array<{
    /** The part that does not work. */
    part: 'database' | 'clock' | 'chain' | 'deliveries' | 'intents' | 'scores' | 'alerts' | 'unjudged';
    /** The chain, where it is one. */
    chainUid: 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana' | null;
    /** Why. */
    message: string;
  }>;
  /** How many addresses VIGIL_HEARTBEAT_URL has. */
  addresses: number;
  /** When they were called last. In epoch milliseconds. */
  sentAt: number | null;
  /** Why an address did not take the last call. */
  sendFault: string | null;
};

export type ImportLabelsBody = {
  /** The comma-separated text. */
  csv: string;
  /** The owning tenant; your own if left out. An administrator who leaves it out makes a label for the whole platform, which every tenant sees. */
  tenantId?: number;
  /** The chain on which the label holds; every EVM chain if left out. */
  chainUid?: CreateLabelBodyChainUid;
  /** What the address is known as, kept in capitals. Detectors know SANCTION, EXPLOIT, MIXER, BRIDGE, SCAM, SPENDER, EXCHANGE; others may be used. */
  tags?: string[];
  /** Where the label comes from; the same address may have one of each source. */
  source?: string;
};

export type ImportLabelsReply = {
  /** How many labels are new. */
  created: number;
  /** How many labels changed. */
  updated: number;
  /** How many lines said what was known already. */
  unchanged: number;
  /** How many lines were left out because of a fault. */
  faultCount: number;
  /** The first 100 of these lines. */
  faults: Array<{
    /** The line, counted from 1. */
    line: number;
    /** The fault. */
    message: string;
  }>;
};

export type ImportSanctionsReply = {
  /** Name of the list format. */
  format: string;
  /** The source of its labels. */
  source: string;
  /** How many labels are new. */
  created: number;
  /** How many labels changed. */
  updated: number;
  /** How many labels stay as they are. */
  unchanged: number;
  /** How many labels are deleted, because the list no longer has them. */
  removed: number;
  /** Addresses of chains that Vigil does not watch. */
  unsupported: Array<{
    /** The code of the currency. */
    currency: string;
    /** How many addresses. */
    count: number;
  }>;
  /** How many addresses were left out because of a fault. */
  faultCount: number;
  /** The first 100 of these. */
  faults: string[];
};

export type ImportScheduleBody = {
  /** An iCalendar file (RFC 5545) of at most 400 events. Each names an active user of the tenant by e-mail address (`ATTENDEE`) or name (`SUMMARY`), and does not repeat. */
  calendar: string;
};

export type Incident = {
  /** Unique identifier of the incident. */
  uid: string;
  /** Unique identifier of the record. */
  id: number;
  /** The owning tenant. */
  tenantId: number;
  /** The highest severity of its alerts. */
  severity: AlertOutcomeReplyIncidentSeverity;
  /** INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90. */
  numericSeverity: number;
  /** RESOLVED when all its alerts are, RETRACTED when none of their blocks is part of the chain any more. */
  status: AlertOutcomeReplyIncidentStatus;
  /** Name of its worst alert. */
  name: string;
  /** Message of its worst alert. */
  message: string;
  /** How many alerts it has that are not retracted. */
  alerts: number;
  /** How many of them are not resolved. */
  openAlerts: number;
  chainUid: ChainUid | null;
  /** The contracts of its alerts, at most 100. */
  contractIds: number[];
  /** Their transactions, at most 100. */
  txHashes: string[];
  /** When its first alert happened. In epoch milliseconds. */
  firstAt: number;
  /** When its newest alert happened. In epoch milliseconds. */
  lastAt: number;
  /** Whether someone has acknowledged it, and no snooze has ended and no worse alert came since. */
  acknowledged: boolean;
  /** When that was. In epoch milliseconds. */
  acknowledgedAt: number | null;
  /** Who did it, by name. */
  acknowledgedBy: string | null;
  /** The user who did it; null for an API key or a mailed link. */
  acknowledgedById: number | null;
  /** Until when it is snoozed; null where it is not. In epoch milliseconds. */
  acknowledgedUntil: number | null;
  /** The user who owns it. */
  assigneeId: number | null;
  disposition: AlertOutcomeReplyIncidentDisposition | null;
  /** Why. */
  dispositionReason: string | null;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** Its alerts. */
  alertList: Alert[];
};

export type IncidentReportReply = {
  /** A name for the file. */
  name: string;
  /** The document. */
  markdown: string;
};

export type IncidentStoryReply = {
  /** The incident itself. */
  incident: UpdateIncidentReply;
  /** The incident. */
  uid: string;
  /** What was lost, by whom, and whether it goes on, in one sentence. */
  headline: string;
  /** Whether it goes on. */
  progress: {
    /** PENDING: no block has it yet. ONGOING: the last loss is less than five minutes old. STOPPED: an action or a pause came after the last loss. PREVENTED: it never took effect. QUIET: nothing more has happened. RESOLVED: someone has closed it. RETRACTED: its blocks left the chain. */
    state: 'PENDING' | 'ONGOING' | 'STOPPED' | 'PREVENTED' | 'QUIET' | 'RESOLVED' | 'RETRACTED';
    /** What ended it; null where nothing did. */
    stoppedBy: {
      /** The action, or the alert about the pause. */
      name: string;
      /** Its block. */
      blockNumber: number | null;
      /** Its transaction. */
      txHash: string | null;
      /** When. In epoch milliseconds. */
      at: number;
    } | null;
    /** Actions that failed. */
    failed: Array<{
      /** The action. */
      name: string;
      /** Why it failed. */
      reason: string | null;
    }>;
    /** When the last loss happened; without a loss, the last severe alert. In epoch milliseconds. */
    lastAt: number | null;
  };
  /** What is gone, by the evidence of alerts that stand; several alerts about one loss count once. */
  lost: {
    /** All of it in words; empty for nothing. */
    text: string;
    /** US dollars of all together, where prices are known. */
    usd: number | null;
    /** The losses by contract and asset, the largest share first; at most 50. */
    losses: IncidentStoryReplyLostLosse[];
  };
  /** What transactions would take that no block has yet, or would have taken that did not take effect. */
  prevented: {
    /** All of it in words; empty for nothing. */
    text: string;
    /** US dollars of all together, where prices are known. */
    usd: number | null;
    /** The losses by contract and asset, the largest share first; at most 50. */
    losses: IncidentStoryReplyLostLosse[];
  };
  /** Who did it, most involved first; at most five. */
  by: Array<{
    /** The address. */
    address: string;
    /** Your name for it. */
    name: string | null;
    /** The tags of its labels. */
    tags: string[];
  }>;
  /** Where the money went: transactions as nodes show them, else the evidence of alerts. */
  flows: {
    /** Who takes part. */
    nodes: Array<{
      /** The address. */
      address: string;
      /** Your name for it. */
      name: string | null;
      /** The tags of its labels. */
      tags: string[];
      /** Yours, the attacker’s or anyone else’s. */
      side: 'OURS' | 'ATTACKER' | 'OTHER';
      /** The contract, where it is one of yours. */
      contractId: number | null;
      /** What it has more or, below 0, less after all transactions of the picture. */
      net: Array<{
        /** `native`, or the address of the token. */
        asset: string;
        /** Its symbol, as the token reports it; null where it is not known. */
        symbol: string | null;
        /** Whole tokens. */
        amount: string;
      }>;
    }>;
    /** Who gave what to whom: the largest moves, at most 24. */
    edges: Array<{
      /** Who gave. */
      from: string;
      /** Who got; `unknown` where no evidence says so. */
      to: string;
      /** `native`, or the address of the token. */
      asset: string;
      /** Its symbol, as the token reports it; null where it is not known. */
      symbol: string | null;
      /** Whole tokens. */
      amount: string;
      /** Its worth, where the evidence of the loss has a price. */
      usd: number | null;
      /** How large it is beside the largest of the picture. */
      share: number;
      /** How many transactions moved it. */
      transactions: number;
      /** True if evidence says so and no node has shown the transaction. */
      isReported: boolean;
    }>;
    /** Smaller moves. */
    leftOut: number;
  };
  /** Everything that happened, in its order. */
  timeline: Array<{
    /** When. In epoch milliseconds. */
    at: number;
    /** What kind of step it is: on the chain (FUNDING to ALERT), by Vigil, or by people. */
    type: 'FUNDING' | 'DEPLOYMENT' | 'TRANSACTION' | 'ALERT' | 'NOTIFICATION' | 'ACTION' | 'ACKNOWLEDGEMENT' | 'CHANGE' | 'COMMENT' | 'RETRACTION';
    /** Which wave of the incident: a new one begins after a minute without a transaction. */
    wave: number;
    chainUid: ChainUid | null;
    /** Its block. */
    blockNumber: number | null;
    /** Its transaction. */
    txHash: string | null;
    /** Who acted, as an address. */
    from: string | null;
    /** On what, as an address. */
    to: string | null;
    /** The destination, action or person; of a funding, the tags of its source. */
    text: string | null;
    /** State of the delivery or action, the verb of a change, or why it was retracted. */
    state: string | null;
    /** Why it failed or waits, or what was written. */
    reason: string | null;
    /** How many deliveries or alerts the step stands for. */
    count: number;
    /** True if something was lost in it. */
    isLoss: boolean;
    /** The strongest alert about it; null for what is no alert. */
    alert: IncidentStoryReplyTimelineAlert | null;
    /** Its other alerts, strongest first; at most 20. */
    folded: IncidentStoryReplyTimelineAlert[];
    /** Alerts beyond those. */
    foldedMore: number;
  }>;
  /** The contracts of its alerts. */
  contracts: Array<{
    /** The contract. */
    id: number;
    /** Its name. */
    name: string;
    /** Its address. */
    address: string;
    /** Its chain. */
    chainUid: 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana';
    /** Its project. */
    projectId: number;
    /** How many of the alerts are about it. */
    alerts: number;
    /** What it lost, or would have. */
    losses: IncidentStoryReplyLostLosse[];
  }>;
  /** Its transactions, the worst first; at most 100. */
  transactions: Array<{
    chainUid: ChainUid | null;
    /** The transaction. */
    txHash: string;
    /** Its block; null while it is pending. */
    blockNumber: number | null;
    /** When. In epoch milliseconds. */
    at: number;
    /** How many of the alerts are about it. */
    alerts: number;
  }>;
  /** Active actions on these contracts, which can be executed. */
  actions: Array<{
    /** The action. */
    id: number;
    /** Its name. */
    name: string;
    /** The function that it calls. */
    funcSignature: string;
    /** The contract that it calls. */
    contractId: number;
    /** The wallet that signs. */
    walletId: number;
  }>;
  /** What you know of the addresses. */
  parties: AlertTraceReplyParty[];
  /** What is not in it. */
  leftOut: {
    /** Alerts beyond the worst 1,000, from which it is made. */
    alerts: number;
    /** Steps beyond 200; those that matter most are there. */
    steps: number;
    /** Smaller moves. */
    flows: number;
    /** Transactions of which no node was asked, or none answered. */
    transactions: number;
  };
};

export type IncidentStoryReplyLostLosse = {
  /** The contract that lost it. */
  contractId: number;
  /** `native`, or the address of the token. */
  asset: string;
  /** Its symbol, as the token reports it; null where it is not known. */
  symbol: string | null;
  /** Whole tokens. */
  amount: string;
  /** What it held before the first loss, where the evidence says so. */
  before: string | null;
  /** What it held after the last one. */
  after: string | null;
  /** The share that is gone, in per cent. */
  percent: number | null;
  /** True if nothing but the token itself says so. */
  isClaimed: boolean;
  /** The alert that says most about it. */
  alertUid: string;
};

/** How settled its block is. */
export type IncidentStoryReplyTimelineAlertFinality = 'PENDING' | 'HEAD' | 'CONFIRMED' | 'FINAL';

/** Its severity. */
export type IncidentStoryReplyTimelineAlertSeverity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** Its state. */
export type IncidentStoryReplyTimelineAlertStatus = 'UNRESOLVED' | 'RESOLVED' | 'RETRACTED';

export type Inhibition = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** State of the record. */
  status: RecordStatus;
  /** What people call it. */
  name: string;
  /** Its purpose. */
  description: string | null;
  /** While an incident with such an alert is open, it holds others of the same contract. A query string as in the search of alerts. */
  sourceQuery: string;
  /** The alerts of the same contract of which no one is notified meanwhile. One that the other query finds too is notified. A query string as in the search of alerts. */
  targetQuery: string;
  /** Whether it holds CRITICAL alerts too; people are notified of them otherwise. */
  includeCritical: boolean;
};

export type InhibitionPage = {
  /** The records of this page. */
  data: Inhibition[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type InspectContractBody = {
  /** The address. */
  address: string;
  /** The chain; all that have endpoints if left out. */
  chainUid?: 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana';
};

export type InspectContractReply = {
  /** The address in its canonical form. */
  address: string;
  /** What was found, by chain. */
  data: Array<{
    /** The chain. */
    chainUid: ChainUid;
    /** The block after which it was looked at. */
    block: number | null;
    /** Whether there is a contract; otherwise the address is an account, or unused. */
    hasCode: boolean;
    /** Kinds that it was recognised as. */
    kinds: InspectContractReplyDataKind[];
    /** How the code behind a proxy is found. */
    proxyKind: 'EIP1967' | 'BEACON' | 'EIP1822' | 'MINIMAL' | 'SAFE' | 'OTHER' | null;
    /** The code behind a proxy. */
    implementation: string | null;
    /** What it says of itself. */
    facts: Record<string, unknown>;
    /** Its ABI, if a source that is configured has it. */
    abi: {
      /** The server that knows it, or the contract itself. */
      source: string;
      /** How many functions, events and errors it has. */
      items: number;
    } | null;
    /** Why nothing is known of it on this chain. */
    fault: string | null;
  }>;
};

export type InspectContractReplyDataKind = 'ERC20' | 'ERC721' | 'ERC1155' | 'ERC4626' | 'PROXY' | 'OWNABLE' | 'ACCESS_CONTROL' | 'PAUSABLE' | 'SAFE' | 'TIMELOCK' | 'GOVERNOR' | 'PRICE_FEED' | 'POOL' | 'SPENDER' | 'TOKEN' | 'UPGRADABLE';

export type Instance = {
  /** The license. */
  license: InstanceLicense;
  /** The organisation that grants the license. */
  organisationId: number;
  /** The licensed project. */
  projectId: number;
  /** PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED. */
  licenseStatus: LicenseStatus;
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** Times in which the license is valid. */
  licenseInstanceMeta: InstanceLicenseInstanceMeta[];
};

/** The license. */
export type InstanceLicense = {
  /** Name of the license. */
  name: string;
  /** Version of the license. */
  version: string;
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** Address of an icon. */
  icon: string | null;
  /** Score groups of the license. */
  scoreGroups: ScoreGroup[];
  /** Dynamic parameters held as a JSON text: `min` (0) and `max` (100) bound a score, `start` (max) is where it begins, `tick` is a schedule such as "1 day" by which the scripts are asked, and any other members are for the scripts. */
  params: string | null;
  /** JavaScript that names the score groups which an event concerns: a text, a list of texts, or nothing. It sees `e` (the alert, or `{ type: "tick", timestamp }`), `l` (the params) and `s` (present scores by group). Without it every active score group is meant. */
  groupScript: string | null;
  /** JavaScript that gives the change of the score of one group: a number, `{ change, key, value }`, or nothing. It sees what the group script sees, and `group` and `score` (the present one). */
  scoreScript: string | null;
};

export type InstanceLicenseInstanceMeta = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The license instance. */
  licenseInstanceId: number;
  /** When the license begins, ISO 8601 UTC. */
  startedAt: string;
  /** When it ends, ISO 8601 UTC; never if null. */
  expiredAt: string | null;
  /** State of the record. */
  status: RecordStatus;
};

export type InstanceMeta = Omit<InstanceLicenseInstanceMeta, 'status'>;

export type InstanceMetaPage = {
  /** The records of this page. */
  data: InstanceMeta[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type InstancePage = {
  /** The records of this page. */
  data: Instance[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type InstanceScorePage = {
  /** The records of this page. */
  data: UpdateScoreReply[];
  /** Number of matching records, counted up to `trackTotalCount`. */
  total: number;
  /** Only with `matched`: for each record, in their order, the clauses that it matches. Of the first 32 clauses that nothing excludes, while they cost less than 1000 together. */
  matched?: ContractActionAlertPageMatched[][];
  /** Only where a search over all tenants lacks the documents of some workers: their names. */
  partial?: string[];
};

export type InstanceScoreReply = {
  /** The license. */
  licenseId: number;
  /** Its version. */
  version: string;
  /** STOPPED: a script failed, and alerts wait until it is mended. INACTIVE: not licensed, disabled, outside of every period, or without a score script. */
  state: 'SCORING' | 'STOPPED' | 'INACTIVE';
  /** Why scoring stands still. */
  fault: InstanceScoreReplyFault | null;
  /** Events that are not scored yet, counted up to 10,000. */
  waiting: number;
  /** The present score of each group. */
  data: Array<{
    /** The score group. */
    scoreGroup: string;
    /** Title of the group. */
    title: string | null;
    /** The present score. */
    score: number;
    /** The least it can be. */
    min: number | null;
    /** The most it can be. */
    max: number | null;
    /** How often it has changed. */
    changes: number;
    /** Time of the last change. In epoch milliseconds. */
    changedAt: number | null;
  }>;
  /** For a chart: the scores at `from`, then after each stretch of time in which one changed. */
  history: Array<{
    /** The moment. In epoch milliseconds. */
    ts: number;
    /** The score of each group at that moment. */
    bucket: Record<string, number>;
  }>;
};

/** What kind of fault it is. */
export type InstanceScoreReplyFaultCode = 'syntax' | 'time' | 'memory' | 'thrown' | 'result';

/** Where the fault lies. */
export type InstanceScoreReplyFaultScript = 'groupScript' | 'scoreScript' | 'params';

/** What feeds it; follows from `triggerType`. */
export type InterceptorType = 'TRANSACTION' | 'EVENT' | 'BLOCK' | 'TRACE' | 'STATE' | 'SCHEDULE';

export type Invite = {
  /** Address the invite is made for. */
  email: string;
  /** Roles granted to the invited user. */
  roles: CreateUserBodyRole[];
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The tenant that the user will belong to. */
  tenantId: number | null;
  /** The organisation of that tenant. */
  organisationId: number | null;
  /** When the invite expires. In epoch milliseconds. */
  expiredAt: number;
};

export type InvitePage = {
  /** The records of this page. */
  data: Invite[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type Label = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The owning tenant; your own if left out. An administrator who leaves it out makes a label for the whole platform, which every tenant sees. */
  tenantId: number | null;
  chainUid: CreateLabelBodyChainUid | null;
  /** The address, shown in its canonical spelling. */
  address: string;
  /** What to call the address. */
  name: string | null;
  /** What the address is known as, kept in capitals. Detectors know SANCTION, EXPLOIT, MIXER, BRIDGE, SCAM, SPENDER, EXCHANGE; others may be used. */
  tags: string[];
  /** How suspicious the address is, from 0 to 100. */
  score: number;
  /** Where the label comes from; the same address may have one of each source. */
  source: string | null;
  /** Anything else worth knowing. */
  note: string | null;
};

export type LabelPage = {
  /** The records of this page. */
  data: Label[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type License = InstanceLicense;

export type LicensePage = {
  /** The records of this page. */
  data: License[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED. */
export type LicenseStatus = 'PENDING' | 'LICENCED' | 'CANCELED';

export type ListAlertCommentsReply = {
  /** The comments. */
  data: CreateAlertCommentReply[];
};

export type ListAuditEntriesReply = {
  /** Entries of this page. */
  data: AuditExportReply[];
};

export type ListAuthSessionsReply = {
  /** Live sessions. */
  data: Array<{
    /** The session. */
    id: number;
    /** When the user logged in. In epoch milliseconds. */
    createdAt: number;
    /** When it was last refreshed. In epoch milliseconds. */
    refreshedAt: number;
    /** When it ends if it is not refreshed. In epoch milliseconds. */
    expiredAt: number;
    /** Address it was last opened or refreshed from. */
    address: string | null;
    /** Whether it is the session that asks. */
    isCurrent: boolean;
  }>;
};

export type ListChainEndpointsReply = {
  /** The endpoints. */
  data: CreateChainEndpointReply[];
};

export type ListChainsReply = {
  /** Every chain. */
  data: Array<{
    /** The chain. */
    chainUid: ChainUid;
    /** Family of the chain. */
    family: string;
    /** Name of the chain. */
    name: string;
    /** Kind of network. */
    network: ListChainsReplyDataNetwork;
    /** Native currency. */
    currency: ListChainsReplyDataCurrency;
    /** Chain id where there is one. */
    chainId: number | null;
    /** Usual time between blocks in milliseconds. */
    blockTimeMs: number;
    explorer: ListChainsReplyDataExplorer | null;
    /** Whether an administrator added it, beside those that Vigil knows by itself. */
    isOwn: boolean;
    /** Blocks after which a block counts as confirmed. */
    confirmations: number;
    /** Whether Vigil can follow it; of other chains it knows addresses and keys. */
    canFollow: boolean;
    /** Whether `POST /contract/inspect` recognises contracts on it. */
    canInspect: boolean;
    /** Whether an RPC endpoint is configured for it here. */
    configured: boolean;
    /** Whether a process follows it at the moment. */
    followed: boolean;
    /** Newest block that is known of. */
    head: number | null;
    /** Newest block that was processed. */
    processed: number | null;
    /** Blocks between the two. */
    lag: number | null;
    /** Newest block that counts as confirmed. */
    confirmed: number | null;
    /** Newest block that cannot be reorganised any more. */
    final: number | null;
    /** Time of the newest block that was processed. In epoch milliseconds. */
    processedAt: number | null;
    /** Whether you see what happens on it: halted when it makes no blocks, behind when Vigil has not processed them, blind when nodes do not give them or their logs, degraded when detectors of yours fail, idle when nothing is watched. */
    watchState: 'idle' | 'ok' | 'degraded' | 'behind' | 'halted' | 'blind';
    /** Why it is not ok. */
    watchReason: string | null;
    /** How what contracts do within transactions is seen. */
    traces: {
      /** As set by VIGIL_CHAIN_<UID>_TRACES. */
      mode: 'auto' | 'off' | 'required';
      /** Whether what contracts do within transactions is seen: late while blocks wait for their traces, unavailable when no node traces, idle when nothing that is watched needs traces. */
      state: 'off' | 'idle' | 'ok' | 'late' | 'unavailable';
      /** By which calls nodes trace. */
      kinds: Array<'debug' | 'trace'>;
      /** Newest block whose inner calls were evaluated. */
      processed: number | null;
      /** Blocks whose inner calls are yet to be evaluated. */
      waiting: number;
      /** Why it is late or unavailable. */
      reason: string | null;
      /** Blocks whose inner calls stay unseen, as their traces were given up. */
      givenUp: {
        /** How many blocks. */
        blocks: number;
        /** The newest of them. */
        last: number;
        /** Why. */
        reason: string;
        /** When that was last. In epoch milliseconds. */
        at: number;
      } | null;
    };
    /** How pending transactions are seen. */
    pending: {
      /** As set by VIGIL_CHAIN_<UID>_PENDING. */
      mode: 'auto' | 'off';
      /** Whether pending transactions are seen: idle when no detector or action wants them, unavailable when no node announces or runs them. */
      state: 'off' | 'idle' | 'ok' | 'unavailable';
      /** How nodes announce them. */
      kinds: Array<'bodies' | 'hashes' | 'pool'>;
      /** How nodes run them. */
      simulations: Array<'trace' | 'simulate' | 'call'>;
      /** Pending transactions since the process follows the chain. */
      seen: number;
      /** Those that were simulated. */
      simulated: number;
      /** Those that were not looked at, because there were too many. */
      dropped: number;
      /** When it last happened that there were too many; null if it never did. In epoch milliseconds. */
      droppedAt: number | null;
      /** Pending transactions with alerts. */
      waiting: number;
      /** Why they are unavailable. */
      reason: string | null;
    };
    /** Your detectors and triggers on it whose last evaluation failed. */
    failing: number;
    /** Your active contracts on it. */
    contracts: number;
    /** Your contracts on it that are not watched, because no endpoint is configured; at most 1,000. */
    unwatched: Array<{
      /** The contract. */
      id: number;
      /** Its name. */
      name: string;
    }>;
    /** Calls to its nodes in a minute, of all processes, over the last ten minutes; for administrators only. */
    callsPerMinute: number | null;
    /** The same for each contract that is watched on it; for administrators only. */
    callsPerContract: number | null;
    /** Findings that wait, because a server of a distributed database cannot be written to; for administrators only. */
    unwritten: {
      /** How many. */
      findings: number;
      /** Since when the oldest of them waits. In epoch milliseconds. */
      since: number;
    } | null;
    /** State of its endpoints; for administrators only. */
    endpoints: Array<{
      /** Address without path and query. */
      endpoint: string;
      /** How it fares. */
      state: 'ok' | 'failing' | 'wrong-chain' | 'stale';
      /** Its newest block. */
      head: number | null;
      /** How long it takes to answer, in milliseconds. */
      latencyMs: number | null;
      /** Faults in a row. */
      faults: number;
      /** What went wrong last. */
      lastFault: string | null;
      /** When that was. In epoch milliseconds. */
      lastFaultAt: number | null;
    }>;
  }>;
};

/** Native currency. */
export type ListChainsReplyDataCurrency = {
  /** Symbol. */
  symbol: string;
  /** Name. */
  name: string;
  /** Decimals. */
  decimals: number;
};

/** Link patterns of a block explorer. */
export type ListChainsReplyDataExplorer = {
  /** Link to an address; {} stands for it. */
  address: string;
  /** Link to a transaction; {} stands for it. */
  transaction: string | null;
  /** Link to a block; {} stands for it. */
  block: string | null;
};

/** Kind of network. */
export type ListChainsReplyDataNetwork = 'MAINNET' | 'TESTNET' | 'DEVNET';

export type ListContactsReply = {
  /** The users by name, at most 1000. */
  contacts: UpdateContactReply[];
};

export type ListFaultsReply = {
  /** The page. */
  data: Array<{
    /** The tenant. */
    tenantId: number;
    /** Kind of record. */
    kind: 'detector' | 'trigger' | 'destination' | 'action' | 'wallet' | 'instance' | 'tenant';
    /** The record. */
    id: number;
    /** Its name, or its address; null where it has none. */
    name: string | null;
    /** FAILING: Vigil tries again. SWITCHED_OFF: it stands still until a person acts. LATE: it waits for something. INCOMPLETE: it was never set up. FAILED: calls ended so within the last day. UNDER_WAY: calls go on without trouble. */
    state: 'FAILING' | 'SWITCHED_OFF' | 'LATE' | 'INCOMPLETE' | 'FAILED' | 'UNDER_WAY';
    /** The fault. */
    reason: string;
    /** The remedy. */
    advice: string;
    /** Faults in a row, blocks or calls, by what it is about. */
    count: number;
    /** Since when. In epoch milliseconds. */
    since: number;
    /** When it happened last. In epoch milliseconds. */
    at: number;
  }>;
  /** How many there are; 0 on a page beyond the last one. */
  total: number;
};

export type ListIncidentsReply = {
  /** The records of this page. */
  data: UpdateIncidentReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
  /** Only where a search over all tenants lacks the documents of some workers: their names. */
  partial?: string[];
};

export type ListMetricsReply = {
  /** Every metric. */
  data: Array<{
    /** Name of the metric. */
    name: string;
    /** Whether it only rises, or goes up and down. */
    kind: 'counter' | 'gauge';
    /** Labels that can be named in `tags`. */
    labels: string[];
    /** Description of the metric. */
    help: string;
  }>;
};

export type ListSharesReply = {
  /** Shares, newest first. */
  data: AcceptShareReply[];
};

/** The worst of them. */
export type MaxSeverity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** Only alerts that are at least this bad; all if null. */
export type MinSeverity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** Which kind of network it runs on. */
export type NetworkStatus = 'MAINNET' | 'TESTNET' | 'DEVNET';

export type Organisation = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** Unique name. */
  name: string;
  /** What the organisation is. */
  description: string | null;
};

export type OrganisationPage = {
  /** The records of this page. */
  data: Organisation[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** A test message. */
export type PingWebhook = {
  /** What happened. */
  type: 'ping';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** A test. */
  data: {
    /** A sentence. */
    message: string;
  };
};

export type Plan = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** Unique name. */
  name: string;
  /** Most users of a tenant. */
  maxUsers: number;
  /** Most contracts of a tenant. */
  maxContracts: number;
  /** Most projects of a tenant. */
  maxProjects: number;
  /** Most triggers of a tenant. */
  maxTriggers: number;
  /** Most detectors of a tenant. */
  maxDetectors: number;
  /** Most wallets of a tenant. */
  maxWallets: number;
  /** Most actions of a tenant. */
  maxActions: number;
  /** Most API keys of a tenant. */
  maxApiKeys: number;
  /** Most detector alerts of one severity and above that notify a tenant in `detectorRateLimitDuration`. */
  detectorRateLimit: number;
  /** Length of that time in milliseconds. */
  detectorRateLimitDuration: number;
  /** Most destinations of a tenant. */
  maxDestinations: number;
  /** Most address labels of a tenant. */
  maxLabels: number;
  /** Most streams of alerts that a tenant has open at once, in each process. */
  maxStreams: number;
  /** Most open invites of a tenant. */
  maxInvites: number;
  /** Most saved views of a tenant. */
  maxViews: number;
  /** Most time sets of a tenant. */
  maxTimeSets: number;
  /** Most silences of a tenant that have not ended. */
  maxSilences: number;
  /** Most on-call schedules of a tenant. */
  maxSchedules: number;
  /** Most escalation chains of a tenant. */
  maxEscalationChains: number;
  /** Most routes of a tenant. */
  maxRoutes: number;
  /** Most inhibitions of a tenant. */
  maxInhibitions: number;
  /** Most planned changes of a tenant whose window has not ended. */
  maxPlannedChanges: number;
  /** Most days that an API key lives, and how long it does where no `lifetime` is given. */
  apiKeyDays: number;
  /** Most alerts that a tenant pushes in a minute. */
  maxPushedAlerts: number;
};

export type PlanPage = {
  /** The records of this page. */
  data: CreatePlanReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type Plannedchange = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant. */
  tenantId: number;
  /** The contract that changes. */
  contractId: number;
  /** What people call it. */
  name: string;
  /** What is planned, and why. */
  description: string | null;
  /** Addresses of which one must send the transaction or be called by its sender; anyone if empty. */
  actors: string[];
  /** When its window begins. In epoch milliseconds. */
  from: number;
  /** When its window ends, at most 30 days after it begins. In epoch milliseconds. */
  to: number;
  /** The alerts that it will raise. */
  expected: CreatePlannedchangeBodyExpected[];
  /** Whether a second person must confirm it; always where a wallet of the tenant asks for approvals. */
  needsConfirmation: boolean;
  /** PENDING waits for a second person, OPEN applies within its window, HAPPENED or MISSED once that has ended. */
  state: PlannedchangeState;
  /** Since when it applies: since it was made or confirmed. Earlier alerts are judged without it. In epoch milliseconds. */
  effectiveAt: number | null;
  /** The user who made it; null if a token without a user did. */
  authorId: number | null;
  /** How people know who made it. */
  author: string;
  /** The user who confirmed it. */
  confirmedBy: number | null;
};

export type PlannedchangeAlertReply = {
  /** The alerts. */
  data: Array<{
    /** The alert. */
    uid: string;
    /** When it happened. In epoch milliseconds. */
    timestamp: number;
    /** Index of the expectation in `expected`. */
    expectation: number;
    /** Whether it is what was planned. */
    isMatch: boolean;
  }>;
};

export type PlannedchangePage = {
  /** The records of this page. */
  data: Plannedchange[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** PENDING waits for a second person, OPEN applies within its window, HAPPENED or MISSED once that has ended. */
export type PlannedchangeState = 'PENDING' | 'OPEN' | 'HAPPENED' | 'MISSED' | 'CANCELED' | 'EXPIRED';

export type PreviewAlertBody = {
  /** The template. */
  template: string;
};

export type PreviewAlertReply = {
  /** The message. */
  message: string;
};

export type PreviewDestinationBody = {
  /** The alert. */
  alertUid?: string;
  /** A message to try in place of the alert’s own. */
  template?: string;
};

export type PreviewDestinationReply = {
  /** Kind of destination. */
  type: CreateDestinationBodyType;
  /** HTTP method. */
  method?: string;
  /** Address. */
  uri?: string;
  /** HTTP headers. */
  headers?: Record<string, string>;
  /** Body of the request. */
  body?: string;
  /** Receiver of the mail. */
  to?: string;
  /** Subject of the mail. */
  subject?: string;
  /** Text of the mail or message. */
  text?: string;
  /** Mail as HTML. */
  html?: string;
  /** The chat. */
  chatId?: string | null;
};

export type PreviewSilenceBody = Omit<CreateSilenceBody, 'from' | 'to' | 'reason'>;

export type PreviewSilenceReply = {
  /** The alerts since then were looked at. In epoch milliseconds. */
  from: number;
  /** How many it would have hidden, counted up to 100,000. */
  total: number;
  /** The newest ten of them. */
  data: Alert[];
};

/** RFC 9457 problem details. */
export type Problem = {
  /** Path of the page that explains this kind of problem. */
  type: string;
  /** The kind of problem. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What was wrong this time. */
  detail: string;
  /** This occurrence. */
  instance: string;
  /** A stable word for the kind of problem. */
  code: 'malformed-json' | 'malformed-request' | 'invalid-input' | 'invalid-where' | 'invalid-query' | 'search-too-slow' | 'page-too-large' | 'unauthenticated' | 'forbidden' | 'console-header-missing' | 'plan-limit' | 'tenant-disabled' | 'subscription-expired' | 'not-found' | 'unknown-path' | 'method-not-allowed' | 'request-timeout' | 'conflict' | 'illegal-transition' | 'idempotency-in-flight' | 'precondition-failed' | 'too-large' | 'unsupported-media-type' | 'unprocessable' | 'idempotency-mismatch' | 'headers-too-large' | 'rate-limited' | 'internal' | 'unavailable';
  /** The id of the request. */
  requestId: string;
  /** The 1-based column in `where` or `query`. */
  position?: number;
  /** Limit of the plan. */
  limit?: number;
  /** Present number of the tenant. */
  count?: number;
  /** Every fault that was found. */
  errors?: Array<{
    /** JSON pointer to the member; /path, /query and /headers lead to what is outside of the body. */
    pointer: string;
    /** A stable word for the fault. */
    code: string;
    /** What is wrong and what would be right. */
    message: string;
  }>;
};

export type Project = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Legal name of the company behind it. */
  legalName: string | null;
  /** What the project is. */
  description: string | null;
  /** Address of an icon. */
  icon: string | null;
  /** Address of the website. */
  website: string | null;
  networkStatus: NetworkStatus | null;
  /** Identifier of the project in an external market-data service. */
  marketDataId: string | null;
  /** Any parameters; tenants that it is shared with do not see the member `private`. */
  params: Record<string, unknown> | null;
  /** Free labels. */
  tags: string[];
  /** Tenants that may view the project, its contracts and their alerts once they have accepted (`/share`). They do not see each other here. */
  viewTenantIds: number[];
  /** License instances of the project. */
  licenses: Instance[];
  /** What sort of project it is. */
  type: string | null;
  /** Any further data; tenants that it is shared with do not see the member `private`. */
  meta: Record<string, unknown> | null;
};

export type ProjectPage = {
  /** The records of this page. */
  data: Project[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type PushDetectorAlertsBody = {
  /** The findings. */
  alerts: Array<{
    /** The engine’s own identifier of the finding; a repeated one is not a second alert. */
    eid: string;
    /** When it happened; now if left out. In epoch milliseconds. */
    timestamp?: number;
    /** How bad it is; MEDIUM if left out. */
    severity?: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
    /** Name of the alert; that of the detector if left out. */
    name?: string;
    /** What happened, for people. */
    message: string;
    /** Anything the finding carries; every member can be searched. */
    meta?: Record<string, unknown>;
    /** Free labels. */
    tags?: string[];
    /** The transaction. */
    txHash?: string | null;
    /** The block. */
    blockNumber?: number | null;
    /** Hash of the block. */
    blockHash?: string | null;
  }>;
};

export type PushDetectorAlertsReply = {
  /** One result for each finding, in their order. */
  results: Array<{
    /** The engine’s own identifier of the finding; a repeated one is not a second alert. */
    eid: string;
    /** The alert. */
    uid: string;
    /** Its outcome. */
    result: 'created' | 'duplicate';
  }>;
};

export type QuerySearch = {
  /** Number of records to skip. */
  from?: number;
  /** Number of records to return. */
  size?: number;
  /** Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field. */
  query?: string;
  /** Ranges of timestamps; what lies in none of them is not read. */
  timeseries?: QuerySearchTimeseries[];
  /** Up to which value `total` is counted; 0 disables it and returns 0. */
  trackTotalCount?: number;
  /** The order of the records; newest first if left out. */
  sort?: WhereSearchSort[];
  /** `uid` of the last record that you have: the page begins after it, also when records were added meanwhile or it is gone. For the order of `timestamp`, without `from`. */
  cursor?: string;
  /** True to add `matched` to the reply; `size` is then at most 200. */
  matched?: boolean;
};

export type QuerySearchTimeseries = {
  /** Start in milliseconds, included. */
  from: number;
  /** End in milliseconds, included. */
  to: number;
};

export type RecommendContractBody = {
  /** Names of detector schemas among those recommended. */
  enable?: string[];
  /** Tries those with limits on the last day: the answer names the backtests, and a later one proposes limits by them. */
  backtest?: boolean;
};

export type RecommendContractReply = {
  /** Kinds that it was recognised as. */
  kinds: InspectContractReplyDataKind[];
  /** The detectors that fit. */
  data: Array<{
    /** The detector schema. */
    schemaName: string;
    /** Its title. */
    title: string;
    /** Why it fits. */
    reason: string;
    /** Its configuration, filled in. */
    config: Record<string, unknown>;
    /** The detector of this kind that the contract has. */
    detectorId: number | null;
    /** Whether this request created it. */
    isNew: boolean;
    /** How it fares on the last day, if that was tried within a day; where it would have cried, `config` has limits above that. */
    past: {
      /** The backtest, read at `/backtest/{uid}`. */
      uid: string;
      /** How far it is. */
      state: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
      /** The first block. */
      fromBlock: number;
      /** The last block. */
      toBlock: number;
      /** Alerts that it would have raised; null until it is done. */
      alerts: number | null;
    } | null;
  }>;
};

/** State of the record. */
export type RecordStatus = 'ACTIVE' | 'DISABLED' | 'DELETED';

export type RehearseActionBody = {
  /** Number of alerts; 5 if left out. */
  size?: number;
};

export type RehearseActionReply = {
  /** The newest block, after which the changes were tried; null where the node shows none. */
  block: {
    /** Its number. */
    number: number;
    /** Its hash. */
    hash: string;
    /** Its time. In epoch milliseconds. */
    timestamp: number;
  } | null;
  /** Alerts that were looked at, newest first. */
  alerts: number;
  /** Those among them that the filters let not pass. */
  skipped: number;
  /** What the action would do, for the newest alert first. */
  data: Array<{
    /** The alert that it was rehearsed with; null without one. */
    alert: {
      /** The alert. */
      uid: string;
      /** When it happened. In epoch milliseconds. */
      timestamp: number;
      /** Name of the detector or trigger. */
      name: string;
      /** What it says. */
      message: string;
      /** How severe it is. */
      severity: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
    } | null;
    /** What fired it: `detector` or `trigger` with the id of the binding, or `manual`; `filler` calls nothing and uses up a number of the wallet that was missing. */
    binding: string;
    /** True if the filter lets it pass and the parameters could be filled. */
    fires: boolean;
    /** True if the call would succeed and the wallet could pay for it. */
    success: boolean;
    /** The reason if not; the contract’s own where it gives one. */
    reason: string | null;
    /** The address. */
    from: string;
    /** The address. */
    to: string;
    /** The call data. */
    data: string | null;
    /** The parameters of the call, filled. */
    parameters: AlertOutcomeReplyIntentCallParameter[];
    /** Gas that it may use. */
    gasLimit: string | null;
    /** What a unit of gas may cost. In the smallest unit of the currency. */
    maxFeePerGas: string | null;
    /** The tip within it; null on chains that know a gas price only. In the smallest unit of the currency. */
    maxPriorityFeePerGas: string | null;
    /** What gas may cost at most. In the smallest unit of the currency. */
    maxCost: string | null;
    /** What the wallet has. In the smallest unit of the currency. */
    balance: string | null;
    /** What coins and tokens would move, fees aside; the first 200. Null where the node does not show it, or the call fails. */
    changes: Array<{
      /** Whose it is. */
      address: string;
      /** `native`, or the address of a token. */
      asset: string;
      /** Of a token with several kinds or pieces. */
      tokenId: string | null;
      /** More, or less with a minus; in the smallest unit. */
      amount: string;
    }> | null;
    /** What contracts would have stored otherwise, nonces and balances aside; the first 200. Null as `changes`. */
    storage: Array<{
      /** The contract. */
      address: string;
      /** The slot. */
      slot: string;
      /** Its word now. */
      before: string;
      /** Its word after the call. */
      after: string;
    }> | null;
  }>;
};

/** The approval. */
export type RejectApprovalReply = Approval;

export type ReplayDeliveryReply = {
  /** The delivery; receivers of webhooks see it as `webhook-id`. */
  uid: string;
  /** Rises in the order in which messages came into being. */
  sequence: number;
  /** The destination. */
  destinationId: number;
  /** The event that it reports. */
  type: AlertOutcomeReplyDeliveryType;
  /** Its outcome. */
  state: AlertOutcomeReplyDeliveryState;
  /** The alert that it reports. */
  alertUid: string | null;
  /** When it came into being. In epoch milliseconds. */
  createdAt: number;
  /** When it last changed. In epoch milliseconds. */
  updatedAt: number;
  /** When it got through. In epoch milliseconds. */
  deliveredAt: number | null;
  /** When it is tried next. In epoch milliseconds. */
  nextAttemptAt: number | null;
  /** Status that the receiver answered with. */
  lastStatus: number | null;
  /** Reason of the failure. */
  lastError: string | null;
  /** Every attempt so far. */
  attempts: AlertOutcomeReplyDeliveryAttempt[];
};

export type ResolveAlertsBody = {
  /** Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field. */
  query: string;
  /** Ranges of timestamps; what lies in none of them is not read. */
  timeseries?: QuerySearchTimeseries[];
  /** True only counts what would change. */
  dryRun?: boolean;
  /** False opens them again; true if left out. */
  resolved?: boolean;
};

export type ResolveAlertsReply = {
  /** How many alerts changed, or would change. */
  count: number;
  /** False when the query finds more than one request changes; send it again for the rest. */
  isComplete: boolean;
};

export type ResumeInstanceReply = {
  /** The license instance. */
  id: number;
};

/** Why it was retracted: its block is gone, or its pending transaction was replaced, dropped, or did not do it when it was mined. */
export type RetractionReason = 'REORGANISED' | 'REPLACED' | 'DROPPED' | 'UNFULFILLED';

export type Route = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** A DISABLED route takes nothing, nor do those below it. Routes are on while the root is ACTIVE; a root is made DISABLED unless it says otherwise, and other routes ACTIVE. */
  status: CreateRouteBodyStatus;
  /** The route above it; null for the root, of which a tenant has one. */
  parentId: number | null;
  /** Its turn among the routes of its parent: the lowest first. Last if left out. */
  order: number;
  /** What people call it. */
  name: string;
  /** Its purpose. */
  description: string | null;
  /** The alerts that it takes: a query string as in the search of alerts; all if null. The root takes what no other route does. */
  query: string | null;
  /** Whether an alert that it took is offered to the next routes of its parent too. */
  continue: boolean;
  /** What alerts have in common that come together and are repeated as one: their incident, contract, or kind of detector or trigger. NONE: each comes alone. */
  groupBy: RouteGroupBy;
  /** How long the first alert of a group waits for others that come with it. In seconds. */
  waitSeconds: number;
  /** How long further alerts of a group wait after its last message, unless they are worse than all before. If null, those that people read come after 5 minutes, or 1 where they are HIGH or CRITICAL, and others at once. In seconds. */
  intervalSeconds: number | null;
  /** How often a group is notified again until its alerts are acknowledged, resolved or retracted; never if null. In seconds. */
  repeatSeconds: number | null;
  /** The time set within which alone it takes alerts; outside of it they go on to the next route. Always if null. */
  activeTimeSetId: number | null;
  /** The time set within which it notifies of no alert that it takes, except CRITICAL ones. Never if null. */
  muteTimeSetId: number | null;
  minSeverity: CreateRouteBodyMinSeverity | null;
  /** The escalation chain that it runs for the incident of an alert of which it notifies. With one, a route without destinations leaves none to those of its parent. None if null. */
  escalationChainId: number | null;
  /** The destinations that get its alerts. Where none of them can be reached, or there is none, those of its parent get them. */
  destinationIds: number[];
};

/** What alerts have in common that come together and are repeated as one: their incident, contract, or kind of detector or trigger. NONE: each comes alone. */
export type RouteGroupBy = 'INCIDENT' | 'CONTRACT' | 'KIND' | 'NONE';

export type RoutePage = {
  /** The records of this page. */
  data: Route[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type Schedule = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Its purpose. */
  description: string | null;
  /** The zone whose clocks count: a name of the IANA database, UTC, or an offset. */
  zone: string;
  /** Rotations. The first one that has someone at a time counts. */
  layers: CreateScheduleBodyLayer[];
  /** Times for which someone else is on call. They go before all layers and do not overlap. */
  overrides: CreateScheduleBodyOverride[];
};

export type ScheduleCalendarReply = {
  /** The file (RFC 5545). */
  calendar: string;
};

export type ScheduleOnCallReply = {
  /** The instant. In epoch milliseconds. */
  at: number;
  /** The user on call; null if there is no one. */
  user: {
    /** The user. */
    id: number;
    /** Name, or e-mail address where there is none. */
    name: string;
    /** E-mail address. */
    email: string;
  } | null;
  /** The layer that says so, from 0; null for an override. */
  layer: number | null;
  /** Its name. */
  layerName: string | null;
  /** Whether an override says so. */
  isOverride: boolean;
  /** Until when it stays so; null where nothing changes within a year. In epoch milliseconds. */
  until: number | null;
  /** The user on call after that; null if there is no one. */
  next: {
    /** The user. */
    id: number;
    /** Name, or e-mail address where there is none. */
    name: string;
    /** E-mail address. */
    email: string;
  } | null;
};

export type SchedulePage = {
  /** The records of this page. */
  data: Schedule[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type ScheduleShiftsReply = {
  /** Where the time begins. In epoch milliseconds. */
  from: number;
  /** Where it ends. In epoch milliseconds. */
  to: number;
  /** The shifts, cut at both ends. */
  shifts: Array<{
    /** When it begins. In epoch milliseconds. */
    from: number;
    /** When it ends. In epoch milliseconds. */
    to: number;
    /** The user on call. */
    user: {
      /** The user. */
      id: number;
      /** Name, or e-mail address where there is none. */
      name: string;
      /** E-mail address. */
      email: string;
    } | null;
    /** The layer that says so, from 0; null for an override. */
    layer: number | null;
    /** Its name. */
    layerName: string | null;
    /** Whether an override says so. */
    isOverride: boolean;
  }>;
  /** The times at which no one is on call. */
  gaps: Array<{
    /** When it begins. In epoch milliseconds. */
    from: number;
    /** When it ends. In epoch milliseconds. */
    to: number;
    /** Its length in hours. */
    hours: number;
  }>;
  /** Holes that people should know of. */
  warnings: string[];
};

/** The score of a license instance changed. */
export type ScoreChangedWebhook = {
  /** What happened. */
  type: 'score.changed';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** A change of a score. */
  data: WebhookScore;
};

export type ScoreGroup = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** Name, unique in the license. */
  name: string;
  /** Title for people. */
  title: string | null;
  /** What the group is about. */
  description: string | null;
};

export type ScoreGroupPage = {
  /** The records of this page. */
  data: ScoreGroup[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type SearchInstanceScoresBody = QuerySearch;

export type SendDestinationConfirmationReply = {
  /** The address that the link is mailed to. */
  to: string;
  /** Until when the link can be used. In epoch milliseconds. */
  expiredAt: number;
};

export type SetUpBody = {
  /** What follows # in the link. */
  code: string;
  /** How the administrator is called. */
  name: string;
  /** Unique in the tenant, kept in lower case; the user logs in with it. A new one needs a new `password` along with it. */
  email: string;
  /** 12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own names are refused. */
  password: string;
  /** Whether a cookie carries the token, for pages that Vigil serves. */
  cookie?: boolean;
};

export type SetupStateReply = {
  /** Whether a set-up link is open and no one can sign in yet. */
  isOpen: boolean;
};

/** How bad it is. */
export type Severity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

export type Silence = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** The alerts of which no one is notified: a query string as in the search of alerts, `*` for all. */
  query: string;
  /** From when on; from now if left out. In epoch milliseconds. */
  from: number;
  /** Until when, at most 90 days after it begins. Required, because a silence without an end would hide what no one expects. In epoch milliseconds. */
  to: number;
  /** The time set within which alone it holds; at all times if null. */
  timeSetId: number | null;
  /** Whether it holds for CRITICAL alerts too; people are notified of them otherwise. */
  includeCritical: boolean;
  /** Why, for those who wonder later. */
  reason: string;
  /** Whether it is yet to begin, holds, or has ended. */
  state: SilenceState;
  /** The user who made it; null if a token without a user did. */
  authorId: number | null;
  /** How people know who made it. */
  author: string;
};

export type SilencePage = {
  /** The records of this page. */
  data: Silence[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** Whether it is yet to begin, holds, or has ended. */
export type SilenceState = 'UPCOMING' | 'ACTIVE' | 'EXPIRED';

export type SimulateActionBody = {
  /** The alert. */
  alertUid?: string;
  /** Values by the name of their parameter; they go before those of the action. */
  params?: Record<string, unknown>;
};

export type SimulateActionReply = {
  /** True if the filter lets it pass and the parameters could be filled. */
  fires: boolean;
  /** True if the call would succeed and the wallet could pay for it. */
  success: boolean;
  /** The reason if not; the contract’s own where it gives one. */
  reason: string | null;
  /** The address. */
  from: string;
  /** The address. */
  to: string;
  /** The call data. */
  data: string | null;
  /** The parameters of the call, filled. */
  parameters: AlertOutcomeReplyIntentCallParameter[];
  /** Gas that it may use. */
  gasLimit: string | null;
  /** What a unit of gas may cost. In the smallest unit of the currency. */
  maxFeePerGas: string | null;
  /** The tip within it; null on chains that know a gas price only. In the smallest unit of the currency. */
  maxPriorityFeePerGas: string | null;
  /** What gas may cost at most. In the smallest unit of the currency. */
  maxCost: string | null;
  /** What the wallet has. In the smallest unit of the currency. */
  balance: string | null;
};

export type Subscription = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** When it begins; now if left out. In epoch milliseconds. */
  startDate: number;
  /** When it ends; later than `startDate`. In epoch milliseconds. */
  expirationDate: number;
  /** The plan. */
  plan: SubscriptionPlan;
  /** Days before the end on which a notice is mailed. */
  notifyBeforeExpireDays: number[];
};

/** The subscription of the tenant ends soon, or has ended. */
export type SubscriptionExpiringWebhook = {
  /** What happened. */
  type: 'subscription.expiring';
  /** When it happened (ISO 8601). */
  timestamp: string;
  /** Rises with each message to the destination. */
  sequence: number;
  /** The subscription of the tenant. */
  data: WebhookSubscription;
};

export type SubscriptionPage = {
  /** The records of this page. */
  data: Subscription[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** The plan. */
export type SubscriptionPlan = CreatePlanReply;

export type SuggestReply = {
  /** The suggestions, the likeliest first. */
  data: Array<{
    /** What to write. */
    value: string;
    /** Of a field its type, else what it is: value, record, function, event, label, contract, wallet. */
    type: string;
    /** Its name or meaning. */
    label: string | null;
    /** Number of the newest alerts that have it. */
    count: number | null;
  }>;
};

export type TagAlertsBody = {
  /** Query-string syntax of the search engine: field:value, "phrases", wildcards, /regular expressions/, [ranges TO here], AND, OR, NOT, + and -. Unfielded terms look in every field. Fuzzy terms (word~) match nothing. Blank means no filter. Its cost is estimated before it runs and limited to 10,000 (1,500 where it is tried on every alert): a comparison costs about 2, a pattern 3 to 40 and in `meta` 250, for each field. */
  query: string;
  /** Ranges of timestamps; what lies in none of them is not read. */
  timeseries?: QuerySearchTimeseries[];
  /** True only counts what would change. */
  dryRun?: boolean;
  /** Tags to add. */
  add?: string[];
  /** Tags to remove. */
  remove?: string[];
};

export type Tenant = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The organisation that the tenant belongs to. */
  organisationId: number | null;
  /** Unique name. */
  name: string;
  /** What the tenant is. */
  description: string | null;
};

export type TenantDashboardUsageReply = {
  /** Every bucket from that of the start to that of the end, in order, empty ones too. */
  data: Array<{
    /** Start of the bucket in milliseconds. */
    ts: number;
    /** What was used. */
    bucket: {
      /** Alerts raised, as far as the query finds them. */
      alerts: {
        /** All alerts. */
        total: number;
        /** Alerts by what raised them. */
        byKind: {
          /** How many alerts. */
          detector: number;
          /** How many alerts. */
          trigger: number;
          /** How many alerts. */
          action: number;
        };
        /** Alerts by severity. */
        bySeverity: {
          /** How many alerts. */
          INFO: number;
          /** How many alerts. */
          LOW: number;
          /** How many alerts. */
          MEDIUM: number;
          /** How many alerts. */
          HIGH: number;
          /** How many alerts. */
          CRITICAL: number;
        };
      };
      /** Notifications delivered. */
      notifications: number;
      /** Actions carried out: executions whose transaction was sent, each once. */
      actions: number;
      /** API requests of the tenant. */
      apiRequests: number;
      /** Blocks processed for the tenant. */
      blocks: number;
      /** Transactions processed for the tenant. */
      transactions: number;
      /** Evaluations of its detectors and triggers. */
      evaluations: number;
      /** Plan of the tenant. */
      plan?: AuthMeReplyPlan;
    };
  }>;
};

/** The destination. */
export type TenantDestination = CreateDetectorReplyDestinationTenantDestination;

export type TenantPage = {
  /** The records of this page. */
  data: Tenant[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type TenantTelemetryBody = {
  /** Name of the metric, one of those of GET /telemetry/metric. */
  metric: string;
  /** Start, included. Epoch milliseconds, or an offset from now such as -1d, now-1d/d or now; /unit rounds down. */
  start?: string | number;
  /** End, included. Epoch milliseconds, or an offset from now such as -1d, now-1d/d or now; /unit rounds up. */
  end?: string | number;
  /** Width of a bucket, in UTC. One of 1y, 1q, 1M, 1w, 1d, 1h, 1m, 1s (or year, quarter, month, week, day, hour, minute, second), which follow the calendar, or a whole multiple of ms, s, m, h or d such as 90m. At most 11,000 of them. */
  step?: string;
  /** Values that a label may have; a sample must have one of them for each label named. An empty array allows nothing. `tenant` can be named by administrators alone. */
  tags?: Record<string, string[]>;
};

export type TenantTelemetryReply = {
  /** Every bucket from that of the start to that of the end, in order, empty ones too. */
  data: Array<{
    /** Start of the bucket in milliseconds. */
    ts: number;
    /** What was sampled. */
    bucket: {
      /** Of a counter: by how much it rose, exactly. Of a gauge: its last value, or null where it was not read. */
      value: number | null;
      /** Number of samples. */
      count: number;
      /** The smallest sample. */
      min: number | null;
      /** The largest sample. */
      max: number | null;
      /** The newest sample; where several series have one, the largest of these. */
      last: number | null;
      /** For every label that `tags` names with more than one value: `value` of each of these values. */
      by?: Record<string, Record<string, number | null>>;
    };
  }>;
};

export type TestDestinationReply = {
  /** True if it was delivered. */
  delivered: boolean;
  /** The delivery; receivers of webhooks see it as `webhook-id`. */
  uid: string;
  /** Status that the receiver answered with. */
  status: number | null;
  /** Reason of the failure. */
  error: string | null;
  /** How long it took. */
  durationMs: number;
};

export type Timeset = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** Name, unique in the tenant. */
  name: string;
  /** Its purpose. */
  description: string | null;
  /** The zone whose clocks count: a name of the IANA database, UTC, or an offset. Local times that a switch of daylight saving skips never hold, and those that it repeats hold twice. */
  zone: string;
  /** The times at which it holds: in any of these ranges. */
  ranges: CreateTimesetBodyRange[];
};

export type TimesetPage = {
  /** The records of this page. */
  data: Timeset[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type TimesetStateReply = {
  /** The instant. In epoch milliseconds. */
  at: number;
  /** Whether it holds then. */
  isWithin: boolean;
  /** Its next changes, at most ten; none where it stays as it is for the next 40 years. */
  changes: Array<{
    /** When. In epoch milliseconds. */
    at: number;
    /** Whether it holds from then on. */
    isWithin: boolean;
  }>;
};

export type TokenomicsCategory = {
  /** Unique identifier of the record. */
  id: number;
  /** Identifier that can stand for the id when deleting. */
  uid: string;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The token contract. */
  contractId: number;
  /** Name of the category. */
  name: string;
  /** What the share is for. */
  description: string | null;
  /** Address that holds the allocation, in the form of the contract’s chain. */
  address: string | null;
  /** The whole allocation in tokens. */
  amount: string | null;
};

export type TokenomicsCategoryPage = {
  /** The records of this page. */
  data: TokenomicsCategory[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type TokenomicsSchedule = {
  /** Unique identifier of the record. */
  id: number;
  /** Identifier that can stand for the id when deleting. */
  uid: string;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The category. */
  categoryId: number;
  /** Name of the schedule. */
  name: string;
  /** Dated amounts, kept in order of time; several of one time add up. */
  amounts: CreateTokenomicsScheduleBodyAmount[];
};

export type TokenomicsSchedulePage = {
  /** The records of this page. */
  data: TokenomicsSchedule[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type Trigger = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The contract that is watched. */
  contractId: number;
  /** What to call it. */
  name: string;
  /** What it looks for. */
  triggerType: TriggerType;
  /** What feeds it; follows from `triggerType`. */
  interceptorType: InterceptorType;
  /** Parameters of the condition. */
  params: Record<string, unknown>;
  /** Free labels. */
  tags: string[];
  /** Alerts that it raises. */
  alerts: CreateTriggerReplyAlert[];
  /** Address of the page that says what to do about its alerts; every message about them has it. */
  runbookUrl: string | null;
  /** What to do about its alerts, in place of what Vigil says; every message about them has it. */
  nextSteps: string | null;
};

export type TriggerPage = {
  /** The records of this page. */
  data: CreateTriggerReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type TriggerSchemaPage = {
  /** The records of this page. */
  data: Array<{
    /** Unique identifier of the record. */
    id: number;
    /** When the record was created. In epoch milliseconds. */
    createdAt: number;
    /** When the record last changed. In epoch milliseconds. */
    updatedAt: number;
    /** The `triggerType` by which a trigger is created. */
    name: string;
    /** Title for people. */
    title: string;
    /** What it looks for. */
    description: string;
    /** What feeds it. */
    interceptorType: 'TRANSACTION' | 'EVENT' | 'BLOCK' | 'TRACE' | 'STATE' | 'SCHEDULE';
    /** Chain families that it works on. */
    networkTags: string[];
    /** JSON Schema of its `params`. */
    paramsSchema: Record<string, unknown>;
    /** Members that the `meta` of its alerts may have. */
    metaMembers: string[];
    /** Parameters to start from. */
    examples: Array<{
      /** What it is for. */
      description: string;
      /** Parameters of the condition. */
      params: Record<string, unknown>;
    }>;
  }>;
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** What it looks for. */
export type TriggerType = 'SUCCESSFUL_TX' | 'FAILED_TX' | 'FUNCTION_CALL' | 'FUNCTION_PARAMETER' | 'EVENT_EMITTED' | 'EVENT_PARAMETER' | 'ERC20_TRANSFER' | 'ERC721_TRANSFER' | 'NATIVE_TRANSFER' | 'BALANCE_CHANGE' | 'STATE_CHANGE' | 'VIEW_FUNCTION' | 'WHITELISTED_CALLERS' | 'BLACKLISTED_CALLERS' | 'CONTRACT_CREATED';

export type TryLicenseBody = {
  /** The project whose alerts are tried. */
  projectId: number;
  /** Start of the time; 30 days before its end if left out. In epoch milliseconds. */
  from?: number;
  /** End of the time; now if left out. In epoch milliseconds. */
  to?: number;
  /** Params to try. */
  params?: string | null;
  /** Group script to try. */
  groupScript?: string | null;
  /** Score script to try. */
  scoreScript?: string | null;
};

export type TryLicenseReply = {
  /** Alerts and ticks that were gone through. */
  events: number;
  /** False if there are more: at most 1,000 are tried, for at most 5 seconds. */
  isComplete: boolean;
  /** Where a script failed, which ended the trial. */
  fault: InstanceScoreReplyFault | null;
  /** The score of each group in the end. */
  groups: Array<{
    /** The score group. */
    scoreGroup: string;
    /** The score in the end. */
    score: number;
  }>;
  /** The changes in order. */
  data: Array<{
    /** What made the change. */
    type: 'alert' | 'tick';
    /** When the alert was raised or the clock ticked. In epoch milliseconds. */
    timestamp: number;
    /** The alert. */
    alertId: string | null;
    /** Name of the alert. */
    alertName: string | null;
    severity: UpdateScoreReplySeverity | null;
    /** The score group. */
    scoreGroup: string;
    /** The score after the change. */
    score: number;
    /** The change. */
    scoreChange: number;
    /** Name of the output of the script. */
    key: string;
    /** Value of that output. */
    value: number;
  }>;
};

export type TryNewChainEndpointBody = {
  /** Address of a JSON-RPC server of the chain: http, https, ws or wss. Private networks are allowed. */
  url: string;
};

export type TryNewChainEndpointReply = {
  /** Why it cannot be used for the chain; null when it can. */
  fault: string | null;
  /** Chain id that it reports. */
  chainId: number | null;
  /** Its newest block. */
  head: number | null;
  /** How long it took to answer, in milliseconds. */
  latencyMs: number | null;
  /** It knows the state of at least this many blocks back. */
  archiveDepth: number | null;
  /** Whether it knows the state of every block. */
  isArchive: boolean | null;
  /** The namespaces whose traces it gives; some detectors need `debug`. */
  traces: Array<'debug' | 'trace'> | null;
  /** Whether it announces transactions that wait to be mined. */
  pendingTransactions: boolean | null;
  /** Most blocks that one search for logs may span, as far as tried; 100,000 at most. */
  logRange: number | null;
};

export type TryRouteBody = {
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** The alert. */
  alertUid?: string;
  /** An alert by its members; `severity` is MEDIUM and `kind` detector where they are left out. */
  alert?: Record<string, unknown>;
  /** The alerts that are tried. */
  query?: string;
  /** As if it were then; now if left out. In epoch milliseconds. */
  at?: number;
};

export type TryRouteReply = {
  /** Whether routes are on, and not the bindings. */
  isOn: boolean;
  /** Whether there is a tree at all. */
  hasRoutes: boolean;
  /** The moment that was tried. In epoch milliseconds. */
  at: number;
  /** What would happen to each alert. */
  data: Array<{
    /** The alert. */
    alert: {
      /** The alert. */
      uid: string | null;
      /** Its name. */
      name: string | null;
      /** Its severity. */
      severity: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      /** Its contract; 0 where none was given. */
      contractId: number;
      /** When it happened. In epoch milliseconds. */
      timestamp: number;
    };
    /** Why no one would be notified; null if someone would. */
    code: 'suppressed' | 'backfilled' | 'shadow' | 'purged' | 'silenced' | 'inhibited' | 'muted' | 'below-floor' | 'no-destination' | 'filtered' | null;
    /** The reason for people. */
    reason: string | null;
    /** The silences that would hold it. */
    silences: Array<{
      /** The silence. */
      id: number;
      /** Its reason. */
      reason: string;
    }>;
    /** The inhibitions that would hold it. */
    inhibitions: AlertOutcomeReplyDecisionInhibition[];
    /** The routes that were asked, in their turn. */
    steps: Array<{
      /** The route. */
      routeId: number;
      /** Its name. */
      name: string;
      /** taken: it stays there. passed-down: a route below takes it. inactive: outside of its time set. not-found: its query does not find the alert. */
      step: 'taken' | 'passed-down' | 'inactive' | 'not-found';
    }>;
    /** The routes that would take it. */
    routes: Array<{
      /** The route. */
      id: number;
      /** Its name. */
      name: string;
      /** The names from the root down to it. */
      path: string[];
      /** Why it would notify no one; null if it would. */
      held: 'suppressed' | 'backfilled' | 'shadow' | 'purged' | 'silenced' | 'inhibited' | 'muted' | 'below-floor' | 'no-destination' | 'filtered' | null;
      /** The reason for people. */
      reason: string | null;
      /** Whom it would notify. */
      destinations: Array<{
        /** The destination. */
        id: number;
        /** Its kind. */
        type: 'EMAIL' | 'MESSENGER_A' | 'HTTP' | 'MESSENGER_B' | 'PAGERDUTY' | 'TEAMS' | 'DISCORD' | 'ALERTMANAGER' | 'SYSLOG' | 'SNS' | 'SQS' | 'WEB_PUSH';
        /** What people call it. */
        name: string | null;
      }>;
      /** What alerts have in common that come together and are repeated as one: their incident, contract, or kind of detector or trigger. NONE: each comes alone. */
      groupBy: RouteGroupBy;
      /** How long the first alert of a group waits for others that come with it. In seconds. */
      waitSeconds: number;
      /** How long further alerts of a group wait after its last message, unless they are worse than all before. If null, those that people read come after 5 minutes, or 1 where they are HIGH or CRITICAL, and others at once. In seconds. */
      intervalSeconds: number | null;
      /** How often a group is notified again until its alerts are acknowledged, resolved or retracted; never if null. In seconds. */
      repeatSeconds: number | null;
    }>;
  }>;
};

export type UpdateActionBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** Wallet that signs the call; on the chain of the contract. */
  walletId?: number;
  /** The contract to call. */
  contractId?: number;
  /** What to call it. */
  name?: string;
  /** Signature of the function to call. */
  funcSignature?: string;
  /** Call parameters. */
  params?: CreateActionBodyParam[];
  /** ABI of the function. */
  funcAbi?: Record<string, unknown>;
  /** market, slow, fast, fastest, or a price: in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar. */
  gasPrice?: string;
  /** Most gas, energy or compute units that the call may use; estimated if null. */
  gasLimit?: number | null;
  /** Tip in gwei, where the chain has tips; estimated if empty or null. */
  gasTip?: string | null;
  /** What the action is for. */
  description?: string | null;
  /** Destinations notified of what the action does. */
  destinations?: CreateTriggerBodyAlertDestination[];
  /** Detectors whose alerts fire the action. */
  detectors?: CreateActionBodyDetector[];
  /** Trigger alerts that fire the action. */
  triggerAlerts?: CreateActionBodyTriggerAlert[];
  /** When an alert fires it: while its transaction is pending, priced to be mined before it; as soon as a block has it; or when that block has the confirmations of the chain. */
  fireAt?: FireAt;
  /** How old an alert may be when it is raised to fire the action, in milliseconds; an hour if left out, any age if null. An older one, found while Vigil catches up, notifies but leaves a skipped intent. */
  maxAlertAge?: number | null;
  /** Whether its calls go before the others of the tenant, in a lane of their own. Null: those fired by alerts of severity HIGH or CRITICAL, while a transaction is pending, or by hand. */
  urgent?: boolean | null;
  /** What the scripts of bindings may fill where the wallet asks for approvals, each with `values`, `min` and `max`, or `any`. All other parameters are as `params` gives them. */
  openParams?: CreateActionBodyOpenParam[];
};

export type UpdateAlertBody = {
  /** Unique identifier of the alert. */
  uid?: string;
  /** Kind of its source. */
  kind?: 'detector' | 'trigger' | 'action';
  /** Its group in histograms. */
  group?: 'SECURITY' | 'COMPLIANCE' | 'action' | 'trigger';
  /** When it happened. In epoch milliseconds. */
  timestamp?: number;
  /** Identifier of the event behind it. */
  eid?: string;
  /** The transaction. */
  txHash?: string | null;
  chainUid?: UpdateContractBodyChainUid | null;
  /** The block. */
  blockNumber?: number | null;
  /** Hash of the block. */
  blockHash?: string | null;
  /** The tenant. */
  tenantId?: number;
  /** The project. */
  projectId?: number;
  /** The contract. */
  contractId?: number;
  /** The incident that it belongs to. */
  incidentUid?: string | null;
  /** The detector that raised it. */
  detectorId?: number | null;
  /** Kind of the detector that raised it. */
  detectorSchemaName?: string | null;
  /** The trigger that raised it. */
  triggerId?: number | null;
  /** The action behind it. */
  actionId?: number | null;
  /** The wallet that signed. */
  walletId?: number | null;
  /** The user of the tenant who works on it; null for no one. */
  assigneeId?: number | null;
  /** Whether someone has acknowledged it, and no snooze has ended since. */
  acknowledged?: boolean;
  /** When that was. In epoch milliseconds. */
  acknowledgedAt?: number | null;
  /** Who did it, by name. */
  acknowledgedBy?: string | null;
  /** The user who did it; null for an API key or a mailed link. */
  acknowledgedById?: number | null;
  /** Until when it is snoozed; null where it is not. In epoch milliseconds. */
  acknowledgedUntil?: number | null;
  /** Name of the wallet. */
  walletName?: string | null;
  /** Chain of the wallet. */
  walletChainUid?: string | null;
  /** Address of the wallet. */
  walletAddress?: string | null;
  /** What fed the trigger. */
  interceptorType?: 'TRANSACTION' | 'EVENT' | 'BLOCK' | 'TRACE' | 'STATE' | 'SCHEDULE' | null;
  /** What the trigger looks for. */
  triggerType?: 'SUCCESSFUL_TX' | 'FAILED_TX' | 'FUNCTION_CALL' | 'FUNCTION_PARAMETER' | 'EVENT_EMITTED' | 'EVENT_PARAMETER' | 'ERC20_TRANSFER' | 'ERC721_TRANSFER' | 'NATIVE_TRANSFER' | 'BALANCE_CHANGE' | 'STATE_CHANGE' | 'VIEW_FUNCTION' | 'WHITELISTED_CALLERS' | 'BLACKLISTED_CALLERS' | 'CONTRACT_CREATED' | null;
  /** How bad it is. */
  severity?: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  /** INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90. */
  numericSeverity?: number;
  /** Name of the alert. */
  name?: string;
  /** What happened, for people. */
  message?: string;
  /** What the finding carries. */
  meta?: Record<string, unknown>;
  /** Whether someone has dealt with it. */
  status?: 'UNRESOLVED' | 'RESOLVED';
  /** How settled its block is; PENDING while no block has its transaction. */
  finality?: 'PENDING' | 'HEAD' | 'CONFIRMED' | 'FINAL';
  /** Free labels. */
  tags?: string[];
  /** Over the rate limit of the plan: no one was notified. */
  suppressed?: boolean;
  /** Pushed more than an hour after it happened: no one was notified. */
  backfilled?: boolean;
  /** When its block, or its pending transaction, was found to be gone. In epoch milliseconds. */
  retractedAt?: number | null;
  /** Why it was retracted: its block is gone, or its pending transaction was replaced, dropped, or did not do it when it was mined. */
  retractionReason?: 'REORGANISED' | 'REPLACED' | 'DROPPED' | 'UNFULFILLED' | null;
};

export type UpdateApikeyBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The tenant that the key acts in; your own if left out. */
  tenantId?: number | null;
  /** The user who made the key. */
  userId?: number | null;
  /** What the key is for. */
  label?: string | null;
  /** What the key may do: roles that you hold yourself, or `tenant-ingest`, which pushes findings and reads nothing. */
  roles?: AuthMeReplyRole[];
  /** The end of the key, to recognise it by. */
  hint?: string;
  /** When the key ends; null if never. In epoch milliseconds. */
  expiredAt?: number | null;
};

export type UpdateChainBody = Partial<Omit<CreateChainBody, 'chainUid' | 'endpoints'>>;

export type UpdateChainEndpointBody = {
  /** Address of a JSON-RPC server of the chain: http, https, ws or wss. Private networks are allowed. */
  url?: string;
  /** What people call it. */
  name?: string | null;
  /** Whether it is used. */
  status?: 'ACTIVE' | 'DISABLED';
};

export type UpdateContactBody = {
  /** The destinations that call the user, all at once. Empty: by mail, to the confirmed destination with the address of the user. */
  destinationIds: number[];
};

export type UpdateContactReply = {
  /** The user. */
  userId: number;
  /** Name, or e-mail address where there is none. */
  name: string;
  /** E-mail address. */
  email: string;
  /** The destinations that call the user, all at once. Empty: by mail, to the confirmed destination with the address of the user. */
  destinationIds: number[];
  /** When it last changed; null if it never was set. In epoch milliseconds. */
  updatedAt: number | null;
};

export type UpdateContractBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** The owning project. */
  projectId?: number;
  /** The chain. */
  chainUid?: UpdateContractBodyChainUid;
  /** Direct address of the contract, in the form of its chain. */
  address?: string;
  /** Address of the implementation when the contract is a proxy, else null. */
  implementation?: string | null;
  /** What to call it. */
  name?: string;
  /** What sort of contract it is. */
  category?: string | null;
  /** Free labels. */
  tags?: string[];
  /** What stands at the address. */
  addressType?: AddressType;
  /** Whether the AML detector is required. */
  amlRequired?: boolean;
  /** URL of an icon. */
  icon?: string | null;
  /** Used as the main ABI even when the address is a proxy. Never shown. */
  abi?: Record<string, unknown>[] | null;
};

/** The chain. */
export type UpdateContractBodyChainUid = 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana';

export type UpdateDestinationBody = Partial<Destination>;

export type UpdateDestinationReply = CreateDetectorReplyDestinationTenantDestination;

export type UpdateDetectorBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The detector schema. */
  schema?: CreateDetectorReplySchema;
  /** The detector schema; or give `schemaName`. */
  schemaId?: number;
  /** The contract that is watched. */
  contractId?: number;
  /** What to call it. */
  name?: string;
  /** Where its findings come from. */
  source?: CreateDetectorBodySource;
  /** Free labels. */
  tags?: string[];
  /** Detector configuration. */
  config?: Record<string, unknown>;
  /** Address of the page that says what to do about its alerts; every message about them has it. */
  runbookUrl?: string | null;
  /** What to do about its alerts, in place of what Vigil says; every message about them has it. */
  nextSteps?: string | null;
  /** Destinations that its alerts are sent to. */
  destinations?: CreateDetectorBodyDestination[];
  /** Actions that its alerts fire. */
  actions?: CreateDetectorBodyAction[];
};

export type UpdateDetectorSchemaBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Title for people. */
  title?: string;
  /** Name of the detector. */
  name?: string;
  /** Version of the schema. */
  version?: string;
  /** What it detects. */
  description?: string | null;
  /** Who wrote it. */
  author?: string | null;
  /** Address of an icon. */
  icon?: string | null;
  /** Category and further labels. */
  tags?: string[];
  /** Chain families that it works on. */
  networkTags?: string[];
  /** JSON Schema of the configuration. */
  configSchema?: Record<string, unknown> | null;
};

export type UpdateEscalationchainBody = Partial<Escalationchain>;

export type UpdateIncidentBody = {
  /** The new state. */
  status?: 'UNRESOLVED' | 'RESOLVED';
  /** The user of the tenant who owns it; null for no one. */
  assigneeId?: number | null;
  /** What it turned out to be: an attack or a real fault, harmless, expected, or made by a test; null takes it back. */
  disposition?: 'TRUE' | 'BENIGN' | 'KNOWN' | 'TEST' | null;
  /** Why. */
  dispositionReason?: string | null;
};

export type UpdateIncidentReply = Omit<Incident, 'alertList'>;

export type UpdateInhibitionBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** What people call it. */
  name?: string;
  /** Its purpose. */
  description?: string | null;
  /** While an incident with such an alert is open, it holds others of the same contract. A query string as in the search of alerts. */
  sourceQuery?: string;
  /** The alerts of the same contract of which no one is notified meanwhile. One that the other query finds too is notified. A query string as in the search of alerts. */
  targetQuery?: string;
  /** Whether it holds CRITICAL alerts too; people are notified of them otherwise. */
  includeCritical?: boolean;
};

export type UpdateInstanceBody = {
  /** The license. */
  license?: InstanceLicense;
  /** The license; on a change another version of it. */
  licenseId?: number;
  /** The organisation that grants the license. */
  organisationId?: number;
  /** The licensed project. */
  projectId?: number;
  /** PENDING becomes LICENCED or CANCELED, LICENCED becomes CANCELED. */
  licenseStatus?: CreateInstanceBodyLicenseStatus;
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Times in which the license is valid. */
  licenseInstanceMeta?: InstanceLicenseInstanceMeta[];
};

export type UpdateInstanceMetaBody = Partial<Omit<InstanceLicenseInstanceMeta, 'status'>>;

export type UpdateLabelBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The owning tenant; your own if left out. An administrator who leaves it out makes a label for the whole platform, which every tenant sees. */
  tenantId?: number | null;
  /** The chain on which the label holds; every EVM chain if left out. */
  chainUid?: 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana' | null;
  /** The address, shown in its canonical spelling. */
  address?: string;
  /** What to call the address. */
  name?: string | null;
  /** What the address is known as, kept in capitals. Detectors know SANCTION, EXPLOIT, MIXER, BRIDGE, SCAM, SPENDER, EXCHANGE; others may be used. */
  tags?: string[];
  /** How suspicious the address is, from 0 to 100. */
  score?: number;
  /** Where the label comes from; the same address may have one of each source. */
  source?: string | null;
  /** Anything else worth knowing. */
  note?: string | null;
};

export type UpdateLicenseBody = {
  /** Name of the license. */
  name?: string;
  /** Version of the license. */
  version?: string;
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Address of an icon. */
  icon?: string | null;
  /** Score groups of the license. */
  scoreGroups?: ScoreGroup[];
  /** Dynamic parameters held as a JSON text: `min` (0) and `max` (100) bound a score, `start` (max) is where it begins, `tick` is a schedule such as "1 day" by which the scripts are asked, and any other members are for the scripts. */
  params?: string | null;
  /** JavaScript that names the score groups which an event concerns: a text, a list of texts, or nothing. It sees `e` (the alert, or `{ type: "tick", timestamp }`), `l` (the params) and `s` (present scores by group). Without it every active score group is meant. */
  groupScript?: string | null;
  /** JavaScript that gives the change of the score of one group: a number, `{ change, key, value }`, or nothing. It sees what the group script sees, and `group` and `score` (the present one). */
  scoreScript?: string | null;
};

export type UpdateOrganisationBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Unique name. */
  name?: string;
  /** What the organisation is. */
  description?: string | null;
};

export type UpdatePlanBody = Partial<Plan>;

export type UpdateProjectBody = Partial<Project>;

export type UpdateRouteBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** A DISABLED route takes nothing, nor do those below it. Routes are on while the root is ACTIVE; a root is made DISABLED unless it says otherwise, and other routes ACTIVE. */
  status?: CreateRouteBodyStatus;
  /** The route above it; null for the root, of which a tenant has one. */
  parentId?: number | null;
  /** Its turn among the routes of its parent: the lowest first. Last if left out. */
  order?: number;
  /** What people call it. */
  name?: string;
  /** Its purpose. */
  description?: string | null;
  /** The alerts that it takes: a query string as in the search of alerts; all if null. The root takes what no other route does. */
  query?: string | null;
  /** Whether an alert that it took is offered to the next routes of its parent too. */
  continue?: boolean;
  /** What alerts have in common that come together and are repeated as one: their incident, contract, or kind of detector or trigger. NONE: each comes alone. */
  groupBy?: GroupBy;
  /** How long the first alert of a group waits for others that come with it. In seconds. */
  waitSeconds?: number;
  /** How long further alerts of a group wait after its last message, unless they are worse than all before. If null, those that people read come after 5 minutes, or 1 where they are HIGH or CRITICAL, and others at once. In seconds. */
  intervalSeconds?: number | null;
  /** How often a group is notified again until its alerts are acknowledged, resolved or retracted; never if null. In seconds. */
  repeatSeconds?: number | null;
  /** The time set within which alone it takes alerts; outside of it they go on to the next route. Always if null. */
  activeTimeSetId?: number | null;
  /** The time set within which it notifies of no alert that it takes, except CRITICAL ones. Never if null. */
  muteTimeSetId?: number | null;
  minSeverity?: CreateRouteBodyMinSeverity | null;
  /** The escalation chain that it runs for the incident of an alert of which it notifies. With one, a route without destinations leaves none to those of its parent. None if null. */
  escalationChainId?: number | null;
  /** The destinations that get its alerts. Where none of them can be reached, or there is none, those of its parent get them. */
  destinationIds?: number[];
};

export type UpdateScheduleBody = Partial<Schedule>;

export type UpdateScoreBody = {
  /** Unique identifier. */
  uid?: string;
  /** The partition it lives in. */
  index?: string;
  /** When the alert was raised, the clock ticked or the alert was retracted. In epoch milliseconds. */
  timestamp?: number;
  /** Its number inside the instance. */
  i?: number;
  /** What made the change: an alert, the clock, or that an alert was retracted. */
  type?: 'alert' | 'tick' | 'retraction';
  /** The organisation. */
  organisationId?: number;
  /** The license. */
  licenseId?: number;
  /** The license instance. */
  licenseInstanceId?: number;
  /** The tenant. */
  tenantId?: number;
  /** The project. */
  projectId?: number;
  /** The contract. */
  contractId?: number | null;
  /** The transaction. */
  txHash?: string | null;
  /** The schema of the detector; of a trigger its type. */
  detectorSchemaName?: string | null;
  /** The alert. */
  alertId?: string | null;
  /** The detector, trigger or action. */
  monitorId?: string | null;
  /** Name of the alert. */
  alertName?: string | null;
  /** Message of the alert. */
  alertMessage?: string | null;
  /** Severity of the alert as a number. */
  numericSeverity?: number | null;
  /** Severity of the alert. */
  severity?: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | null;
  /** Free labels. */
  tags?: string[];
  /** What the alert carries. */
  meta?: Record<string, unknown>;
  /** The score group. */
  scoreGroup?: string | null;
  /** The score after the change. */
  score?: number;
  /** The change, within the bounds of the license. */
  scoreChange?: number;
  /** Name of the output of the script; `change` if it names none. */
  key?: string | null;
  /** Value of that output; what the script asked for if it names none. */
  value?: number | null;
};

export type UpdateScoreGroupBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** Name, unique in the license. */
  name?: string;
  /** Title for people. */
  title?: string | null;
  /** What the group is about. */
  description?: string | null;
};

export type UpdateScoreReply = Omit<WebhookScore, 'project' | 'license'>;

/** Severity of the alert. */
export type UpdateScoreReplySeverity = 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** What made the change: an alert, the clock, or that an alert was retracted. */
export type UpdateScoreReplyType = 'alert' | 'tick' | 'retraction';

export type UpdateSilenceBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** The alerts of which no one is notified: a query string as in the search of alerts, `*` for all. */
  query?: string;
  /** From when on; from now if left out. In epoch milliseconds. */
  from?: number;
  /** Until when, at most 90 days after it begins. Required, because a silence without an end would hide what no one expects. In epoch milliseconds. */
  to?: number;
  /** The time set within which alone it holds; at all times if null. */
  timeSetId?: number | null;
  /** Whether it holds for CRITICAL alerts too; people are notified of them otherwise. */
  includeCritical?: boolean;
  /** Why, for those who wonder later. */
  reason?: string;
  /** Whether it is yet to begin, holds, or has ended. */
  state?: 'UPCOMING' | 'ACTIVE' | 'EXPIRED';
  /** The user who made it; null if a token without a user did. */
  authorId?: number | null;
  /** How people know who made it. */
  author?: string;
};

export type UpdateSubscriptionBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** When it begins; now if left out. In epoch milliseconds. */
  startDate?: number;
  /** When it ends; later than `startDate`. In epoch milliseconds. */
  expirationDate?: number;
  /** The plan. */
  plan?: CreatePlanReply;
  /** The plan. */
  planId?: number;
  /** Days before the end on which a notice is mailed. */
  notifyBeforeExpireDays?: number[];
};

export type UpdateTenantBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The organisation that the tenant belongs to. */
  organisationId?: number | null;
  /** Unique name. */
  name?: string;
  /** What the tenant is. */
  description?: string | null;
};

export type UpdateTimesetBody = Partial<Timeset>;

export type UpdateTokenomicsCategoryBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** Identifier that can stand for the id when deleting. */
  uid?: string;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The token contract. */
  contractId?: number;
  /** Name of the category. */
  name?: string;
  /** What the share is for. */
  description?: string | null;
  /** Address that holds the allocation, in the form of the contract’s chain. */
  address?: string | null;
  /** The whole allocation in tokens. */
  amount?: string | null;
};

export type UpdateTokenomicsScheduleBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** Identifier that can stand for the id when deleting. */
  uid?: string;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The category. */
  categoryId?: number;
  /** Name of the schedule. */
  name?: string;
  /** Dated amounts, kept in order of time; several of one time add up. */
  amounts?: CreateTokenomicsScheduleBodyAmount[];
};

export type UpdateTriggerBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The contract that is watched. */
  contractId?: number;
  /** What to call it. */
  name?: string;
  /** What it looks for. */
  triggerType?: TriggerType;
  /** What feeds it; follows from `triggerType`. */
  interceptorType?: 'TRANSACTION' | 'EVENT' | 'BLOCK' | 'TRACE' | 'STATE' | 'SCHEDULE';
  /** Parameters of the condition. */
  params?: Record<string, unknown>;
  /** Free labels. */
  tags?: string[];
  /** Address of the page that says what to do about its alerts; every message about them has it. */
  runbookUrl?: string | null;
  /** What to do about its alerts, in place of what Vigil says; every message about them has it. */
  nextSteps?: string | null;
  /** Alerts that it raises. */
  alerts?: CreateTriggerBodyAlert[];
};

export type UpdateUserBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The tenant of the user; none for an administrator. */
  tenantId?: number | null;
  /** The organisation of that tenant. */
  organisationId?: number | null;
  /** Unique in the tenant, kept in lower case; the user logs in with it. A new one needs a new `password` along with it. */
  email?: string;
  /** How the user is called. */
  name?: string | null;
  /** What the user may do. */
  roles?: CreateUserBodyRole[];
  /** 12 to 200 characters; never shown. Common passwords and those made of rows, repetitions or own names are refused. */
  password?: string | null;
};

export type UpdateViewBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** The user whose view it is; null if a token without a user made it. */
  ownerId?: number | null;
  /** Name, unique among the views of its owner. */
  name?: string;
  /** The query string of the search of alerts; blank finds all. */
  query?: string;
  /** Members of the alerts that are shown, in this order; `meta.amount` is a member of `meta`. */
  columns?: string[];
  /** The time that is searched: the last minutes, hours or days (`30m`, `24h`, `7d`), or from one time to another in epoch milliseconds (`1792108800000-1794787199999`). */
  timeRange?: string | null;
  /** Whether everyone in the tenant sees it. */
  shared?: boolean;
};

export type UpdateWalletBody = {
  /** Unique identifier of the record. */
  id?: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt?: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt?: number;
  /** State of the record. */
  status?: CreateOrganisationBodyStatus;
  /** The owning tenant; your own if left out. */
  tenantId?: number;
  /** The chain. */
  chainUid?: UpdateContractBodyChainUid;
  /** Direct address of the wallet, derived from its key. */
  address?: string;
  /** What to call it. */
  name?: string;
  /** Where the key lives: sealed here, or in a hardware module. */
  type?: 'DEFAULT' | 'HSM';
  /** Free labels. */
  tags?: string[];
  /** Most that a unit of gas may cost: in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar. What is usual on the chain if left out, no limit if null. */
  maxGasPrice?: string | null;
  /** Most that gas may cost within an hour, in the currency of the chain; what is usual there if left out, no limit if null. */
  maxHourlySpend?: string | null;
  /** What the wallet may call, when an action is saved and when it is fired; nothing if empty, which is how a new wallet begins, and every contract of the tenant if null. */
  allowedCalls?: CreateWalletBodyAllowedCalls[] | null;
  /** Whether changing the wallet or its actions and executing them by hand waits for the approval of a second user. Alerts fire them without asking. */
  requireApproval?: boolean;
  /** Users of the tenant who alone may approve what touches the wallet; any other user than the one who asks if left out or null. */
  approvers?: number[] | null;
};

export type User = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The tenant of the user; none for an administrator. */
  tenantId: number | null;
  /** The organisation of that tenant. */
  organisationId: number | null;
  /** Unique in the tenant, kept in lower case; the user logs in with it. A new one needs a new `password` along with it. */
  email: string;
  /** How the user is called. */
  name: string | null;
  /** What the user may do. */
  roles: CreateUserBodyRole[];
};

export type UserPage = {
  /** The records of this page. */
  data: User[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type View = Required<UpdateViewBody>;

export type ViewPage = {
  /** The records of this page. */
  data: View[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

export type Wallet = {
  /** Unique identifier of the record. */
  id: number;
  /** When the record was created. In epoch milliseconds. */
  createdAt: number;
  /** When the record last changed. In epoch milliseconds. */
  updatedAt: number;
  /** State of the record. */
  status: RecordStatus;
  /** The owning tenant; your own if left out. */
  tenantId: number;
  /** The chain. */
  chainUid: ChainUid;
  /** Direct address of the wallet, derived from its key. */
  address: string;
  /** What to call it. */
  name: string;
  /** Where the key lives: sealed here, or in a hardware module. */
  type: 'DEFAULT' | 'HSM';
  /** Free labels. */
  tags: string[];
  /** Most that a unit of gas may cost: in gwei on EVM chains and VeChain, sun on Tron, sat/vB on Bitcoin, micro-lamports on Solana, stroops on Stellar. What is usual on the chain if left out, no limit if null. */
  maxGasPrice: string | null;
  /** Most that gas may cost within an hour, in the currency of the chain; what is usual there if left out, no limit if null. */
  maxHourlySpend: string | null;
  /** What the wallet may call, when an action is saved and when it is fired; nothing if empty, which is how a new wallet begins, and every contract of the tenant if null. */
  allowedCalls: CreateWalletBodyAllowedCalls[] | null;
  /** Whether changing the wallet or its actions and executing them by hand waits for the approval of a second user. Alerts fire them without asking. */
  requireApproval: boolean;
  /** Users of the tenant who alone may approve what touches the wallet; any other user than the one who asks if left out or null. */
  approvers: number[] | null;
};

export type WalletBalanceReply = {
  /** The chain. */
  chainUid: ChainUid;
  /** The block after which the balances were read. */
  block: number;
  /** Symbol of the currency. */
  symbol: string;
  /** Its decimals. */
  decimals: number;
  /** The address. */
  address: string;
  /** Its balance, in the smallest unit of the currency. */
  balance: string;
  /** What actions may spend with it, and what they spent or set aside. */
  limits: {
    /** Most that a unit of gas may cost, in the unit of its chain. */
    maxGasPrice: string | null;
    /** Most that gas may cost within an hour, in the currency of the chain. */
    maxHourlySpend: string | null;
    /** Its balance, in the smallest unit of the currency. */
    spentLastHour: string;
  };
  /** Addresses that the wallet had before it was rotated, until they are found empty; the newest first. */
  former: Array<{
    /** The address. */
    address: string;
    /** Its balance, in the smallest unit of the currency. */
    balance: string;
    /** When the wallet got another key. In epoch milliseconds. */
    rotatedAt: number;
  }>;
};

export type WalletPage = {
  /** The records of this page. */
  data: CreateWalletReply[];
  /** Number of matching records; present only when `trackTotal` is true. */
  total?: number;
};

/** An alert as a webhook carries it. All members of an alert are there unless it is truncated. */
export type WebhookAlert = {
  /** Unique identifier of the alert. */
  uid: string;
  /** Kind of its source. */
  kind?: AlertKind;
  /** Its group in histograms. */
  group?: AlertGroup;
  /** When it happened. In epoch milliseconds. */
  timestamp?: number;
  /** Identifier of the event behind it. */
  eid?: string;
  /** The transaction. */
  txHash?: string | null;
  chainUid?: ChainUid | null;
  /** The block. */
  blockNumber?: number | null;
  /** Hash of the block. */
  blockHash?: string | null;
  /** The tenant. */
  tenantId?: number;
  /** The project. */
  projectId?: number;
  /** The contract. */
  contractId?: number;
  /** The incident that it belongs to. */
  incidentUid?: string | null;
  /** The detector that raised it. */
  detectorId?: number | null;
  /** Kind of the detector that raised it. */
  detectorSchemaName?: string | null;
  /** The trigger that raised it. */
  triggerId?: number | null;
  /** The action behind it. */
  actionId?: number | null;
  /** The wallet that signed. */
  walletId?: number | null;
  /** The user who works on it. */
  assigneeId?: number | null;
  /** Whether someone has acknowledged it, and no snooze has ended since. */
  acknowledged?: boolean;
  /** When that was. In epoch milliseconds. */
  acknowledgedAt?: number | null;
  /** Who did it, by name. */
  acknowledgedBy?: string | null;
  /** The user who did it; null for an API key or a mailed link. */
  acknowledgedById?: number | null;
  /** Until when it is snoozed; null where it is not. In epoch milliseconds. */
  acknowledgedUntil?: number | null;
  /** Name of the wallet. */
  walletName?: string | null;
  /** Chain of the wallet. */
  walletChainUid?: string | null;
  /** Address of the wallet. */
  walletAddress?: string | null;
  interceptorType?: ContractTriggerAlertPageDataInterceptorType | null;
  triggerType?: ContractTriggerAlertPageDataTriggerType | null;
  /** How bad it is. */
  severity: Severity;
  /** INFO 10, LOW 30, MEDIUM 50, HIGH 70, CRITICAL 90. */
  numericSeverity?: number;
  /** Name of the alert. */
  name?: string;
  /** What happened, for people. */
  message?: string;
  /** What the finding carries. */
  meta?: Record<string, unknown>;
  /** Whether someone has dealt with it, or its block is gone. */
  status?: AlertStatus;
  /** How settled its block is; PENDING while no block has its transaction. */
  finality?: AlertFinality;
  /** Free labels. */
  tags?: string[];
  /** Over the rate limit of the plan: no one was notified. */
  suppressed?: boolean;
  /** Pushed more than an hour after it happened: no one was notified. */
  backfilled?: boolean;
  /** When its block, or its pending transaction, was found to be gone. In epoch milliseconds. */
  retractedAt?: number | null;
  retractionReason?: RetractionReason | null;
  contract?: WebhookAlertContract | null;
  project?: WebhookAlertProject | null;
  /** The incident that it belongs to. */
  incident?: WebhookAlertIncident;
  /** The first step for a person after an alert of this kind. */
  nextStep?: string;
  /** What to do, in the words of its detector or trigger. */
  nextSteps?: string;
  /** Address of the page that says what to do. */
  runbookUrl?: string;
  /** The step of a chain that it was sent for. */
  escalation?: WebhookAlertEscalation;
  /** Where more can be read. */
  links: WebhookAlertLinks;
  /** Only where it is repeated. */
  repeat?: WebhookAlertRepeat;
  /** The message was too long: it leaves out `meta`, and if that is not enough all but three members. */
  truncated?: boolean;
};

/** The contract. */
export type WebhookAlertContract = {
  /** The contract. */
  id: number;
  /** Its name. */
  name: string;
  /** Its address. */
  address: string;
  /** Its chain. */
  chainUid: string;
};

/** The step of a chain that it was sent for. */
export type WebhookAlertEscalation = {
  /** Which one. */
  id: number;
  /** Name of the escalation chain. */
  chain: string;
  /** The step, from 1. */
  step: number;
  /** How many steps a round has. */
  steps: number;
  /** The round, from 1. */
  round: number;
  /** Who is called; null for a destination. */
  calls: string | null;
  /** The user who is called. */
  userId: number | null;
};

/** The incident that it belongs to. */
export type WebhookAlertIncident = {
  /** Its identifier. */
  uid: string;
  /** Which of its alerts this one is, from 1. */
  number: number;
};

/** Where more can be read. */
export type WebhookAlertLinks = {
  /** In a block explorer. */
  explorer: string | null;
  /** In the console. */
  alert: string;
  /** A page on which the reader acknowledges it, once, within seven days; only of new alerts. */
  acknowledge?: string;
  /** The same to resolve it. */
  resolve?: string;
  /** The same by which the user who was called takes it. */
  assign?: string;
  /** The same to silence such alerts for an hour, CRITICAL ones excepted. */
  silence?: string;
  /** The same to halt all actions of the tenant; only of alerts that are HIGH or CRITICAL, and of actions. */
  halt?: string;
};

/** The project. */
export type WebhookAlertProject = {
  /** The project. */
  id: number;
  /** Its name. */
  name: string;
};

/** Only where it is repeated. */
export type WebhookAlertRepeat = {
  /** Which repeat it is, from 1. */
  number: number;
  /** When the first message was. In epoch milliseconds. */
  since: number;
  /** How many alerts of its group no one has answered. */
  open: number;
  /** The route that repeats it. */
  routeId: number;
  /** Its name. */
  routeName: string;
};

/** A destination that Vigil no longer sends to. */
export type WebhookDestination = {
  /** The destination. */
  destinationId: number;
  /** Its kind. */
  destinationType: 'EMAIL' | 'MESSENGER_A' | 'HTTP' | 'MESSENGER_B' | 'PAGERDUTY' | 'TEAMS' | 'DISCORD' | 'ALERTMANAGER' | 'SYSLOG' | 'SNS' | 'SQS' | 'WEB_PUSH';
  /** Reason that nothing gets through. */
  reason: string;
  /** When the first of the failures was. In epoch milliseconds. */
  failingSince: number | null;
  /** What else enables it again. */
  advice?: string;
};

/** A change of a score. */
export type WebhookScore = {
  /** Unique identifier. */
  uid: string;
  /** The partition it lives in. */
  index: string;
  /** When the alert was raised, the clock ticked or the alert was retracted. In epoch milliseconds. */
  timestamp: number;
  /** Its number inside the instance. */
  i: number;
  /** What made the change: an alert, the clock, or that an alert was retracted. */
  type: UpdateScoreReplyType;
  /** The organisation. */
  organisationId: number;
  /** The license. */
  licenseId: number;
  /** The license instance. */
  licenseInstanceId: number;
  /** The tenant. */
  tenantId: number;
  /** The project. */
  projectId: number;
  /** The contract. */
  contractId: number | null;
  /** The transaction. */
  txHash: string | null;
  /** The schema of the detector; of a trigger its type. */
  detectorSchemaName: string | null;
  /** The alert. */
  alertId: string | null;
  /** The detector, trigger or action. */
  monitorId: string | null;
  /** Name of the alert. */
  alertName: string | null;
  /** Message of the alert. */
  alertMessage: string | null;
  /** Severity of the alert as a number. */
  numericSeverity: number | null;
  severity: UpdateScoreReplySeverity | null;
  /** Free labels. */
  tags: string[];
  /** What the alert carries. */
  meta: Record<string, unknown>;
  /** The score group. */
  scoreGroup: string | null;
  /** The score after the change. */
  score: number;
  /** The change, within the bounds of the license. */
  scoreChange: number;
  /** Name of the output of the script; `change` if it names none. */
  key: string | null;
  /** Value of that output; what the script asked for if it names none. */
  value: number | null;
  /** The project. */
  project: WebhookAlertProject;
  /** The license. */
  license: {
    /** The license. */
    id: number;
    /** Its name. */
    name: string;
    /** Its version. */
    version: string;
  };
};

/** The subscription of the tenant. */
export type WebhookSubscription = {
  /** The subscription. */
  subscriptionId: number;
  /** The tenant. */
  tenant: {
    /** The tenant. */
    id: number;
    /** Its name. */
    name: string;
  };
  /** The plan. */
  plan: {
    /** Its name. */
    name: string;
  };
  /** When it ends. In epoch milliseconds. */
  expirationDate: number;
  /** How long Vigil goes on watching after that. In epoch milliseconds. */
  watchingUntil: number;
  /** Days until it ends. */
  daysLeft: number;
  /** Its outcome. */
  state: 'EXPIRING' | 'EXPIRED' | 'STOPPED';
};

export type WhereSearch = {
  /** Number of records to skip. */
  from?: number;
  /** Number of records to return. */
  size?: number;
  /** Which records, written like an SQL where clause: comparisons (= <> < <= > >=), IN, LIKE, ILIKE, BETWEEN, IS NULL, CONTAINS, joined by AND, OR, NOT. Text stands in single quotes. Deleted records are left out unless the clause names `status`. */
  where?: string;
  /** The order of the records; by id if left out. */
  sort?: WhereSearchSort[];
  /** True to count all matching records into `total`. */
  trackTotal?: boolean;
};

export type WhereSearchSort = {
  /** The field to sort by. */
  field: string;
  /** The direction; ascending if left out. */
  order?: 'asc' | 'desc';
  /** Another name for `order`. */
  direction?: 'asc' | 'desc';
};

export type IncidentStoryReplyTimelineAlert = {
  /** The alert. */
  uid: string;
  /** Its severity. */
  severity: IncidentStoryReplyTimelineAlertSeverity;
  /** Its state. */
  status: IncidentStoryReplyTimelineAlertStatus;
  /** Its name. */
  name: string;
  /** Its message. */
  message: string;
  /** When it happened. In epoch milliseconds. */
  timestamp: number;
  /** Its contract. */
  contractId: number;
  /** How settled its block is. */
  finality: IncidentStoryReplyTimelineAlertFinality;
};

export type InstanceScoreReplyFault = {
  /** Where the fault lies. */
  script: InstanceScoreReplyFaultScript;
  /** What kind of fault it is. */
  code: InstanceScoreReplyFaultCode;
  /** What went wrong. */
  message: string;
  /** Line of the script. */
  line: number | null;
  /** Column of that line. */
  column: number | null;
  /** When it happened. In epoch milliseconds. */
  at: number;
  /** The alert. */
  alertId: string | null;
};

/** What Vigil sends to webhooks. */
export type Webhook = AlertDetectorRaisedWebhook | AlertTriggerRaisedWebhook | AlertRetractedWebhook | AlertResolvedWebhook | AlertUpdatedWebhook | AlertRepeatedWebhook | ActionSubmittedWebhook | ActionConfirmedWebhook | ActionFailedWebhook | ActionReplacedWebhook | ActionWaitingWebhook | ScoreChangedWebhook | SubscriptionExpiringWebhook | DestinationDisabledWebhook | PingWebhook;

/** Every endpoint: what it takes and what it answers. */
export interface Api {
  /** Log in */
  'POST /auth/login': { body: AuthLoginBody; reply: AuthLoginReply };
  /** Refresh the session */
  'POST /auth/refresh': { reply: AuthLoginReply };
  /** Sign a page in with a token */
  'POST /auth/cookie': { reply: AuthLoginReply };
  /** Log out */
  'POST /auth/logout': { reply: Record<string, never> };
  /** List my sessions */
  'GET /auth/session': { reply: ListAuthSessionsReply };
  /** End a session of mine */
  'DELETE /auth/session/{sessionId}': { path: { sessionId: number }; reply: DeleteAuthSessionReply };
  /** Ask if the first user is awaited */
  'GET /auth/setup': { reply: SetupStateReply };
  /** Make the first administrator */
  'POST /auth/setup': { body: SetUpBody; reply: AuthLoginReply };
  /** Who am I */
  'GET /auth/me': { reply: AuthMeReply };
  /** List the API keys I have made */
  'GET /auth/apikey': { reply: CurrentApikeyReply };
  /** Change my password */
  'POST /auth/password': { body: ChangePasswordBody; reply: CurrentApikeyReply };
  /** Create an organisation */
  'POST /organisation': { body: CreateOrganisationBody; reply: Organisation };
  /** Read an organisation */
  'GET /organisation/{id}': { path: { id: number }; reply: Organisation };
  /** Change an organisation */
  'PUT /organisation/{id}': { path: { id: number }; body: UpdateOrganisationBody; reply: Organisation };
  /** Delete an organisation */
  'DELETE /organisation/{id}': { path: { id: number }; reply: DeleteOrganisationReply };
  /** Search organisation records */
  'POST /organisation/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: OrganisationPage;
  };
  /** Create a tenant */
  'POST /tenant': { body: CreateTenantBody; reply: Tenant };
  /** Read a tenant */
  'GET /tenant/{id}': { path: { id: number }; reply: Tenant };
  /** Change a tenant */
  'PUT /tenant/{id}': { path: { id: number }; body: UpdateTenantBody; reply: Tenant };
  /** Delete a tenant */
  'DELETE /tenant/{id}': { path: { id: number }; reply: DeleteTenantReply };
  /** Search tenant records */
  'POST /tenant/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: TenantPage;
  };
  /** Create a user */
  'POST /user': { body: CreateUserBody; reply: User };
  /** Read a user */
  'GET /user/{id}': { path: { id: number }; reply: User };
  /** Change a user */
  'PUT /user/{id}': { path: { id: number }; body: UpdateUserBody; reply: User };
  /** Delete a user */
  'DELETE /user/{id}': { path: { id: number }; reply: DeleteUserReply };
  /** Search user records */
  'POST /user/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: UserPage;
  };
  /** Create an API key */
  'POST /apikey': { body: CreateApikeyBody; reply: CreateApikeyReply };
  /** Read an API key */
  'GET /apikey/{id}': { path: { id: number }; reply: Apikey };
  /** Change an API key */
  'PUT /apikey/{id}': { path: { id: number }; body: UpdateApikeyBody; reply: Apikey };
  /** Delete an API key */
  'DELETE /apikey/{id}': { path: { id: number }; reply: DeleteApikeyReply };
  /** Search API key records */
  'POST /apikey/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ApikeyPage;
  };
  /** Invite a user */
  'POST /invite': { body: CreateInviteBody; reply: Invite };
  /** Read an invite */
  'GET /invite/{id}': { path: { id: number }; reply: Invite };
  /** Delete an invite */
  'DELETE /invite/{id}': { path: { id: number }; reply: DeleteInviteReply };
  /** Search invite records */
  'POST /invite/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: InvitePage;
  };
  /** Accept an invite */
  'POST /invite/{uid}/accept': { path: { uid: string }; body: AcceptInviteBody; reply: User };
  /** Create a plan */
  'POST /plan': { body: CreatePlanBody; reply: CreatePlanReply };
  /** Read a plan */
  'GET /plan/{id}': { path: { id: number }; reply: Plan };
  /** Change a plan */
  'PUT /plan/{id}': { path: { id: number }; body: UpdatePlanBody; reply: CreatePlanReply };
  /** Delete a plan */
  'DELETE /plan/{id}': { path: { id: number }; reply: DeletePlanReply };
  /** Search plan records */
  'POST /plan/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: PlanPage;
  };
  /** Create a subscription */
  'POST /subscription': { body: CreateSubscriptionBody; reply: Subscription };
  /** Read a subscription */
  'GET /subscription/{id}': { path: { id: number }; reply: Subscription };
  /** Change a subscription */
  'PUT /subscription/{id}': { path: { id: number }; body: UpdateSubscriptionBody; reply: Subscription };
  /** Delete a subscription */
  'DELETE /subscription/{id}': { path: { id: number }; reply: DeleteSubscriptionReply };
  /** Search subscription records */
  'POST /subscription/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: SubscriptionPage;
  };
  /** Create a project */
  'POST /project': { body: CreateProjectBody; reply: Project };
  /** Read a project */
  'GET /project/{id}': { path: { id: number }; reply: Project };
  /** Change a project */
  'PUT /project/{id}': { path: { id: number }; body: UpdateProjectBody; reply: Project };
  /** Delete a project */
  'DELETE /project/{id}': { path: { id: number }; reply: DeleteProjectReply };
  /** Search project records */
  'POST /project/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ProjectPage;
  };
  /** Create a contract */
  'POST /contract': { body: CreateContractBody; reply: Contract };
  /** Read a contract */
  'GET /contract/{id}': { path: { id: number }; reply: Contract };
  /** Change a contract */
  'PUT /contract/{id}': { path: { id: number }; body: UpdateContractBody; reply: Contract };
  /** Delete a contract */
  'DELETE /contract/{id}': { path: { id: number }; reply: DeleteContractReply };
  /** Search contract records */
  'POST /contract/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ContractPage;
  };
  /** Create many contract records */
  'POST /contract/batch': { body: CreateContractsBody; reply: CreateContractsReply };
  /** Create a wallet */
  'POST /wallet': { body: CreateWalletBody; reply: CreateWalletReply };
  /** Read a wallet */
  'GET /wallet/{id}': { path: { id: number }; reply: Wallet };
  /** Change a wallet */
  'PUT /wallet/{id}': { path: { id: number }; body: UpdateWalletBody; reply: CreateWalletReply };
  /** Delete a wallet */
  'DELETE /wallet/{id}': { path: { id: number }; reply: DeleteWalletReply };
  /** Search wallet records */
  'POST /wallet/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: WalletPage;
  };
  /** Create a destination */
  'POST /destination': { body: CreateDestinationBody; reply: CreateDestinationReply };
  /** Read a destination */
  'GET /destination/{id}': { path: { id: number }; reply: Destination };
  /** Change a destination */
  'PUT /destination/{id}': { path: { id: number }; body: UpdateDestinationBody; reply: UpdateDestinationReply };
  /** Delete a destination */
  'DELETE /destination/{id}': { path: { id: number }; reply: DeleteDestinationReply };
  /** Search destination records */
  'POST /destination/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: DestinationPage;
  };
  /** Create a time set */
  'POST /timeset': { body: CreateTimesetBody; reply: Timeset };
  /** Read a time set */
  'GET /timeset/{id}': { path: { id: number }; reply: Timeset };
  /** Change a time set */
  'PUT /timeset/{id}': { path: { id: number }; body: UpdateTimesetBody; reply: Timeset };
  /** Delete a time set */
  'DELETE /timeset/{id}': { path: { id: number }; reply: DeleteTimesetReply };
  /** Search time set records */
  'POST /timeset/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: TimesetPage;
  };
  /** Create a silence */
  'POST /silence': { body: CreateSilenceBody; reply: Silence };
  /** Read a silence */
  'GET /silence/{id}': { path: { id: number }; reply: Silence };
  /** Change a silence */
  'PUT /silence/{id}': { path: { id: number }; body: UpdateSilenceBody; reply: Silence };
  /** Search silence records */
  'POST /silence/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: SilencePage;
  };
  /** Create a schedule */
  'POST /schedule': { body: CreateScheduleBody; reply: Schedule };
  /** Read a schedule */
  'GET /schedule/{id}': { path: { id: number }; reply: Schedule };
  /** Change a schedule */
  'PUT /schedule/{id}': { path: { id: number }; body: UpdateScheduleBody; reply: Schedule };
  /** Delete a schedule */
  'DELETE /schedule/{id}': { path: { id: number }; reply: DeleteScheduleReply };
  /** Search schedule records */
  'POST /schedule/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: SchedulePage;
  };
  /** Create an escalation chain */
  'POST /escalationchain': { body: CreateEscalationchainBody; reply: Escalationchain };
  /** Read an escalation chain */
  'GET /escalationchain/{id}': { path: { id: number }; reply: Escalationchain };
  /** Change an escalation chain */
  'PUT /escalationchain/{id}': { path: { id: number }; body: UpdateEscalationchainBody; reply: Escalationchain };
  /** Delete an escalation chain */
  'DELETE /escalationchain/{id}': { path: { id: number }; reply: DeleteEscalationchainReply };
  /** Search escalation chain records */
  'POST /escalationchain/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: EscalationchainPage;
  };
  /** Create a route */
  'POST /route': { body: CreateRouteBody; reply: Route };
  /** Read a route */
  'GET /route/{id}': { path: { id: number }; reply: Route };
  /** Change a route */
  'PUT /route/{id}': { path: { id: number }; body: UpdateRouteBody; reply: Route };
  /** Delete a route */
  'DELETE /route/{id}': { path: { id: number }; reply: DeleteRouteReply };
  /** Search route records */
  'POST /route/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: RoutePage;
  };
  /** Create an inhibition */
  'POST /inhibition': { body: CreateInhibitionBody; reply: Inhibition };
  /** Read an inhibition */
  'GET /inhibition/{id}': { path: { id: number }; reply: Inhibition };
  /** Change an inhibition */
  'PUT /inhibition/{id}': { path: { id: number }; body: UpdateInhibitionBody; reply: Inhibition };
  /** Delete an inhibition */
  'DELETE /inhibition/{id}': { path: { id: number }; reply: DeleteInhibitionReply };
  /** Search inhibition records */
  'POST /inhibition/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: InhibitionPage;
  };
  /** Create a planned change */
  'POST /plannedchange': { body: CreatePlannedchangeBody; reply: Plannedchange };
  /** Read a planned change */
  'GET /plannedchange/{id}': { path: { id: number }; reply: Plannedchange };
  /** Search planned change records */
  'POST /plannedchange/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: PlannedchangePage;
  };
  /** Create a detector schema */
  'POST /detector/schema': { body: CreateDetectorSchemaBody; reply: DetectorSchema };
  /** Read a detector schema */
  'GET /detector/schema/{id}': { path: { id: number }; reply: DetectorSchema };
  /** Change a detector schema */
  'PUT /detector/schema/{id}': { path: { id: number }; body: UpdateDetectorSchemaBody; reply: DetectorSchema };
  /** Delete a detector schema */
  'DELETE /detector/schema/{id}': { path: { id: number }; reply: DeleteDetectorSchemaReply };
  /** Search detector schema records */
  'POST /detector/schema/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: DetectorSchemaPage;
  };
  /** Create a detector */
  'POST /detector': { body: DetectorOf<CreateDetectorBody>; reply: CreateDetectorReply };
  /** Read a detector */
  'GET /detector/{id}': { path: { id: number }; reply: Detector };
  /** Change a detector */
  'PUT /detector/{id}': { path: { id: number }; body: UpdateDetectorBody; reply: CreateDetectorReply };
  /** Delete a detector */
  'DELETE /detector/{id}': { path: { id: number }; reply: DeleteDetectorReply };
  /** Search detector records */
  'POST /detector/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: DetectorPage;
  };
  /** Create many detector records */
  'POST /detector/batch': { body: CreateDetectorsBody; reply: CreateDetectorsReply };
  /** Create a trigger */
  'POST /trigger': { body: TriggerOf<CreateTriggerBody>; reply: CreateTriggerReply };
  /** Read a trigger */
  'GET /trigger/{id}': { path: { id: number }; reply: Trigger };
  /** Change a trigger */
  'PUT /trigger/{id}': { path: { id: number }; body: UpdateTriggerBody; reply: CreateTriggerReply };
  /** Delete a trigger */
  'DELETE /trigger/{id}': { path: { id: number }; reply: DeleteTriggerReply };
  /** Search trigger records */
  'POST /trigger/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: TriggerPage;
  };
  /** Create many trigger records */
  'POST /trigger/batch': { body: CreateTriggersBody; reply: CreateTriggersReply };
  /** Create an action */
  'POST /action': { body: CreateActionBody; reply: CreateActionReply };
  /** Read an action */
  'GET /action/{id}': { path: { id: number }; reply: Action };
  /** Change an action */
  'PUT /action/{id}': { path: { id: number }; body: UpdateActionBody; reply: CreateActionReply };
  /** Delete an action */
  'DELETE /action/{id}': { path: { id: number }; reply: DeleteActionReply };
  /** Search action records */
  'POST /action/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ActionPage;
  };
  /** Create many action records */
  'POST /action/batch': { body: CreateActionsBody; reply: CreateActionsReply };
  /** Create a label */
  'POST /label': { body: CreateLabelBody; reply: Label };
  /** Read a label */
  'GET /label/{id}': { path: { id: number }; reply: Label };
  /** Change a label */
  'PUT /label/{id}': { path: { id: number }; body: UpdateLabelBody; reply: Label };
  /** Delete a label */
  'DELETE /label/{id}': { path: { id: number }; reply: DeleteLabelReply };
  /** Search label records */
  'POST /label/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: LabelPage;
  };
  /** Create many label records */
  'POST /label/batch': { body: CreateLabelsBody; reply: CreateLabelsReply };
  /** Create a view */
  'POST /view': { body: CreateViewBody; reply: View };
  /** Read a view */
  'GET /view/{id}': { path: { id: number }; reply: View };
  /** Change a view */
  'PUT /view/{id}': { path: { id: number }; body: UpdateViewBody; reply: View };
  /** Delete a view */
  'DELETE /view/{id}': { path: { id: number }; reply: DeleteViewReply };
  /** Search view records */
  'POST /view/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ViewPage;
  };
  /** Create a license */
  'POST /license': { body: CreateLicenseBody; reply: License };
  /** Read a license */
  'GET /license/{id}': { path: { id: number }; reply: License };
  /** Change a license */
  'PUT /license/{id}': { path: { id: number }; body: UpdateLicenseBody; reply: License };
  /** Delete a license */
  'DELETE /license/{id}': { path: { id: number }; reply: DeleteLicenseReply };
  /** Search license records */
  'POST /license/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: LicensePage;
  };
  /** Create a score group */
  'POST /score/group': { body: CreateScoreGroupBody; reply: ScoreGroup };
  /** Read a score group */
  'GET /score/group/{id}': { path: { id: number }; reply: ScoreGroup };
  /** Change a score group */
  'PUT /score/group/{id}': { path: { id: number }; body: UpdateScoreGroupBody; reply: ScoreGroup };
  /** Delete a score group */
  'DELETE /score/group/{id}': { path: { id: number }; reply: DeleteScoreGroupReply };
  /** Search score group records */
  'POST /score/group/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ScoreGroupPage;
  };
  /** Create a license instance */
  'POST /instance': { body: CreateInstanceBody; reply: Instance };
  /** Read a license instance */
  'GET /instance/{id}': { path: { id: number }; reply: Instance };
  /** Change a license instance */
  'PUT /instance/{id}': { path: { id: number }; body: UpdateInstanceBody; reply: Instance };
  /** Delete a license instance */
  'DELETE /instance/{id}': { path: { id: number }; reply: DeleteInstanceReply };
  /** Search license instance records */
  'POST /instance/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: InstancePage;
  };
  /** Create a license instance period */
  'POST /instance/meta': { body: CreateInstanceMetaBody; reply: InstanceMeta };
  /** Read a license instance period */
  'GET /instance/meta/{id}': { path: { id: number }; reply: InstanceMeta };
  /** Change a license instance period */
  'PUT /instance/meta/{id}': { path: { id: number }; body: UpdateInstanceMetaBody; reply: InstanceMeta };
  /** Delete a license instance period */
  'DELETE /instance/meta/{id}': { path: { id: number }; reply: DeleteInstanceMetaReply };
  /** Search license instance period records */
  'POST /instance/meta/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: InstanceMetaPage;
  };
  /** Create a tokenomics category */
  'POST /tokenomics/category': { body: CreateTokenomicsCategoryBody; reply: TokenomicsCategory };
  /** Read a tokenomics category */
  'GET /tokenomics/category/{id}': { path: { id: number }; reply: TokenomicsCategory };
  /** Change a tokenomics category */
  'PUT /tokenomics/category/{id}': { path: { id: number }; body: UpdateTokenomicsCategoryBody; reply: TokenomicsCategory };
  /** Delete a tokenomics category */
  'DELETE /tokenomics/category/{id}': { path: { id: string }; reply: DeleteTokenomicsCategoryReply };
  /** Search tokenomics category records */
  'POST /tokenomics/category/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: TokenomicsCategoryPage;
  };
  /** Create a tokenomics schedule */
  'POST /tokenomics/schedule': { body: CreateTokenomicsScheduleBody; reply: TokenomicsSchedule };
  /** Read a tokenomics schedule */
  'GET /tokenomics/schedule/{id}': { path: { id: number }; reply: TokenomicsSchedule };
  /** Change a tokenomics schedule */
  'PUT /tokenomics/schedule/{id}': { path: { id: number }; body: UpdateTokenomicsScheduleBody; reply: TokenomicsSchedule };
  /** Delete a tokenomics schedule */
  'DELETE /tokenomics/schedule/{id}': { path: { id: string }; reply: DeleteTokenomicsCategoryReply };
  /** Search tokenomics schedule records */
  'POST /tokenomics/schedule/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: TokenomicsSchedulePage;
  };
  /** End all sessions of a user */
  'DELETE /user/{id}/session': { path: { id: number }; reply: EndUserSessionsReply };
  /** Search trigger schema records */
  'POST /trigger/schema/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: TriggerSchemaPage;
  };
  /** See what stands at an address */
  'POST /contract/inspect': { body: InspectContractBody; reply: InspectContractReply };
  /** Recommend detectors for a contract, and enable a selection */
  'POST /contract/{id}/recommend': { path: { id: number }; body?: RecommendContractBody; reply: RecommendContractReply };
  /** List the projects that others share with you */
  'GET /share': {
    query?: {
      /** The tenant that the project is shared with; your own if left out. */
      tenantId?: number;
    };
    reply: ListSharesReply;
  };
  /** Accept a shared project */
  'POST /share/{projectId}/accept': { path: { projectId: number }; body?: AcceptShareBody; reply: AcceptShareReply };
  /** Decline or leave a shared project */
  'DELETE /share/{projectId}': {
    path: { projectId: number };
    query?: {
      /** The tenant that the project is shared with; your own if left out. */
      tenantId?: number;
    };
    reply: AcceptShareReply;
  };
  /** List the chains */
  'GET /chain': { reply: ListChainsReply };
  /** Add a chain */
  'POST /chain': { body: CreateChainBody; reply: Chain };
  /** Read the facts of a chain */
  'GET /chain/{uid}': { path: { uid: string }; reply: Chain };
  /** Change a chain that was added */
  'PUT /chain/{uid}': { path: { uid: string }; body: UpdateChainBody; reply: Chain };
  /** Delete a chain that was added */
  'DELETE /chain/{uid}': { path: { uid: string }; reply: DeleteChainReply };
  /** List the endpoints of a chain */
  'GET /chain/{uid}/endpoint': { path: { uid: string }; reply: ListChainEndpointsReply };
  /** Add an endpoint to a chain */
  'POST /chain/{uid}/endpoint': { path: { uid: string }; body: CreateChainEndpointBody; reply: CreateChainEndpointReply };
  /** Change an endpoint */
  'PUT /chain/{uid}/endpoint/{endpointUid}': { path: { uid: string; endpointUid: string }; body: UpdateChainEndpointBody; reply: CreateChainEndpointReply };
  /** Delete an endpoint */
  'DELETE /chain/{uid}/endpoint/{endpointUid}': { path: { uid: string; endpointUid: string }; reply: DeleteChainEndpointReply };
  /** Try an endpoint before adding it */
  'POST /chain/{uid}/endpoint/try': { path: { uid: string }; body: TryNewChainEndpointBody; reply: TryNewChainEndpointReply };
  /** Try an endpoint of a chain */
  'POST /chain/{uid}/endpoint/{endpointUid}/try': { path: { uid: string; endpointUid: string }; reply: TryNewChainEndpointReply };
  /** Search the action alerts of a contract */
  'POST /contract/{id}/action/alert/search': {
    path: { id: number };
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: QuerySearch;
    reply: ContractActionAlertPage;
  };
  /** Search the trigger alerts of a contract */
  'POST /contract/{id}/trigger/alert/search': {
    path: { id: number };
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: QuerySearch;
    reply: ContractTriggerAlertPage;
  };
  /** Search the detector alerts of a contract */
  'POST /contract/{id}/detector/alert/search': {
    path: { id: number };
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: QuerySearch;
    reply: ContractDetectorAlertPage;
  };
  /** Search the alerts of a project */
  'POST /project/{id}/alert/search': {
    path: { id: number };
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: QuerySearch;
    reply: ContractDetectorAlertPage;
  };
  /** Search all alerts that you may see */
  'POST /alert/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: QuerySearch;
    reply: ContractDetectorAlertPage;
  };
  /** Aggregate the action alerts that you may see */
  'POST /action/alert/aggregation': { body: ActionAlertAggregationBody; reply: ActionAlertAggregationReply };
  /** Aggregate all alerts that you may see */
  'POST /alert/aggregation': { body: ActionAlertAggregationBody; reply: ActionAlertAggregationReply };
  /** Follow alerts as they happen */
  'GET /alert/stream': {
    query?: {
      /** Only alerts that match this query string. A member or value that does not exist is refused. */
      query?: string;
      /** Id of the last event that was seen; the header `Last-Event-ID` outranks it. */
      after?: string;
      /** false ends the answer after the events that have happened so far. */
      live?: 'true' | 'false';
    };
    reply: string;
  };
  /** Read an alert */
  'GET /alert/{uid}': { path: { uid: string }; reply: Alert };
  /** Resolve, tag or assign an alert */
  'PUT /alert/{uid}': { path: { uid: string }; body: UpdateAlertBody; reply: Alert };
  /** Acknowledge an alert */
  'POST /alert/{uid}/acknowledge': { path: { uid: string }; body: AcknowledgeAlertBody; reply: Alert };
  /** Take back that an alert is acknowledged */
  'DELETE /alert/{uid}/acknowledge': { path: { uid: string }; reply: Alert };
  /** Read what a link of a notification does */
  'GET /link/{code}': { path: { code: string }; reply: GetLinkReply };
  /** Use a link of a notification */
  'POST /link/{code}': { path: { code: string }; reply: GetLinkReply };
  /** Resolve alerts by query */
  'POST /alert/resolve': { body: ResolveAlertsBody; reply: ResolveAlertsReply };
  /** Tag alerts by query */
  'POST /alert/tag': { body: TagAlertsBody; reply: ResolveAlertsReply };
  /** Assign alerts by query */
  'POST /alert/assign': { body: AssignAlertsBody; reply: ResolveAlertsReply };
  /** List the comments of an alert */
  'GET /alert/{uid}/comment': { path: { uid: string }; reply: ListAlertCommentsReply };
  /** Comment on an alert */
  'POST /alert/{uid}/comment': { path: { uid: string }; body: CreateAlertCommentBody; reply: CreateAlertCommentReply };
  /** Delete a comment */
  'DELETE /alert/{uid}/comment/{id}': { path: { uid: string; id: number }; reply: DeleteAlertCommentReply };
  /** Suggest what to write */
  'GET /suggest': {
    query?: {
      /** What to suggest. If left out: values of a given `field`, signatures of a given `contractId`, names of a given `address`, else fields. */
      of?: 'field' | 'value' | 'signature' | 'label';
      /** Of `value`: the field whose values are wanted. */
      field?: string;
      /** Of `signature`: the contract whose functions and events are wanted. */
      contractId?: number;
      /** Of `label`: the addresses whose names are wanted, at most 50, separated by commas. */
      address?: string;
      /** Of `label`: the chain of the addresses; any EVM chain if left out. */
      chainUid?: 'arbitrum' | 'bsc' | 'bsc_testnet' | 'ethereum' | 'linea' | 'optimism' | 'base' | 'base_sepolia' | 'gnosis' | 'fantom' | 'polygon' | 'polygon_amoy' | 'blast' | 'zksync' | 'scroll' | 'avalanche' | 'avalanche_fuji' | 'telos' | 'sepolia' | 'holesky' | 'ethereum_sepolia' | 'ethereum_holesky' | 'tron' | 'zeta' | 'somnia' | 'adi' | 'anvil' | 'icp' | 'vechain' | 'stellar' | 'bitcoin' | 'solana';
      /** What was typed so far: only what contains it, and first what begins with it. */
      text?: string;
      /** At most this many; 20 if left out. */
      size?: number;
      /** The tenant, for administrators. */
      tenantId?: number;
    };
    reply: SuggestReply;
  };
  /** Read what followed from an alert */
  'GET /alert/{uid}/outcome': { path: { uid: string }; reply: AlertOutcomeReply };
  /** Read the call tree of an alert's transaction */
  'GET /alert/{uid}/trace': {
    path: { uid: string };
    query?: {
      /** Skip this many frames. */
      from?: number;
      /** At most this many frames; 1,000 if left out. */
      size?: number;
    };
    reply: AlertTraceReply;
  };
  /** Try a message template on an alert */
  'POST /alert/{uid}/preview': { path: { uid: string }; body: PreviewAlertBody; reply: PreviewAlertReply };
  /** List the newest incidents */
  'GET /incident': {
    query?: {
      /** Skip this many. */
      from?: number;
      /** At most this many; 10 if left out. */
      size?: number;
      /** Only those in this state. */
      status?: 'UNRESOLVED' | 'RESOLVED' | 'RETRACTED';
      /** Only those of this severity. */
      severity?: 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
    };
    reply: ListIncidentsReply;
  };
  /** Search incidents */
  'POST /incident/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ListIncidentsReply;
  };
  /** Read an incident with its alerts */
  'GET /incident/{uid}': { path: { uid: string }; reply: Incident };
  /** Change an incident */
  'PUT /incident/{uid}': { path: { uid: string }; body: UpdateIncidentBody; reply: UpdateIncidentReply };
  /** Acknowledge an incident */
  'POST /incident/{uid}/acknowledge': { path: { uid: string }; body: AcknowledgeAlertBody; reply: UpdateIncidentReply };
  /** Take back that an incident is acknowledged */
  'DELETE /incident/{uid}/acknowledge': { path: { uid: string }; reply: UpdateIncidentReply };
  /** Read an incident as a story */
  'GET /incident/{uid}/story': { path: { uid: string }; reply: IncidentStoryReply };
  /** Write a report of an incident */
  'GET /incident/{uid}/report': { path: { uid: string }; reply: IncidentReportReply };
  /** Push findings of an outside engine */
  'POST /detector/{id}/alert': { path: { id: number }; body: PushDetectorAlertsBody; reply: PushDetectorAlertsReply };
  /** Run a proposed detector over past blocks */
  'POST /detector/backtest': { body: BacktestNewDetectorBody; reply: Backtest };
  /** Run a detector over past blocks */
  'POST /detector/{id}/backtest': { path: { id: number }; body: BacktestDetectorBody; reply: Backtest };
  /** Read a backtest and its progress */
  'GET /backtest/{uid}': { path: { uid: string }; reply: Backtest };
  /** Cancel a backtest */
  'POST /backtest/{uid}/cancel': { path: { uid: string }; reply: Backtest };
  /** Explain what a detector makes of a transaction */
  'POST /detector/{id}/explain': { path: { id: number }; body: ExplainDetectorBody; reply: ExplainDetectorReply };
  /** Read whether a detector works */
  'GET /detector/{id}/fault': { path: { id: number }; reply: DetectorFaultReply };
  /** Read how good the alerts of a detector are */
  'GET /detector/{id}/quality': { path: { id: number }; reply: DetectorQualityReply };
  /** List functions and events */
  'GET /contract/{id}/signature': { path: { id: number }; reply: ContractSignatureReply };
  /** List the kinds of destination */
  'GET /destination/kind': { reply: DestinationKindReply };
  /** Take a callback of a pager */
  'POST /destination/{id}/callback': { path: { id: number }; body: string; reply: DestinationCallbackReply };
  /** Send a test message */
  'POST /destination/{id}/test': { path: { id: number }; reply: TestDestinationReply };
  /** Mail the confirmation link again */
  'POST /destination/{id}/confirm': { path: { id: number }; reply: SendDestinationConfirmationReply };
  /** Confirm an e-mail address */
  'POST /destination/confirm/{code}': { path: { code: string }; reply: ConfirmDestinationReply };
  /** Show what would be sent */
  'POST /destination/{id}/preview': { path: { id: number }; body?: PreviewDestinationBody; reply: PreviewDestinationReply };
  /** Replace the secret that signs webhooks */
  'POST /destination/{id}/secret': { path: { id: number }; reply: DestinationSecretReply };
  /** Read what is bound to a destination */
  'GET /destination/{id}/binding': { path: { id: number }; reply: DestinationBindingReply };
  /** Read what was sent to a destination */
  'GET /destination/{id}/delivery': {
    path: { id: number };
    query?: {
      /** Skip this many. */
      from?: number;
      /** At most this many; 10 if left out. */
      size?: number;
      /** Only those in this state. */
      state?: 'PENDING' | 'DELIVERED' | 'DEAD' | 'CANCELED';
    };
    reply: DestinationDeliveryReply;
  };
  /** Send a delivery again */
  'POST /delivery/{uid}/replay': { path: { uid: string }; reply: ReplayDeliveryReply };
  /** Read whether a time set holds */
  'GET /timeset/{id}/state': {
    path: { id: number };
    query?: {
      /** The instant; now if left out. In epoch milliseconds. */
      at?: number;
    };
    reply: TimesetStateReply;
  };
  /** Preview a silence */
  'POST /silence/preview': { body: PreviewSilenceBody; reply: PreviewSilenceReply };
  /** List which alerts were silenced */
  'POST /alert/silenced': { body: AlertSilencedBody; reply: AlertSilencedReply };
  /** Read who is on call */
  'GET /schedule/{id}/on-call': {
    path: { id: number };
    query?: {
      /** The instant; now if left out. In epoch milliseconds. */
      at?: number;
    };
    reply: ScheduleOnCallReply;
  };
  /** List the shifts and gaps of a schedule */
  'GET /schedule/{id}/shifts': {
    path: { id: number };
    query?: {
      /** Where the time begins; now if left out. In epoch milliseconds. */
      from?: number;
      /** Where it ends, at most 92 days later; 14 days if left out. In epoch milliseconds. */
      to?: number;
    };
    reply: ScheduleShiftsReply;
  };
  /** Read the calendar of a schedule */
  'GET /schedule/{id}/calendar': { path: { id: number }; reply: ScheduleCalendarReply };
  /** Make the address of a calendar */
  'POST /schedule/{id}/calendar': { path: { id: number }; reply: CreateScheduleCalendarReply };
  /** End the address of a calendar */
  'DELETE /schedule/{id}/calendar': { path: { id: number }; reply: EndScheduleCalendarReply };
  /** Import a calendar into a schedule */
  'POST /schedule/{id}/import': { path: { id: number }; body: ImportScheduleBody; reply: Schedule };
  /** Read a calendar by its address */
  'GET /calendar/{code}': { path: { code: string }; reply: Record<string, never> };
  /** List who can be put on call */
  'GET /contact': {
    query?: {
      /** The tenant; your own if left out. */
      tenantId?: number;
    };
    reply: ListContactsReply;
  };
  /** Set how you are called */
  'PUT /contact': { body: UpdateContactBody; reply: UpdateContactReply };
  /** Set how a user is called */
  'PUT /user/{id}/contact': { path: { id: number }; body: UpdateContactBody; reply: UpdateContactReply };
  /** Call people about an incident */
  'POST /incident/{uid}/escalate': { path: { uid: string }; body: EscalateIncidentBody; reply: EscalateIncidentReply };
  /** Read who was called about an incident */
  'GET /incident/{uid}/escalation': { path: { uid: string }; reply: EscalateIncidentReply };
  /** Try the routes */
  'POST /route/try': { body?: TryRouteBody; reply: TryRouteReply };
  /** Confirm a planned change */
  'POST /plannedchange/{id}/confirm': { path: { id: number }; reply: Plannedchange };
  /** Cancel a planned change */
  'POST /plannedchange/{id}/cancel': { path: { id: number }; reply: Plannedchange };
  /** List the alerts that a planned change has judged */
  'GET /plannedchange/{id}/alert': { path: { id: number }; reply: PlannedchangeAlertReply };
  /** Give a wallet a new key */
  'POST /wallet/{id}/rotate': { path: { id: number }; reply: CreateWalletReply };
  /** Read the balance of a wallet */
  'GET /wallet/{id}/balance': { path: { id: number }; reply: WalletBalanceReply };
  /** See what an action would do */
  'POST /action/{id}/simulate': { path: { id: number }; body?: SimulateActionBody; reply: SimulateActionReply };
  /** See what an action would have done */
  'POST /action/{id}/rehearse': { path: { id: number }; body?: RehearseActionBody; reply: RehearseActionReply };
  /** Run an action by hand */
  'POST /action/{id}/execute': { path: { id: number }; body?: ExecuteActionBody; reply: ExecuteActionReply };
  /** Read what an action did and is about to do */
  'GET /action/{id}/intent': {
    path: { id: number };
    query?: {
      /** Skip this many. */
      from?: number;
      /** At most this many; 10 if left out. */
      size?: number;
      /** Only those in this state. */
      state?: 'WAITING' | 'SIGNED' | 'SUBMITTED' | 'CONFIRMED' | 'FAILED' | 'SKIPPED' | 'CANCELED';
    };
    reply: ActionIntentReply;
  };
  /** Halt all actions */
  'POST /action/halt': { body?: HaltActionsBody; reply: HaltActionsReply };
  /** Read whether actions are halted */
  'GET /action/halt': {
    query?: {
      /** The tenant; yours if left out. */
      tenantId?: number;
    };
    reply: HaltActionsReply;
  };
  /** Let actions run again */
  'POST /action/resume': { body?: HaltActionsBody; reply: HaltActionsReply };
  /** Import labels from CSV */
  'POST /label/import': {
    query?: {
      /** Whether to take the good lines although others have faults. */
      partial?: 'true' | 'false';
    };
    body: ImportLabelsBody;
    reply: ImportLabelsReply;
  };
  /** Import a sanctions list */
  'POST /label/import/sanctions': {
    query?: {
      /** The owning tenant; your own if left out. An administrator who leaves it out makes a label for the whole platform, which every tenant sees. */
      tenantId?: number;
      /** Where the label comes from; the same address may have one of each source. */
      source?: string;
      /** True to import the good addresses although others have faults. */
      partial?: 'true' | 'false';
      /** True to count the changes without making them. */
      dryRun?: 'true' | 'false';
    };
    body: string;
    reply: ImportSanctionsReply;
  };
  /** Histogram of the alerts of a contract */
  'POST /contract/{id}/histogram': { path: { id: number }; body: ContractHistogramBody; reply: ContractHistogramReply };
  /** Compare a token with its plan */
  'GET /contract/{id}/tokenomics': {
    path: { id: number };
    query?: {
      /** Start of the lines, included. In epoch milliseconds. */
      from?: number;
      /** End of the lines, included. In epoch milliseconds. */
      to?: number;
    };
    reply: ContractTokenomicsReply;
  };
  /** Read what a contract held over time */
  'GET /contract/{id}/holdings': {
    path: { id: number };
    query?: {
      /** Start, included; seven days before `to` if left out. At most 31 days before it. In epoch milliseconds. */
      from?: number;
      /** End, included; now if left out. In epoch milliseconds. */
      to?: number;
      /** `native` or the address of a token, to read what it holds of that now. */
      token?: string;
    };
    reply: ContractHoldingsReply;
  };
  /** Read who controls a contract, since when */
  'GET /contract/{id}/facts': { path: { id: number }; reply: ContractFactsReply };
  /** Search the score changes of a license instance */
  'POST /instance/{id}/score/search': {
    path: { id: number };
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: SearchInstanceScoresBody;
    reply: InstanceScorePage;
  };
  /** Read the present scores of a license instance */
  'GET /instance/{id}/score': {
    path: { id: number };
    query?: {
      /** Start of the history; 30 days before its end if left out. In epoch milliseconds. */
      from?: number;
      /** End of the history; now if left out. In epoch milliseconds. */
      to?: number;
      /** At most this many stretches of time; 200 if left out. */
      points?: number;
    };
    reply: InstanceScoreReply;
  };
  /** Score again after a fault */
  'POST /instance/{id}/resume': { path: { id: number }; reply: ResumeInstanceReply };
  /** Tag a score change */
  'PUT /score/{index}/{uid}': { path: { index: string; uid: string }; body: UpdateScoreBody; reply: UpdateScoreReply };
  /** Try the scripts of a license on past alerts */
  'POST /license/{id}/try': { path: { id: number }; body: TryLicenseBody; reply: TryLicenseReply };
  /** Usage of a tenant */
  'POST /tenant/{id}/dashboard/usage': { path: { id: number }; body: ContractHistogramBody; reply: TenantDashboardUsageReply };
  /** Telemetry over time */
  'POST /tenant/telemetry': { body: TenantTelemetryBody; reply: TenantTelemetryReply };
  /** List the metrics */
  'GET /telemetry/metric': { reply: ListMetricsReply };
  /** Read the heartbeat */
  'GET /heartbeat': { reply: HeartbeatReply };
  /** Read the audit log */
  'GET /audit': {
    query?: {
      /** Number of entries to skip. */
      from?: number;
      /** Number of entries to return. */
      size?: number;
      /** Only this tenant’s chain. */
      tenantId?: number;
      /** Only this record kind. */
      kind?: string;
      /** Only this record. */
      recordId?: number;
      /** Not before. In epoch milliseconds. */
      since?: number;
      /** Not after. In epoch milliseconds. */
      until?: number;
    };
    reply: ListAuditEntriesReply;
  };
  /** Export the audit log */
  'GET /audit/export': {
    query?: {
      /** Only this tenant’s chain. */
      tenantId?: number;
      /** Only this record kind. */
      kind?: string;
      /** Only this record. */
      recordId?: number;
      /** Not before. In epoch milliseconds. */
      since?: number;
      /** Not after. In epoch milliseconds. */
      until?: number;
    };
    reply: AuditExportReply;
  };
  /** Get a signed checkpoint of the audit log */
  'GET /audit/checkpoint': { reply: AuditCheckpointReply };
  /** List what needs attention */
  'GET /fault': {
    query?: {
      /** The tenant; all that you may see if left out. */
      tenantId?: number;
      /** Only of this kind. */
      kind?: 'detector' | 'trigger' | 'destination' | 'action' | 'wallet' | 'instance' | 'tenant';
      /** Only in this state. */
      state?: 'FAILING' | 'SWITCHED_OFF' | 'LATE' | 'INCOMPLETE' | 'FAILED' | 'UNDER_WAY';
      /** Skip this many. */
      from?: number;
      /** At most this many; 10 if left out. */
      size?: number;
    };
    reply: ListFaultsReply;
  };
  /** Read an approval */
  'GET /approval/{id}': { path: { id: number }; reply: Approval };
  /** Search approval records */
  'POST /approval/search': {
    query?: {
      /** Of an answer as CSV or JSON lines: which members, in this order, separated by commas; `meta.amount` is a member of a member. All if left out. */
      columns?: string;
    };
    body?: WhereSearch;
    reply: ApprovalPage;
  };
  /** Approve a request and carry it out */
  'POST /approval/{id}/approve': { path: { id: number }; reply: ApproveApprovalReply };
  /** Reject a request */
  'POST /approval/{id}/reject': { path: { id: number }; reply: RejectApprovalReply };
}
