import type { BlockList } from 'node:net';
import { request as send } from 'undici';
import { webhookFault } from '../lib/addressGuard.ts';
import { createGuardedAgent } from '../lib/guardedAgent.ts';
import { messageOf } from '../lib/messageOf.ts';
import type { HttpRequest, HttpResult } from '../model/detection.ts';

/** Asks an address that a tenant has named; whatever goes wrong is part of the answer. */
export function createProbe(allowed: BlockList): {
  probe(request: HttpRequest): Promise<HttpResult>;
  close(): Promise<void>;
} {
  const agent = createGuardedAgent(allowed);
  return {
    async probe({ url, method, headers, body, timeoutMs }) {
      const fault = webhookFault(url, allowed);
      if (fault) return { failure: `${url} ${fault}` };
      const start = performance.now();
      try {
        const response = await send(url, {
          dispatcher: agent,
          method: method as 'GET',
          headers,
          ...(body === undefined ? {} : { body }),
          signal: AbortSignal.timeout(timeoutMs),
        });
        const text = await response.body.text();
        return { status: response.statusCode, body: text, durationMs: Math.round(performance.now() - start) };
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'TimeoutError';
        return { failure: isLate ? `no answer within ${timeoutMs} ms` : messageOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}
