export const heartbeatParts = [
  'database',
  'clock',
  'chain',
  'deliveries',
  'intents',
  'scores',
  'alerts',
  'unjudged',
] as const;

/** Reason that the heartbeat is not sent: the failing part, the chain if it is a chain, and a sentence for people. */
export type HeartbeatFault = {
  part: (typeof heartbeatParts)[number];
  chainUid: string | null;
  message: string;
};

/** The last judgement of the installation, as every process reads it. */
export type HeartbeatState = {
  isOk: boolean;
  /** Since when it is as it is; null when no process has judged yet. */
  since: number | null;
  checkedAt: number | null;
  faults: HeartbeatFault[];
  /** Number of called addresses, the time of the last accepted call, and the reason of a failed one. */
  addresses: number;
  sentAt: number | null;
  sendFault: string | null;
};

/** The one delivery that is the canary: sent again when it came through. */
export const canaryId = 0;
