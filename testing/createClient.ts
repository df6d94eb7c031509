import type { Answer, Json } from './startTestApi.ts';

type Sent = { token?: string | null; headers?: Record<string, string>; raw?: string | Uint8Array };

export type TestClient = {
  url: string;
  token: string;
  /** Sends one request; with the client's token unless another is given (null sends none). */
  call(method: string, path: string, body?: unknown, sent?: Sent): Promise<Answer>;
  /** The same, and fails unless the status is 2xx. */
  ok(method: string, path: string, body?: unknown, sent?: Sent): Promise<Json>;
};

/** Speaks HTTP to a Vigil in another process; `seen` gets every answer. */
export function createClient(
  url: string,
  token: string,
  seen: (answer: Answer) => void = () => {},
): TestClient {
  async function call(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<Answer> {
    const bearer = sent.token === undefined ? token : sent.token;
    const payload = sent.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path.startsWith('/') ? path : `/api/v1/${path}`}`, {
      method,
      redirect: 'manual',
      headers: {
        // To compress an answer and to unpack it at once would cost more than to send it.
        'accept-encoding': 'identity',
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      text,
      body: isJson && text ? JSON.parse(text) : {},
      headers: response.headers,
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
