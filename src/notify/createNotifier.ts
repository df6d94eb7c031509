import type { EarlierMessage, Message, Rendered, SendOutcome, Target } from '../model/notification.ts';

/**
 * Sends to one type of destination, several messages only for types that group. Never throws for the receiver's
 * failures; `signal` aborts at the time limit. `earlier`: a former message about the incident of all.
 */
type Send = (
  target: Target,
  messages: readonly Message[],
  signal: AbortSignal,
  earlier?: EarlierMessage,
) => Promise<SendOutcome>;

export type Sender = {
  send: Send;
  /** Renders the message that `send` would send now. */
  render(target: Target, messages: readonly Message[]): Rendered;
  close(): Promise<void>;
};

/** Says nothing about the receiver: the message is sent again. */
export const notSent: SendOutcome = {
  ok: false,
  unsent: true,
  error: 'The message waited too long behind others for the same host; nothing was sent.',
};

export type Notifier = {
  send: Send;
  /** Undefined when this server has no sender for the type. */
  render(target: Target, messages: readonly Message[]): Rendered | undefined;
  /** True if this server has a sender for the type. */
  has(type: Target['type']): boolean;
  close(): Promise<void>;
};

/** Picks the sender by the type of the destination; sending to a type that is not set up fails with that reason. */
export function createNotifier(senders: Partial<Record<Target['type'], Sender>>): Notifier {
  return {
    send: async (target, messages, signal, earlier) => {
      const sender = senders[target.type];
      if (!sender)
        return {
          ok: false,
          error: `This server is not set up to send to destinations of type ${target.type}.`,
        };
      return sender.send(target, messages, signal, earlier);
    },
    render: (target, messages) => senders[target.type]?.render(target, messages),
    has: (type) => senders[type] !== undefined,
    close: async () => {
      // One sender serves several types.
      await Promise.all([...new Set(Object.values(senders))].map((sender) => sender.close()));
    },
  };
}
