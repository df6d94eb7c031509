import { createClient, type Method, type Problem, VigilError } from '../../../sdk/src/index.ts';
import { noteChange } from './changes.ts';
import { reportAnswer, reportLost } from './connection.ts';

export { VigilError };
export type Fault = NonNullable<Problem['errors']>[number];

export const apiUrl = new URL('.', document.baseURI).href;

/** The only way to the server. The session is in a cookie that scripts cannot read. */
export const client = createClient({
  url: apiUrl,
  cookie: true,
  // Pages say that the connection is lost and read again when it returns; a person need not wait for many tries.
  retries: 1,
  fetch: watchedFetch,
});

const signedOut = new Set<() => void>();

/** Calls back when the server says that there is no session any more. */
export function whenSignedOut(listener: () => void): void {
  signedOut.add(listener);
}

let underWay = 0;
let isQuiet = new Set<() => void>();
/** A slow answer may hold back the others for so long. */
const patienceMs = 500;

/** Resolves when no answer is awaited, so that what a page is opened for comes before what stands around it. */
export async function whenQuiet(): Promise<void> {
  // What is drawn at the same time sends its requests first.
  await new Promise((resolve) => setTimeout(resolve));
  if (underWay === 0) return;
  await new Promise<void>((resolve) => {
    isQuiet.add(resolve);
    setTimeout(resolve, patienceMs);
  });
}

async function watchedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  let response: Response;
  underWay += 1;
  try {
    response = await fetch(input, init);
  } catch (error) {
    if (!init?.signal?.aborted) reportLost();
    throw error;
  } finally {
    underWay -= 1;
    if (underWay === 0) for (const resolve of isQuiet) resolve();
    if (underWay === 0) isQuiet = new Set();
  }
  // A proxy answers in place of a server that restarts, and not with problem details.
  const isProxy = response.status >= 502 && !(response.headers.get('content-type') ?? '').includes('json');
  if (isProxy) reportLost();
  else reportAnswer();
  noteChange(init?.method ?? 'GET', response);
  if (response.status === 401) for (const listener of signedOut) listener();
  return response;
}

export type AnyRequest = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
  ifMatch?: string;
  idempotencyKey?: string;
  headers?: Record<string, string>;
};

/** A request whose path is only known at run time, such as that of any record kind; `/{id}` stays a placeholder. */
export async function request<T>(method: Method, path: string, options: AnyRequest = {}): Promise<T> {
  return (await send(method, path, options)).data as T;
}

/** The same with the headers of the answer. */
export const send = client.send as unknown as (
  method: Method,
  path: string,
  options?: AnyRequest,
) => Promise<{ data: unknown; headers: Headers }>;

/** The answer itself, for what is no record: a file. */
export const openAnswer = client.open as unknown as (
  method: Method,
  path: string,
  options?: AnyRequest,
) => Promise<Response>;

export type Page<Row> = { data: Row[]; total: number };

/** A where search of any record kind, with its total. */
export function searchRecords<Row>(
  path: string,
  body: { where?: string; size?: number; from?: number; sort?: { field: string; order: 'asc' | 'desc' }[] },
  signal?: AbortSignal,
): Promise<Page<Row>> {
  const { where, ...rest } = body;
  return request('POST', `${path}/search`, {
    body: { ...rest, trackTotal: true, ...(where ? { where } : {}) },
    ...(signal ? { signal } : {}),
  });
}

export function faultsOf(error: unknown): readonly Fault[] {
  return error instanceof VigilError ? (error.problem?.errors ?? []) : [];
}

/** Whether a change was not refused but waits for a second user. */
export function isHeld(error: unknown): boolean {
  return error instanceof VigilError && error.code === 'approval-pending';
}

/** What to show of any error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
