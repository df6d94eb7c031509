import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../../startTestApi.ts';
import type { Branches } from './createBranches.ts';
import type { FamilyNode } from './familyNodes.ts';

/** Serves a simulated chain on loopback as a node of its family would. */
export async function startFamilyNode(chain: Branches, { answer }: FamilyNode) {
  /** Methods or paths that were called, in their order. */
  const calls: string[] = [];
  const rpc = ({ id, method, params }: Json) => {
    calls.push(method);
    const found = answer(chain, method, params ?? []);
    return { jsonrpc: '2.0', id, ...(found ?? { error: { code: -32601, message: 'Method not found' } }) };
  };
  const rest = (path: string, asked: Json) => {
    calls.push(path);
    return answer(chain, path, asked);
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const asked = body === '' ? {} : (JSON.parse(body) as Json);
      const reply = Array.isArray(asked)
        ? asked.map(rpc)
        : asked.jsonrpc
          ? rpc(asked)
          : rest(String(request.url), asked);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
