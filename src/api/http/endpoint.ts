import type { Static, TSchema } from 'typebox';
import type { ProblemCode } from '../../model/errors.ts';
import type { Call } from '../../services/call.ts';
import type { SessionCookie } from './sessionCookie.ts';

/** A handler's view of its request, checked against the endpoint's own schemas. */
export type Input<Params, Query, Body, File = unknown> = {
  params: Params;
  query: Query;
  body: Body;
  /** Result of reading the file in the body, where the endpoint takes one. */
  file: File;
  headers: {
    ifMatch?: string | undefined;
    ifNoneMatch?: string | undefined;
    lastEventId?: string | undefined;
    accept?: string | undefined;
    /** `X-PagerDuty-Signature`. */
    pagerSignature?: string | undefined;
  };
  /** The request has the header that only Vigil's own page sends. */
  isFromConsole: boolean;
  /** Its token came in a cookie. */
  hasCookie: boolean;
  /** The browser's device token from the last sign-in. */
  device?: string | undefined;
};

export type Reply = {
  body?: unknown;
  /** The body as JSON text, a long one in pieces of UTF-8, in place of one that has yet to become it. */
  json?: string | Buffer[];
  /** The state of the record, from which its ETag is made. */
  etagOf?: unknown;
  headers?: Record<string, string>;
  /** Carries something that is shown once: only the token that asked for it may get it again. */
  isSecret?: boolean;
  /** A session token that the body carries and that was created by this request. */
  newToken?: string;
  /** Sets or ends the session cookie; without `token` it carries the one of this request. */
  cookie?: SessionCookie;
  /** Sent piece by piece in place of the body. */
  stream?: Stream;
};

export type Stream = {
  pieces: AsyncIterable<Buffer | string>;
  /** Aborts when the reader is too slow; the connection is closed soon after. */
  cut?: AbortSignal;
  /** Called once when the answer has ended, for any reason. */
  onEnd?(): void;
  /** In place of the type of the endpoint's other answers. */
  type?: string;
  /** Each piece is computed within the tenant's share, which is free while the reader reads. */
  isShared?: true;
};

/** A body that is a file of any type: read while it arrives, before the endpoint takes a share of anything. */
export type FileBody<File> = {
  description: string;
  example: string;
  read(bytes: AsyncIterable<Uint8Array>): Promise<File>;
};

/** Every endpoint is one of these records: the server, the OpenAPI document and the tests are loops over the list. */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api/v1, with {name} for parameters. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** Checked in place of `body`, of which the handler checks the rest in slices. */
  quickBody?: TSchema;
  file?: FileBody<unknown>;
  /** Members of the record that this body may not carry; the fault differs from that of a typo. */
  reserved?: ReadonlySet<string>;
  bodyLimit?: number;
  /** The body may be left out. */
  mayLackBody?: true;
  reply: TSchema;
  status?: 200 | 201;
  /**
   * All but `read`, `batches` and `send` run in one transaction; `create` honours Idempotency-Key; `batches` uses
   * several transactions; `session` and `stop` are open to read-only tenants; `send` waits outside of any transaction.
   */
  effect: 'read' | 'create' | 'change' | 'batches' | 'session' | 'stop' | 'send';
  /** Answers with server-sent events. */
  isStream?: true;
  /** Answers with JSON lines, however many there are. */
  isLines?: true;
  /** Also answers with CSV or JSON lines, where `Accept` asks for them. */
  isExportable?: true;
  /** Its answer has an ETag, so that it may be 304 for who sends it back. */
  hasEtag?: true;
  /** Its handler does `takeNames`, for it knows what is stored. */
  takesNames?: true;
  /** Sent twice, it does its work once, without a key. */
  isRepeatable?: true;
  /** Example of the body in documents, where those of its members do not suffice. */
  example?: unknown;
  /** Takes megabytes: a tenant's are received and worked on one after the other. */
  isImport?: true;
  /** Reads much: a tenant may run only a few of these at once. */
  isReport?: true;
  /** Works on the password of its body, which takes long: only a few of these run at once. */
  password?: 'check' | 'set' | 'change';
  /** A token that is no longer valid is checked for reuse: sending a used one again ends its session. */
  endsReused?: true;
  /** Failures beside those that any endpoint can have. */
  problems?: readonly ProblemCode[];
  /** RFC 9745 and RFC 8594, for an endpoint on its way out. */
  deprecated?: { since: Date; sunset: Date };
  handle(call: Call, input: Input<unknown, unknown, unknown>): Promise<Reply>;
};

/** Gives `handle` the static types of the schemas; the server has checked the values against these before. */
export function endpoint<P extends TSchema, Q extends TSchema, B extends TSchema, F = unknown>(
  definition: Omit<Endpoint, 'params' | 'query' | 'body' | 'file' | 'handle'> & {
    params?: P;
    query?: Q;
    body?: B;
    file?: FileBody<F>;
    handle(call: Call, input: Input<Static<P>, Static<Q>, Static<B>, F>): Promise<Reply>;
  },
): Endpoint {
  const { handle, ...rest } = definition;
  return {
    ...rest,
    handle: (call, input) => handle(call, input as Input<Static<P>, Static<Q>, Static<B>, F>),
  };
}

/** A search without a body is a search without conditions. */
export function isBodyOptional({ effect, body, mayLackBody }: Endpoint): boolean {
  const isFree = body && 'required' in body && Array.isArray(body.required) && body.required.length === 0;
  return (effect === 'read' || mayLackBody === true) && isFree === true;
}
