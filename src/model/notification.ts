import type { AlertKind } from './alert.ts';
import type { destinationTypes } from './enumerations.ts';

/** What the operator calls the two messengers; null where that is not set. */
export type MessengerNames = { a: string | null; b: string | null };

export const eventTypes = [
  'alert.detector.raised',
  'alert.trigger.raised',
  'alert.retracted',
  'alert.resolved',
  'action.submitted',
  'action.confirmed',
  'action.failed',
  'action.replaced',
  'action.waiting',
  'score.changed',
  'subscription.expiring',
  'destination.disabled',
  'ping',
] as const;

export type EventType = (typeof eventTypes)[number];

/** How a new alert is announced. Alerts of actions say in `meta.outcome` the outcome of the action. */
export function raisedType({ kind, meta }: { kind: AlertKind; meta: Record<string, unknown> }): EventType {
  if (kind !== 'action') return `alert.${kind}.raised`;
  const outcome = (['confirmed', 'failed', 'replaced', 'waiting'] as const).find(
    (word) => word === meta.outcome,
  );
  return `action.${outcome ?? 'submitted'}`;
}

/** A notification. `uid` stays the same over all attempts; `sequence` rises in the order in which messages were created. */
export type Message = {
  uid: string;
  sequence: number;
  type: EventType;
  timestamp: number;
  data: Record<string, unknown>;
  /** The state of the moment of what it is about, where the receiver keeps a state. */
  state?: { isOpen: boolean };
};

/** A destination as its sender needs it, secrets open. */
export type Target = {
  id: number;
  tenantId: number;
  type: (typeof destinationTypes)[number];
  /** The address, whatever the kind: mail address or http uri. */
  value: string | null;
  method: string | null;
  headers: Record<string, string>;
  /** Secrets that sign, newest first; more than one while a rotation is under way. */
  secrets: string[];
  messengerAChatId: string | null;
  messengerBUri: string | null;
  /** The settings of its kind. */
  settings: Readonly<Record<string, unknown>>;
  /** Whether the reader of the e-mail address has agreed to get messages. */
  isConfirmed: boolean;
};

/**
 * A message about the same incident that the destination got before. `ref`: what its sender called it. `isNews`: what is sent
 * now is worse, or says what became of the alerts. `grown`: all that the earlier message should say now, and of how many alerts.
 */
export type EarlierMessage = {
  ref: string;
  isNews: boolean;
  grown?: { messages: readonly Message[]; total: number };
};

/**
 * The outcome of an attempt. `ref`: how a later message about the same incident refers to this one. `retryAfterMs`: the receiver asked to wait. `gone`: it wants no more messages (410,
 * blocked bot, unknown mailbox). `permanent`: this message will never be taken, however often it is sent. `unsent`: its turn
 * did not come, so nothing was sent.
 */
export type SendOutcome =
  | { ok: true; status?: number; ref?: string }
  | {
      ok: false;
      status?: number;
      error: string;
      retryAfterMs?: number;
      gone?: true;
      permanent?: true;
      unsent?: true;
    };

/** What would be sent, secrets masked: a request, a mail, or a message in a chat. */
export type Rendered = {
  type: Target['type'];
  method?: string;
  uri?: string;
  headers?: Record<string, string>;
  body?: string;
  to?: string;
  subject?: string;
  text?: string;
  html?: string;
  chatId?: string | null;
};

/** Where more can be read of an alert: in a block explorer, and in Vigil. */
export type AlertLinks = (alert: {
  uid: string;
  chainUid: string | null;
  txHash: string | null;
  blockNumber: number | null;
  contract: { address: string; chainUid: string } | null;
}) => { explorer: string | null; alert: string };
