import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhookMessages } from '../../../src/api/endpoints/destinations/webhookMessages.ts';
import { validate } from '../../../src/model/validate.ts';
import type { Json } from '../../../testing/startTestApi.ts';

/** What a receiver does: a status (with headers), or something worse. */
export type Behaviour =
  | number
  | { status: number; headers: Record<string, string> }
  | 'hang'
  | 'reset'
  | 'slow body'
  | 'endless body';

export type Received = {
  path: string;
  method: string;
  headers: Record<string, string>;
  text: string;
  body: Json;
  at: number;
  /** What the receiver did with it. */
  behaviour: Behaviour;
};

export type HttpSink = {
  url: string;
  received: Received[];
  /** Connections so far, whether or not a request came over them. */
  connections: () => number;
  /** What the receiver at a path does with its next requests; 200 when nothing is left. */
  script(path: string, behaviours: Behaviour[] | ((count: number) => Behaviour)): void;
  close(): Promise<void>;
};

/** A receiver of webhooks on loopback that behaves as configured. */
export async function startHttpSink(host = '127.0.0.1'): Promise<HttpSink> {
  const received: Received[] = [];
  const scripts = new Map<string, Behaviour[] | ((count: number) => Behaviour)>();
  const counts = new Map<string, number>();
  let connections = 0;

  const server = createServer((request, response) => {
    void read(request).then((text) => {
      const path = request.url ?? '';
      const count = counts.get(path) ?? 0;
      counts.set(path, count + 1);
      const script = scripts.get(path);
      const behaviour = (typeof script === 'function' ? script(count) : script?.shift()) ?? 200;
      received.push({
        path,
        method: request.method ?? '',
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ),
        text,
        body: toMessage(text, request.headers['webhook-id'] !== undefined),
        at: Date.now(),
        behaviour,
      });
      behave(request, response, behaviour);
    });
  });
  server.on('connection', () => {
    connections++;
  });
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    received,
    connections: () => connections,
    script: (path, behaviours) => {
      scripts.set(path, behaviours);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every webhook is what the documents promise of its type, whatever the test is about; a run with an error that no one catches fails. */
function toMessage(text: string, isWebhook: boolean): Json {
  const body = JSON.parse(text || '{}');
  if (!isWebhook) return body;
  const message = webhookMessages.find(({ type }) => type === body.type);
  if (!message) throw new Error(`No webhook has the type ${body.type}.`);
  validate(message.body, body);
  return body;
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}

function behave(request: IncomingMessage, response: ServerResponse, behaviour: Behaviour): void {
  if (behaviour === 'hang') return;
  if (behaviour === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  if (behaviour === 'slow body') {
    response.writeHead(200);
    response.write('and');
    return;
  }
  if (behaviour === 'endless body') {
    response.writeHead(200);
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
    return;
  }
  const { status, headers } = typeof behaviour === 'number' ? { status: behaviour, headers: {} } : behaviour;
  response.writeHead(status, headers).end('a secret of the receiver');
}
