import type { Approval } from './api.ts';
import { creating, unrepeatable } from './effects.ts';
import { fetchWithRetries } from './fetchWithRetries.ts';
import { type AlertEvent, type FollowOptions, followAlerts } from './followAlerts.ts';
import { inBatches } from './inBatches.ts';
import { readPages } from './readPages.ts';
import type {
  Answer,
  BatchPath,
  BodyOf,
  CreatedOf,
  Method,
  NewRecordOf,
  PathOf,
  RecordOf,
  ReplyOf,
  RequestArgs,
  RequestOf,
  RequestOptions,
  SearchPath,
} from './types.ts';
import { VigilError } from './VigilError.ts';

export type ClientOptions = {
  /** Where Vigil is, such as `https://vigil.example.com`, with `/api/v1` or without; the page's own origin if left out. */
  url?: string;
  /** An API key, or the token of a session. */
  token?: string;
  /** In a page that Vigil serves: the session is in a cookie that scripts cannot read. */
  cookie?: boolean;
  /** How often a request is repeated that failed for a passing reason; 4 if left out. */
  retries?: number;
  /** How long one try may take; 30 seconds if left out. */
  timeoutMs?: number;
  /** In place of the platform's own. */
  fetch?: typeof fetch;
};

export type Client = ReturnType<typeof createClient>;

/** Sent with every request of a cookie session; pages of other origins cannot send it. */
export const consoleHeader = 'x-vigil-console';

/** How a session is kept: half of its twelve hours may pass before it is refreshed. */
const refreshBeforeMs = 6 * 3600 * 1000;

