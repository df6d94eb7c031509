import { request } from 'undici';
import { createGuardedAgents } from '../lib/createGuardedAgents.ts';
import { createHostQueues, type HostQueues } from '../lib/createHostQueues.ts';
import { type Egress, webhookFault } from '../lib/egress.ts';
import { maskUri } from '../lib/secret.ts';

import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Message, SendOutcome, Target } from '../model/notification.ts';
import { connectionFault } from './connectionFault.ts';
import { notSent, readRetryAfter } from './createHttpSender.ts';
import type { Sender } from './createNotifier.ts';
import { cleanLine } from './texts/clean.ts';
import { digestStory } from './texts/digestStory.ts';
import { toMessengerBBlocks } from './texts/toMessengerBBlocks.ts';
import { toPlainText } from './texts/toPlainText.ts';

type Options = { egress: Egress; hosts?: HostQueues; now: () => number };

const timeLimitMs = 15_000;

/** Posts messages to the incoming webhook of a workplace chat; several become one. */
export function createMessengerBSender({ egress, hosts = createHostQueues(), now }: Options): Sender {
  const agents = createGuardedAgents(egress);
  return {
    async send(target, messages, signal) {
      const uri = uriOf(target);
      const { tenantId } = target;
      const fault = webhookFault(uri, tenantId, egress);
      if (fault) return { ok: false, error: `The address ${fault}.` };
      const attempt = () =>
        withTimeLimit(signal, timeLimitMs, async (within) => {
          const { statusCode, headers, body } = await request(uri, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: toBody(messages),
            dispatcher: agents.agentOf(tenantId),
            signal: within,
          });
          const text = await body.text();
          // Tenants must not read the responses of internal services.
          const shown = agents.reachOf(tenantId, uri) === 'public' ? text : '';
          return toOutcome(statusCode, shown, readRetryAfter(headers['retry-after'], now()));
        });
      try {
        return (await hosts.run(uri, tenantId, signal, attempt)) ?? notSent;
      } catch (error) {
        return { ok: false, error: connectionFault(error, timeLimitMs) };
      }
    },
    render: (target, messages) => ({
      type: 'MESSENGER_B',
      uri: maskUri(uriOf(target)),
      text: toPlainText(digestStory(messages)),
      body: toBody(messages),
    }),
    close: () => agents.close(),
  };
}

function uriOf({ messengerBUri, value }: Target): string {
  return messengerBUri ?? value ?? '';
}

function toBody(messages: readonly Message[]): string {
  return JSON.stringify(toMessengerBBlocks(digestStory(messages)));
}

function toOutcome(status: number, text: string, retryAfterMs: number | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { ok: true, status };
  const error = `The chat responded with ${status}${text ? `: ${cleanLine(text, 200)}` : ''}`;
  if (status === 404 || status === 410) return { ok: false, status, error, gone: true, permanent: true };
  if (status === 429 || status >= 500)
    return { ok: false, status, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  // A malformed message fails every time; a closed channel may open again.
  return status === 400 ? { ok: false, status, error, permanent: true } : { ok: false, status, error };
}
