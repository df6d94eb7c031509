import type { Message, Target } from '../../../src/model/notification.ts';

/** A destination of this kind with nothing but what is given. */
export function targetOf(over: Pick<Target, 'type'> & Partial<Target>): Target {
  return {
    id: 1,
    tenantId: 1,
    value: null,
    method: null,
    headers: {},
    secrets: [],
    messengerAChatId: null,
    messengerBUri: null,
    settings: {},
    isConfirmed: true,
    ...over,
  };
}

/** An alert as it is sent. */
export function alertMessage(uid: string, data: Record<string, unknown> = {}): Message {
  const alert = { uid: 'a-1', severity: 'HIGH', name: 'Large transfer', message: 'A lot left.', ...data };
  return { uid, sequence: 1, type: 'alert.detector.raised', timestamp: Date.UTC(2026, 10, 15), data: alert };
}
