import type { Message } from '../model/notification.ts';

/**
 * True once nothing is open of what a message is about. The state of the moment decides where it is known, because a message
 * that is sent again late may be about a state that is over.
 */
export function isClosed({ type, state }: Message): boolean {
  if (state) return !state.isOpen;
  return type === 'alert.retracted' || type === 'alert.resolved';
}
