import type { Message, SendOutcome, Target } from '../../model/notification.ts';
import { defineKind, type KindResponse, type MessageRequest } from '../destinationKind.ts';
import { formatFault, formatSettings } from '../formats/formatSettings.ts';
import { readRetryAfter } from '../readRetryAfter.ts';
import { toWebhookRequest } from '../toWebhookRequest.ts';

/** Webhooks: Standard Webhooks 1.0.0, with the destination's own method and headers. */
export const http = defineKind({
  title: 'Webhook',
  about:
    'Vigil sends each message as JSON, signed by Standard Webhooks. Make a secret after you have created it, and check the signature with it. Answer with 2xx within ten seconds.',
  works:
    '[Standard Webhooks](https://www.standardwebhooks.com); the response to the create has the secret in the header `X-Webhook-Secret`',
  operator: [],
  readers: 'programs',
  address: { type: 'member', member: 'uri' },
  members: { uri: { isPublic: true }, method: { isPublic: true }, headers: {} },
  settings: {
    ...formatSettings,
  },
  check: formatFault,
  getsScores: true,
  isSigned: true,
  transport: 'request',
  request: (target: Target, messages: readonly Message[], { now }): MessageRequest => {
    const [message] = messages;
    if (!message) throw new Error('A webhook needs a message.');
    return { uri: target.value ?? '', ...toWebhookRequest(target, message, now) };
  },
  outcome,
});

function outcome({ status, headers }: KindResponse, now: number): SendOutcome {
  if (status >= 200 && status < 300) return { ok: true, status };
  const retryAfterMs = readRetryAfter(headers['retry-after'], now);
  return {
    ok: false,
    status,
    error: reasonOf(status),
    ...(status === 410 ? { gone: true as const } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function reasonOf(status: number): string {
  if (status === 410) return 'The receiver no longer exists (410).';
  if (status >= 300 && status < 400)
    return `The receiver redirects (${status}); Vigil does not follow redirects.`;
  return `The receiver responded with ${status}.`;
}
