import { type Dispatcher, request } from 'undici';
import { createGuardedAgents } from '../lib/createGuardedAgents.ts';
import { createHostQueues, type HostQueues } from '../lib/createHostQueues.ts';
import type { Resolve } from '../lib/createResolve.ts';
import { type Egress, webhookFault } from '../lib/egress.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import { connectionFault } from './connectionFault.ts';
import { readRetryAfter } from './readRetryAfter.ts';
import type { Message, Sender, SendOutcome, Target } from './sender.ts';
import { webhookBody } from './webhookBody.ts';
import { webhookSignature } from './webhookSignature.ts';

type Options = {
  egress: Egress;
  hosts?: HostQueues;
  now: () => number;
  resolve?: Resolve;
  timeLimitMs?: number;
};

/** What is read of an answer at most, so that the connection can be used again; none of it is kept. */
const readAtMost = 64 * 1024;
const readForMs = 1000;

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
    // An address given as a number needs no resolving, so the agent would not look at it.
    const fault = webhookFault(uri, target.tenantId, egress);
    if (fault) return { ok: false, error: `The address ${fault}.` };
    const outcome = await hosts.run(uri, target.tenantId, signal, () =>
      attempt(uri, target, messages, signal),
    );
    return outcome ?? waited;
  }

  async function attempt(
    uri: string,
    target: Target,
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { method, headers, body } = toRequest(target, messages[0]!, now());
    try {
      const limits = { headersTimeout: timeLimitMs, bodyTimeout: readForMs };
      const asked = { dispatcher: agents.agentOf(target.tenantId), method, headers, body, ...limits };
      const answer = await withTimeLimit(signal, timeLimitMs, (within) =>
        request(uri, { ...asked, signal: within }),
      );
      await readAway(answer.body);
      return toOutcome(answer, now());
    } catch (error) {
      return { ok: false, error: connectionFault(error, timeLimitMs) };
    }
  }

  return {
    send,
    render(target, messages) {
      const { method, headers, body } = toRequest(target, messages[0]!, now());
      const own = Object.fromEntries(
        Object.keys(lowerCased(target.headers)).map((name) => [name, '[sealed]']),
      );
      return {
        type: 'HTTP',
        method,
        uri: target.value ?? '',
        headers: {
          ...headers,
          ...own,
          'webhook-signature': target.secrets.map(() => 'v1,[sealed]').join(' '),
        },
        body,
      };
    },
    close: () => agents.close(),
  };
}

/** No request was sent. */
export const waited: SendOutcome = {
  ok: false,
  unsent: true,
  error: 'The message waited too long behind others for the same host; nothing was sent.',
};

function toRequest(target: Target, message: Message, now: number) {
  const body = webhookBody(message);
  const timestamp = Math.floor(now / 1000);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Vigil',
    ...lowerCased(target.headers),
    'webhook-id': message.uid,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignature(target.secrets, { id: message.uid, timestamp, body }),
  };
  return { method: target.method ?? 'POST', headers, body };
}

/** So that a header of the destination's own takes the place of ours, however it is spelled. */
function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The status decides; what comes behind it, however much or slowly, changes nothing. */
async function readAway(body: Dispatcher.ResponseData['body']): Promise<void> {
  try {
    await body.dump({ limit: readAtMost, signal: AbortSignal.timeout(readForMs) });
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
  if (status === 410) return 'The receiver says that it is gone for good (410).';
  if (status >= 300 && status < 400) return `The receiver redirects (${status}), which is not followed.`;
  return `The receiver answered ${status}.`;
}
