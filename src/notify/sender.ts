import type { Message, Rendered, SendOutcome, Target } from '../model/notification.ts';

export type { Message, Rendered, SendOutcome, Target } from '../model/notification.ts';

/**
 * One kind of destination. `messages` has more than one only for kinds that group (e-mail and messengers). It never throws
 * for what a receiver does; `signal` ends the attempt when its time is over.
 */
export type Sender = {
  send(target: Target, messages: readonly Message[], signal: AbortSignal): Promise<SendOutcome>;
  /** What `send` would send now. */
  render(target: Target, messages: readonly Message[]): Rendered;
  close(): Promise<void>;
};
