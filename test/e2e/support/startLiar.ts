import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../../testing/startTestApi.ts';

export type Liar = { url: string; stop(): Promise<void> };
type Said = { status: number; text: string };

/**
 * What it says in place of the truth, of which the node hears nothing unless it is asked for it; undefined where it tells the
 * truth. `name` is the method of JSON-RPC, or the path of a request that is none, and `params` what came with it.
 */
export type Lie = (name: string, truth: () => Promise<Json>, params: Json) => unknown;

/** An endpoint that says what a node says, but for its lies. */
export async function startLiar(url: string, lie: Lie): Promise<Liar> {
  async function forward({ method, url: path, headers }: IncomingMessage, body: string): Promise<Said> {
    const { 'content-type': type = 'application/json', authorization } = headers;
    const answer = await fetch(path === '/' ? url : `${url.replace(/\/$/, '')}${path}`, {
      method: method ?? 'GET',
      headers: { 'content-type': type, ...(authorization && { authorization }) },
      ...(body !== '' && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async function answerCall(request: IncomingMessage, asked: Json): Promise<string> {
    const ask = async () => (await forward(request, JSON.stringify(asked))).text;
    const said = await lie(asked.method, async () => JSON.parse(await ask()).result, asked.params);
    return said === undefined ? ask() : JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: said });
  }

  async function respond(request: IncomingMessage): Promise<Said> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const asked = JSON.parse(body || '{}') as Json;
    if (Array.isArray(asked)) {
      const answers = await Promise.all(asked.map((each) => answerCall(request, each)));
      return { status: 200, text: `[${answers.join()}]` };
    }
    if (asked.method) return { status: 200, text: await answerCall(request, asked) };
    const ask = () => forward(request, body);
    const said = await lie(request.url ?? '', async () => JSON.parse((await ask()).text), asked);
    return said === undefined ? ask() : { status: 200, text: JSON.stringify(said) };
  }

  const server = createServer((request, response) => {
    respond(request).then(
      ({ status, text }) => response.writeHead(status, { 'content-type': 'application/json' }).end(text),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
