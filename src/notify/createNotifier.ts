import type { Message, Rendered, Sender, SendOutcome, Target } from './sender.ts';

export type Notifier = {
  send(target: Target, messages: readonly Message[], signal: AbortSignal): Promise<SendOutcome>;
  /** Undefined where this server has no way to send to such a destination. */
  render(target: Target, messages: readonly Message[]): Rendered | undefined;
  /** Whether this server has a way to send to destinations of the type. */
  has(type: Target['type']): boolean;
  close(): Promise<void>;
};

/** Every kind of destination by its sender; a kind that is not set up fails with words that say so. */
export function createNotifier(senders: Partial<Record<Target['type'], Sender>>): Notifier {
  return {
    send: async (target, messages, signal) => {
      const sender = senders[target.type];
      if (!sender)
        return {
          ok: false,
          error: `This server is not set up to send to destinations of type ${target.type}.`,
        };
      return sender.send(target, messages, signal);
    },
    render: (target, messages) => senders[target.type]?.render(target, messages),
    has: (type) => senders[type] !== undefined,
    close: async () => {
      await Promise.all(Object.values(senders).map((sender) => sender.close()));
    },
  };
}
