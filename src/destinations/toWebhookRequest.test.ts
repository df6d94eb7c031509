import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../model/notification.ts';
import { webhookBody } from './toWebhookRequest.ts';

const message = (data: Record<string, unknown>): Message => ({
  uid: 'u',
  sequence: 7,
  type: 'alert.detector.raised',
  timestamp: Date.UTC(2026, 10, 15),
  data,
});

describe('the body of a webhook', () => {
  it('says what happened, when, and in which order', () => {
    expect(JSON.parse(webhookBody(message({ uid: 'a' })))).toEqual({
      type: 'alert.detector.raised',
      timestamp: '2026-11-15T00:00:00.000Z',
      sequence: 7,
      data: { uid: 'a' },
    });
  });

  it('is JSON below 20 kB and names the alert, whatever its members are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40_000 });
    fc.assert(
      fc.property(text, text, text, (words, meta, name) => {
        const body = webhookBody(message({ uid: 'a', message: words, meta: { meta }, name }));
        return Buffer.byteLength(body) < 20_000 && JSON.parse(body).data.uid === 'a';
      }),
      { numRuns: 50 },
    );
  });
});
