import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Request = { id: unknown; method: string };

/** A node that refuses calls of one method, or those that fit a pattern, as providers do: it stands before a real one. */
export async function startRefusingProxy(target: string) {
  const proxy = {
    refuses: undefined as string | RegExp | undefined,
    /** By a limit on the call or on the whole request, or because it has no such call. */
    by: 'error' as 'error' | 'status' | 'unknown',
    /** How often it refused. */
    refused: 0,
  };

  async function answer(body: string): Promise<{ status: number; text: string }> {
    const parsed = JSON.parse(body) as Request | Request[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const { refuses } = proxy;
    const isRefused = ({ method }: Request) =>
      refuses instanceof RegExp ? refuses.test(method) : method === refuses;
    const error =
      proxy.by === 'unknown'
        ? { code: -32601, message: 'the method does not exist/is not available' }
        : { code: -32005, message: 'limit exceeded' };
    if (!calls.some(isRefused)) return { status: 200, text: await forward(body) };
    proxy.refused++;
    if (proxy.by === 'status') return { status: 429, text: 'Too Many Requests' };
    const replies = await Promise.all(
      calls.map(async (call): Promise<unknown> => {
        if (!isRefused(call)) return JSON.parse(await forward(JSON.stringify(call)));
        return { jsonrpc: '2.0', id: call.id, error };
      }),
    );
    return { status: 200, text: JSON.stringify(Array.isArray(parsed) ? replies : replies[0]) };
  }

  async function forward(body: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    return (await fetch(target, { method: 'POST', headers, body })).text();
  }

  const server = createServer((request, response) => {
    void text(request)
      .then(answer)
      .then((reply) => response.writeHead(reply.status).end(reply.text))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
