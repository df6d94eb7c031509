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

/** Why the heartbeat is not sent: the part that does not work, the chain where it is one, and a sentence for people. */
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
  /** How many addresses are called, when they last took a call, and why one did not. */
  addresses: number;
  sentAt: number | null;
  sendFault: string | null;
};
