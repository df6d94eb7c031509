import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { webhookSignature } from '../../src/destinations/toWebhookRequest.ts';

/** Webhooks that come at once to one receiver, as many as Vigil sends to ten. */
const atOnce = 160;

/** What the machine can send when nothing is looked up, kept or tried again; in requests a second. */
export async function postBare(port: number, count: number): Promise<number> {
  const agent = new Agent();
  const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
  let sent = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (sent < count) {
        sent++;
        const id = randomUUID();
        const timestamp = Date.now();
        const data = { uid: id, timestamp, message: `Transfer ${sent} of a large amount.` };
        const body = JSON.stringify({ type: 'alert.detector.raised', timestamp, data });
        const signed = { id, timestamp: Math.floor(timestamp / 1000), body };
        const headers = {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(signed.timestamp),
          'webhook-signature': webhookSignature(secrets, signed),
        };
        const answer = await request(`http://127.0.0.1:${port}/ok/0`, {
          dispatcher: agent,
          method: 'POST',
          headers,
          body,
        });
        await answer.body.dump();
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await agent.close();
  return count / seconds;
}