type AnyRequest = RequestOptions & {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** A client of one Vigil, for Node and browsers. */
export function createClient(options: ClientOptions = {}) {
  const { cookie = false, retries = 4, timeoutMs = 30_000 } = options;
  const attempts = { fetch: options.fetch ?? ((...args) => fetch(...args)), retries, timeoutMs };
  const url = toOrigin(options.url ?? '');
  let token = options.token;
  /** When the session ends that this client has opened. */
  let expiredAt: number | undefined;
  let refreshing: Promise<void> | undefined;

  /** The raw response to a request, for downloads; throws a `VigilError` unless it is 2xx. */
  async function open<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[request]: RequestArgs<M, P>
  ): Promise<Response> {
    return perform(method, path, request as AnyRequest | undefined, asIs);
  }

  async function perform<T>(
    method: Method,
    path: string,
    request: AnyRequest = {},
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    if (!path.startsWith('/auth/')) await keepSession();
    const { body, ifMatch, signal } = request;
    // Bodies are JSON objects but for files, which are sent as they are.
    const isFile = typeof body === 'string';
    const isCreate = method === 'POST' && creating.has(path);
    const headers: Record<string, string> = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie ? { [consoleHeader]: '1' } : {}),
      ...(body === undefined
        ? {}
        : { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(isCreate ? { 'idempotency-key': request.idempotencyKey ?? randomKey() } : {}),
      ...request.headers,
    };
    const isRepeatable =
      method === 'GET' ||
      (method === 'POST' && !unrepeatable.has(path)) ||
      (method === 'PUT' && ifMatch === undefined);
    const init = {
      method,
      headers,
      credentials: cookie ? ('same-origin' as const) : ('omit' as const),
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    };
    const readDue = (response: Response) => {
      refuseForeign(response);
      return read(response);
    };
    return fetchWithRetries(attempts, url + toUrl(path, request), init, isRepeatable, readDue);
  }

  /** The whole answer: status, headers and ETag beside the data. */
  async function send<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...args: RequestArgs<M, P>
  ): Promise<Answer<ReplyOf<M, P>>> {
    return sendAny(method, path, args[0] as AnyRequest | undefined);
  }

  async function sendAny<T>(method: Method, path: string, request?: AnyRequest): Promise<Answer<T>> {
    const answer = await perform(method, path, request, readAnswer<T>);
    const { status, data } = answer;
    if (status === 202) {
      const message = 'The request waits for the approval of a second user.';
      throw new VigilError('approval-pending', message, { status, approval: data as Approval });
    }
    if (path === '/auth/me') keep({ expiredAt: (data as { expiredAt?: number | null }).expiredAt ?? null });
    return answer;
  }

  const shortcut =
    <M extends Method>(method: M) =>
    async <P extends PathOf<M>>(path: P, ...args: RequestArgs<M, P>): Promise<ReplyOf<M, P>> =>
      (await send(method, path, ...args)).data;

  /** Every record of a search, over all its pages. */
  function each<P extends SearchPath>(
    path: P,
    request: Omit<RequestOf<'POST', P>, 'body' | 'idempotencyKey'> & {
      body?: BodyOf<'POST', P>;
    } = {} as never,
  ): AsyncGenerator<RecordOf<P>> {
    const { body = {}, ...rest } = request as AnyRequest;
    const search = async (page: unknown) =>
      (await sendAny<{ data: Record<string, unknown>[] }>('POST', path, { ...rest, body: page })).data;
    const isByQuery = /\/(alert|score)\/search$/.test(path);
    return readPages(search, body as object, isByQuery) as AsyncGenerator<RecordOf<P>>;
  }

  /**
   * Creates any number of records, a thousand at a time. Each thousand is created as a whole or not at all, so after a failure
   * those before it are there.
   */
  async function createAll<P extends BatchPath>(
    path: P,
    records: readonly NewRecordOf<P>[],
    request: RequestOptions = {},
  ): Promise<CreatedOf<P>[]> {
    const { idempotencyKey, ...rest } = request;
    const created: CreatedOf<P>[] = [];
    for (const [index, part] of inBatches(records).entries()) {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}-${index}` };
      const answer = await sendAny<{ data: CreatedOf<P>[] }>('POST', `${path}/batch`, {
        ...rest,
        ...key,
        body: { records: part },
      });
      created.push(...answer.data.data);
    }
    return created;
  }

  /** Alerts as they happen, taken up again wherever the connection breaks. */
  function follow(options: FollowOptions = {}): AsyncGenerator<AlertEvent> {
    return followAlerts((query, signal) => perform('GET', '/alert/stream', { query, signal }, asIs), options);
  }

  /** Opens a session and keeps it alive while the client is used. */
  async function login(credentials: BodyOf<'POST', '/auth/login'>): Promise<void> {
    const body = cookie ? { ...credentials, cookie: true } : credentials;
    keep((await sendAny<Opened>('POST', '/auth/login', { body })).data);
  }

  /** Signs a page in with an API key or another token, which goes into the cookie. */
  async function loginWithToken(given: string): Promise<void> {
    if (!cookie) {
      token = given;
      return;
    }
    const headers = { authorization: `Bearer ${given}` };
    keep((await sendAny<Opened>('POST', '/auth/cookie', { headers })).data);
  }

  async function logout(): Promise<void> {
    await sendAny('POST', '/auth/logout');
    token = undefined;
    expiredAt = undefined;
  }

  type Opened = { token?: string; expiredAt: number | null };

  function keep(opened: Opened): void {
    token = opened.token ?? token;
    expiredAt = opened.expiredAt ?? undefined;
  }

  async function keepSession(): Promise<void> {
    if (expiredAt === undefined || expiredAt - Date.now() > refreshBeforeMs) return;
    refreshing ??= sendAny<Opened>('POST', '/auth/refresh')
      .then(({ data }) => keep(data))
      .finally(() => {
        refreshing = undefined;
      });
    await refreshing;
  }

  return {
    get: shortcut('GET'),
    post: shortcut('POST'),
    put: shortcut('PUT'),
    delete: shortcut('DELETE'),
    send,
    open,
    each,
    createAll,
    follow,
    login,
    loginWithToken,
    logout,
  };
}

/** Without what every path begins with: `https://host/`, `https://host/api/v1` and `https://host` are one Vigil. */
function toOrigin(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/+api\/v1$/, '');
}

/** Whatever else answers with 2xx at such an address, such as the page of a proxy, is no answer of Vigil's API. */
function refuseForeign({ status, headers }: Response): void {
  const type = headers.get('content-type') ?? '';
  if (/^(application\/(json|x-ndjson)|text\/(csv|event-stream))\b/.test(type)) return;
  throw unexpected(status, headers, `with ${type === '' ? 'no content type' : type}`);
}

function unexpected(status: number, headers: Headers, what: string, cause?: unknown): VigilError {
  const requestId = headers.get('x-request-id') ?? undefined;
  const message = `What answered ${status} ${what} is not the API of Vigil; is \`url\` right?`;
  return new VigilError('unexpected-answer', message, { status, requestId, cause });
}

const asIs = async (response: Response) => response;

async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '');
  return { status, data: isJson ? parse() : text, etag: headers.get('etag') ?? undefined, headers };

  function parse() {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw unexpected(status, headers, 'with broken JSON', cause);
    }
  }
}

function toUrl(path: string, { path: values = {}, query = {} }: AnyRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`The path ${path} needs \`${name}\`.`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)]));
  return `/api/v1${filled}${pairs.length > 0 ? `?${search.toString()}` : ''}`;
}

/** `crypto.randomUUID` is missing in pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
