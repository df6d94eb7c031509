export const heartbeatParts = [
  'database',
  'clock',
  'chain',
  'deliveries',
  'intents',
  'scores',
  'alerts',
] as const;

/** Why the heartbeat is not sent: the part that does not work, the chain where it is one, and a sentence for people. */
export type HeartbeatFault = {
  part: (typeof heartbeatParts)[number];
  chainUid: string | null;
  message: string;
};

/** The last judgement of the installation, as every process reads it. */
export type Heartbeat = {
  isOk: boolean;
  /** Since when it is as it is. */
  since: number;
  checkedAt: number;
  everyMs: number;
  faults: HeartbeatFault[];
  addresses: number;
  sentAt: number | null;
  sendFault: string | null;
};
