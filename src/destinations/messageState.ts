import type { Message } from '../model/notification.ts';

/**
 * True once nothing is open of the subject of a message. The state of the moment decides where it is there, because a late
 * message may be about the past.
 */
export function isClosed({ type, state }: Message): boolean {
  if (state) return !state.isOpen;
  return type === 'alert.retracted' || type === 'alert.resolved';
}
