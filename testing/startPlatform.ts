import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './startTestApi.ts';

export type PlatformRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  text: string;
  body: Json;
};
export type PlatformAnswer = { status: number; body?: unknown; headers?: Record<string, string> };

export type Platform = {
  url: string;
  /** What was taken, in order. */
  taken: PlatformRequest[];
  /** How the next requests are answered, in turn, whatever they say. */
  answer(...answers: PlatformAnswer[]): void;
  stop(): Promise<void>;
};

/**
 * A stand-in for a platform on loopback. It is not the platform: `judge` answers as its documentation says, and refuses
 * whatever that would refuse.
 */
export async function startPlatform(judge: (request: PlatformRequest) => PlatformAnswer): Promise<Platform> {
  const taken: PlatformRequest[] = [];
  const planned: PlatformAnswer[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
      const text = Buffer.concat(chunks).toString();
      const request = {
        method: incoming.method ?? '',
        path: pathname,
        query: searchParams,
        headers: Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        ),
        text,
        body: parse(text),
      };
      const { status, body, headers = {} } = planned.shift() ?? judge(request);
      if (status < 300) taken.push(request);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    answer: (...answers) => void planned.push(...answers),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null as unknown as Json;
  }
}
