import type { AlertKind } from './alert.ts';
import type { destinationTypes } from './enumerations.ts';

/** The operator's names of the two messengers; null if not set. */
export type MessengerNames = { a: string | null; b: string | null };

export const eventTypes = [
  'alert.detector.raised',
  'alert.trigger.raised',
  'alert.retracted',
  'alert.resolved',
  'alert.updated',
  'alert.repeated',
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

/** Event type of a new alert. Alerts of actions have the outcome of the action in `meta.outcome`. */
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
  state?: { isOpen: boolean; isAcknowledged?: boolean };
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
  /** True if the reader of the e-mail address has agreed to get messages. */
  isConfirmed: boolean;
  /** The one user who is called by it, if there is one. */
  userId?: number | null;
};

/**
 * An earlier message of the incident to the destination. `ref`: its id at the sender. `isNews`: the new message is
 * worse or ends the alerts. `grown`: the present text and count.
 */
export type EarlierMessage = {
  ref: string;
  isNews: boolean;
  grown?: { messages: readonly Message[]; total: number };
};

/**
 * Result of an attempt. `ref`: for later messages. `retryAfterMs`: the receiver's wait. `gone`: no more messages are
 * wanted. `permanent`: this message is never accepted. `unsent`: its turn did not come.
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

/** A message as it would be sent, secrets masked: a request, a mail, or a message in a chat. */
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

/** Adds to a message what is only for the destination that gets it: links by which its reader acts. */
export type AddActionLinks = (
  target: Pick<Target, 'id' | 'tenantId' | 'userId' | 'type'>,
  message: Message,
) => Message;

/** Links to an alert: in a block explorer, and in Vigil. */
export type AlertLinks = (alert: {
  uid: string;
  chainUid: string | null;
  txHash: string | null;
  blockNumber: number | null;
  contract: { address: string; chainUid: string } | null;
}) => { explorer: string | null; alert: string };
