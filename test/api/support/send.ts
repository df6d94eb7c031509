import { Agent, request } from 'node:http';
import type { Answer, TestApi } from '../../../testing/startTestApi.ts';

/** The API's own `call` ten times as fast, for tests that send thousands; an empty header is left out. */
export function createSend({ url, adminToken }: TestApi): { call: TestApi['call']; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  const call: TestApi['call'] = (method, path, body, options = {}) => {
    const content = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const bearer = options.token === undefined ? adminToken : options.token;
    const headers = {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...(content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) }),
      ...options.headers,
    };
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    // Not through URL, which would tidy the path up.
    const whole = path.startsWith('/') ? path : `/api/v1/${path}`;
    // A stream has no end to wait for unless it is asked to have one.
    const place = whole.endsWith('/alert/stream') ? `${whole}?live=false` : whole;
    return new Promise<Answer>((resolve, reject) => {
      const outgoing = request(
        url,
        { method, path: place, agent, headers: sent, timeout: 10_000 },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const received = new Headers();
            for (const [name, values] of Object.entries(incoming.headersDistinct)) {
              for (const value of values ?? []) received.append(name, value);
            }
            const isJson = /\bjson\b/.test(received.get('content-type') ?? '');
            const status = incoming.statusCode ?? 0;
            resolve({ status, text, body: isJson && text ? JSON.parse(text) : {}, headers: received });
          });
        },
      );
      outgoing.on('timeout', () =>
        outgoing.destroy(new Error(`${method} ${path}: no answer in 10 seconds.`)),
      );
      outgoing.on('error', reject);
      outgoing.end(content);
    });
  };
  return { call, close: () => agent.destroy() };
}

/** Works on many at a time, in order of the list; the first failure ends it. */
export async function forAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
