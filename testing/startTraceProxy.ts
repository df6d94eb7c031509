import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** How the proxy answers calls for traces; all others reach the node. */
type Tracing = 'ok' | 'unknown' | 'failing' | 'wrong' | 'enormous' | 'only trace_block';

type Request = { id: unknown; method: string };

/** A node whose traces come and go: it stands before a real one and changes only its answers about traces. */
export async function startTraceProxy(target: string) {
  const proxy = { tracing: 'ok' as Tracing, traced: 0 };

  async function answer(request: IncomingMessage): Promise<string> {
    const body = await text(request);
    const parsed = JSON.parse(body) as Request | Request[];
    const isTrace =
      !Array.isArray(parsed) &&
      /^(debug_trace(Block|Transaction)|trace_(block|transaction)$)/.test(parsed.method);
    if (!isTrace) return forward(body);
    proxy.traced++;
    const { id, method } = parsed;
    const reply = (members: object) => JSON.stringify({ jsonrpc: '2.0', id, ...members });
    const unknown = { error: { code: -32601, message: 'Method not found' } };
    switch (proxy.tracing) {
      case 'ok':
        return forward(body);
      case 'only trace_block':
        return method.startsWith('trace_') ? forward(body) : reply(unknown);
      case 'unknown':
        return reply(unknown);
      case 'failing':
        return reply({ error: { code: -32000, message: 'execution timeout' } });
      case 'wrong':
        return (await forward(body)).replaceAll(/"from":"0x[0-9a-f]{40}"/g, `"from":"0x${'1'.repeat(40)}"`);
      case 'enormous':
        return reply({ result: 'x'.repeat(65 * 1024 * 1024) });
    }
  }

  async function forward(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(target, { method: 'POST', headers, body })).text();
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (reply) => response.setHeader('content-type', 'application/json').end(reply),
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
