import { createHmac } from 'node:crypto';

/** Before the secret itself, which is base64. */
const prefix = 'whsec_';

/** The signature header of Standard Webhooks 1.0.0: one signature for each secret, newest first. */
export function webhookSignature(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
