import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Answer, Json } from './answer.ts';

export type CallOptions = {
  token?: string | null;
  headers?: Record<string, string>;
  raw?: string | Uint8Array;
};

export type TestClient = {
  url: string;
  token: string;
  /** Sends one request; with the client's token unless another is given (null sends none). */
  call(method: string, path: string, body?: unknown, sent?: CallOptions): Promise<Answer>;
  /** The same, and fails unless the status is 2xx. */
  ok(method: string, path: string, body?: unknown, sent?: CallOptions): Promise<Json>;
};

/** Not by `fetch`, which needs twice the processor time of the request's whole handling. */
const agent = new Agent({ keepAlive: true });

/** Speaks HTTP to a Vigil; `seen` gets every answer. The path is sent as it is given, an empty header not at all. */
export function createClient(
  url: string,
  token: string,
  seen: (answer: Answer) => void = () => {},
): TestClient {
  const { hostname, port } = new URL(url);

  async function call(method: string, path: string, body?: unknown, sent: CallOptions = {}): Promise<Answer> {
    const bearer = sent.token === undefined ? token : sent.token;
    const payload = sent.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers: Record<string, string> = {
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
      ...sent.headers,
    };
    for (const name of Object.keys(headers)) if (headers[name] === '') delete headers[name];
    const whole = path.startsWith('/') ? path : `/api/v1/${path}`;
    const { incoming, bytes } = await exchange({ hostname, port, method, path: whole, headers }, payload);
    const isPacked = incoming.headers['content-encoding'] === 'gzip' && bytes.length > 0;
    const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
    const isJson = /\bjson\b/.test(incoming.headers['content-type'] ?? '');
    const answer = {
      status: incoming.statusCode ?? 0,
      text,
      body: isJson && text ? JSON.parse(text) : {},
      headers: new Headers(pairsOf(incoming.rawHeaders)),
    };
    seen(answer);
    return answer;
  }

  return {
    url,
    token,
    call,
    async ok(method, path, body, sent) {
      const answer = await call(method, path, body, sent);
      if (answer.status >= 300)
        throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
  };
}

function exchange(
  options: RequestOptions,
  payload: string | Uint8Array | undefined,
): Promise<{ incoming: IncomingMessage; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, agent }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve({ incoming, bytes: Buffer.concat(chunks) }));
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function pairsOf(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n]!, flat[2 * n + 1]!]);
}
