import { type Dispatcher, request } from 'undici';
import { createGuardedAgents } from '../lib/createGuardedAgents.ts';
import { createHostQueues, type HostQueues } from '../lib/createHostQueues.ts';
import type { Resolve } from '../lib/createResolve.ts';
import { type Egress, webhookFault } from '../lib/egress.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Message, SendOutcome, Target } from '../model/notification.ts';
import { connectionFault } from './connectionFault.ts';
import type { Sender } from './createNotifier.ts';
import { toWebhookRequest, withLowerCaseNames } from './toWebhookRequest.ts';

type Options = {
  egress: Egress;
  hosts?: HostQueues;
  now: () => number;
  resolve?: Resolve;
  timeLimitMs?: number;
};

/** Reads this much of a response, so that the connection can be reused; the body is discarded. */
const maxResponseBytes = 64 * 1024;
const responseReadMs = 1000;

/** Webhooks: Standard Webhooks 1.0.0, with the destination's own method and headers. */
export function createHttpSender(options: Options): Sender {
  const { egress, now, hosts = createHostQueues(), timeLimitMs = 15_000 } = options;
  const agents = createGuardedAgents(egress, options.resolve);

  async function send(
    target: Target,
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const uri = target.value ?? '';
    // The agent checks names when it resolves them; a literal IP address is not resolved.
    const fault = webhookFault(uri, target.tenantId, egress);
    if (fault) return { ok: false, error: `The address ${fault}.` };
    const outcome = await hosts.run(uri, target.tenantId, signal, () =>
      attempt(uri, target, messages, signal),
    );
    return outcome ?? notSent;
  }

  async function attempt(
    uri: string,
    target: Target,
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const [message] = messages;
    if (!message) throw new Error('A webhook needs a message.');
    const { method, headers, body } = toWebhookRequest(target, message, now());
    try {
      const limits = { headersTimeout: timeLimitMs, bodyTimeout: responseReadMs };
      const options = { dispatcher: agents.agentOf(target.tenantId), method, headers, body, ...limits };
      const response = await withTimeLimit(signal, timeLimitMs, (within) =>
        request(uri, { ...options, signal: within }),
      );
      await discardBody(response.body);
      return toOutcome(response, now());
    } catch (error) {
      return { ok: false, error: connectionFault(error, timeLimitMs) };
    }
  }

  return {
    send,
    render(target, messages) {
      const [message] = messages;
      if (!message) throw new Error('A webhook needs a message.');
      const { method, headers, body } = toWebhookRequest(target, message, now());
      const ownHeaders = Object.fromEntries(
        Object.keys(withLowerCaseNames(target.headers)).map((name) => [name, '[sealed]']),
      );
      return {
        type: 'HTTP',
        method,
        uri: target.value ?? '',
        headers: {
          ...headers,
          ...ownHeaders,
          'webhook-signature': target.secrets.map(() => 'v1,[sealed]').join(' '),
        },
        body,
      };
    },
    close: () => agents.close(),
  };
}

export const notSent: SendOutcome = {
  ok: false,
  unsent: true,
  error: 'The message waited too long behind others for the same host; nothing was sent.',
};

/** The status decides; a large or slow body changes nothing. */
async function discardBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  try {
    await body.dump({ limit: maxResponseBytes, signal: AbortSignal.timeout(responseReadMs) });
  } catch {
    body.destroy();
  }
}

function toOutcome({ statusCode: status, headers }: Dispatcher.ResponseData, now: number): SendOutcome {
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

/** Wait that a receiver asks for: seconds, or a date. */
export function readRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
