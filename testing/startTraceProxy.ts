import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** How the proxy answers calls for traces; all others reach the node. */
type Tracing =
  | 'ok'
  /** It runs no tracers but its own. */
  | 'own tracers'
  | 'unknown'
  | 'failing'
  | 'wrong'
  | 'enormous'
  | 'only trace_block'
  | { payments: number }
  | { failingAt: string };

/** What the node sees of how Vigil comes to traces: that it asks, gets them, and reads what it needs to judge them. */
export type TraceStep = 'asked' | 'half sent' | 'sent' | 'read';

type Request = { id: unknown; method: string };
type Answer = { isTrace: boolean; text: string };

/** A node whose traces come and go: it stands before a real one and changes only its answers about traces. */
export async function startTraceProxy(target: string) {
  const proxy = {
    tracing: 'ok' as Tracing,
    traced: 0,
    /** Requests with this text take so long. */
    slow: undefined as { text: string; ms: number } | undefined,
    /** Called at each step, before the node goes on. */
    onStep: (_step: TraceStep): void => {},
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const body = await text(request);
    const { slow } = proxy;
    if (slow && body.includes(slow.text)) await sleep(slow.ms);
    const parsed = JSON.parse(body) as Request | Request[];
    const isTrace =
      !Array.isArray(parsed) &&
      /^(debug_trace(Block|Transaction)|trace_(block|transaction)$)/.test(parsed.method);
    if (isTrace) {
      proxy.traced++;
      proxy.onStep('asked');
    } else if (/eth_(getBalance|call)/.test(body)) proxy.onStep('read');
    return { isTrace, text: isTrace ? await answerTrace(parsed, body) : await forward(body) };
  }

  async function answerTrace({ id, method }: Request, body: string): Promise<string> {
    const reply = (members: object) => JSON.stringify({ jsonrpc: '2.0', id, ...members });
    const unknown = { error: { code: -32601, message: 'Method not found' } };
    const { tracing } = proxy;
    // A block fails with the one that nodes cannot trace.
    if (typeof tracing === 'object' && 'failingAt' in tracing)
      return /Block/.test(method) || body.includes(tracing.failingAt)
        ? reply({ error: { code: -32000, message: 'execution timeout' } })
        : forward(body);
    if (typeof tracing === 'object') return paying(await forward(body), tracing.payments);
    switch (tracing) {
      case 'ok':
        return forward(body);
      case 'own tracers':
        return body.includes('function')
          ? reply({ error: { code: -32000, message: 'tracer not found' } })
          : forward(body);
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

  /** The trace of a transaction that pays so many others as well. */
  function paying(reply: string, payments: number): string {
    const answered = JSON.parse(reply) as { result: { to: string; calls?: object[] } };
    const { to: from, calls = [] } = answered.result;
    const pay = (n: number) => ({
      type: 'CALL',
      from,
      to: `0x${(n + 1).toString(16).padStart(40, '0')}`,
      value: '0x1',
    });
    answered.result.calls = [...calls, ...Array.from({ length: payments }, (_, n) => pay(n))];
    return JSON.stringify(answered);
  }

  async function forward(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(target, { method: 'POST', headers, body })).text();
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ({ isTrace, text: reply }) => {
        response.setHeader('content-type', 'application/json');
        if (!isTrace) return response.end(reply);
        const middle = reply.length >> 1;
        return response.write(reply.slice(0, middle), () => {
          proxy.onStep('half sent');
          response.end(reply.slice(middle), () => proxy.onStep('sent'));
        });
      },
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
