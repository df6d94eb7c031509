import { request as send } from 'undici';
import { createGuardedAgents } from '../../lib/createGuardedAgents.ts';
import type { HostQueues } from '../../lib/createHostQueues.ts';
import { type Egress, webhookFault } from '../../lib/egress.ts';
import { messageOf } from '../../lib/messageOf.ts';
import type { HttpRequest, HttpResult } from '../../model/detection.ts';
import type { Keyring } from '../../model/keyring.ts';
import { openCredential } from '../../store/detectors/sealedCredential.ts';

type Options = { egress: Egress; hosts: HostQueues; keyring: Keyring };

/** Sends a request to an address that a tenant chose; failures are part of the result. */
export function createHttpProbe({ egress, hosts, keyring }: Options): {
  probe(request: HttpRequest, tenantId: number): Promise<HttpResult>;
  close(): Promise<void>;
} {
  const agents = createGuardedAgents(egress);

  async function sendRequest({ url, method, body, timeoutMs, ...request }: HttpRequest, tenantId: number) {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers))
      headers[name] = await openCredential(keyring, tenantId, value);
    const start = performance.now();
    const response = await send(url, {
      dispatcher: agents.agentOf(tenantId),
      method: method as 'GET',
      headers,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.body.text();
    const result = { status: response.statusCode, durationMs: Math.round(performance.now() - start) };
    const reach = agents.reachOf(tenantId, url);
    if (reach === 'shared') return { ...result, body: '', internal: 'withheld' } as const;
    return { ...result, body: text, ...(reach === 'own' ? { internal: 'unshown' as const } : {}) };
  }

  return {
    async probe(request, tenantId) {
      const { url, timeoutMs } = request;
      const fault = webhookFault(url, tenantId, egress);
      if (fault) return { failure: `${url} ${fault}` };
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const result = await hosts.run(url, tenantId, signal, () => sendRequest(request, tenantId));
        return result ?? { failure: 'not sent: too many requests to this host are under way' };
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'TimeoutError';
        return { failure: isLate ? `no response within ${timeoutMs} ms` : messageOf(error) };
      }
    },
    close: () => agents.close(),
  };
}
