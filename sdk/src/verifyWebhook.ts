import type { Webhook } from './api.ts';

/**
 * What a webhook says, after its signature was checked; `type` tells what `data` is. The `id` is the same in every attempt: a
 * message with an id that was processed before is dropped.
 */
export type WebhookMessage = Webhook & { id: string };

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/**
 * Checks that a request came from Vigil, recently and unchanged (Standard Webhooks), and returns its message; throws a
 * `WebhookError` otherwise. `body` is the raw body, before any parsing.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: { toleranceSeconds?: number; now?: number } = {},
): Promise<WebhookMessage> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string') throw new WebhookError(`The header ${name} is missing.`);
    return value;
  };
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const age = Math.abs(now / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new WebhookError('The message is too old, or from the future.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const key = await crypto.subtle.importKey(
    'raw',
    fromBase64(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  // While a secret is rotated the old one signs too, so that there are several signatures.
  for (const signature of header('webhook-signature').split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    if (await crypto.subtle.verify('HMAC', key, fromBase64(signature.slice(3)), signed))
      return { id, ...JSON.parse(new TextDecoder().decode(bytes)) };
  }
  throw new WebhookError('No signature fits the message and the secret.');
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new WebhookError('The secret or a signature is not base64.', { cause });
  }
}
