import type { Api } from './api.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Key = keyof Api;

/** The paths that a method has. */
export type PathOf<M extends Method> = Key extends infer K
  ? K extends `${M} ${infer P}`
    ? P
    : never
  : never;

type Row<M extends Method, P extends string> = `${M} ${P}` extends Key ? Api[`${M} ${P}`] : never;

/** What an endpoint answers: `ReplyOf<'GET', '/auth/me'>`. */
export type ReplyOf<M extends Method, P extends PathOf<M>> = Row<M, P>['reply'];

/** The body that an endpoint takes: `BodyOf<'POST', '/project'>`. */
export type BodyOf<M extends Method, P extends PathOf<M>> =
  Row<M, P> extends { body?: infer B } ? NonNullable<B> : never;

/** Path, query and body of an endpoint, and what any request may carry. */
export type RequestOf<M extends Method, P extends PathOf<M>> = Omit<Row<M, P>, 'reply'> & RequestOptions;

export type RequestOptions = {
  signal?: AbortSignal;
  /** Refuses the change (412) when the record is no longer the one with this ETag. */
  ifMatch?: string;
  /** Of a create; one is made up if left out, so that a repeated request creates once. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
};

/** Leaves the argument out where an endpoint needs nothing. */
export type RequestArgs<M extends Method, P extends PathOf<M>> =
  Partial<RequestOf<M, P>> extends RequestOf<M, P> ? [request?: RequestOf<M, P>] : [request: RequestOf<M, P>];

/** Searches, which have pages. */
export type SearchPath =
  PathOf<'POST'> extends infer P
    ? P extends PathOf<'POST'>
      ? ReplyOf<'POST', P> extends { data: unknown[] }
        ? BodyOf<'POST', P> extends { from?: number; size?: number }
          ? P
          : never
        : never
      : never
    : never;

/** Kinds of which one request creates many. */
export type BatchPath = PathOf<'POST'> extends infer P ? (P extends `${infer K}/batch` ? K : never) : never;

/** A new record of such a kind, and the records as they are answered. */
export type NewRecordOf<P extends BatchPath> =
  BodyOf<'POST', Extract<`${P}/batch`, PathOf<'POST'>>> extends { records: Array<infer T> } ? T : never;
export type CreatedOf<P extends BatchPath> =
  ReplyOf<'POST', Extract<`${P}/batch`, PathOf<'POST'>>> extends { data: Array<infer T> } ? T : never;

export type RecordOf<P extends SearchPath> = ReplyOf<'POST', P> extends { data: Array<infer T> } ? T : never;

/** A whole answer, for callers that need more than its body. */
export type Answer<T> = {
  status: number;
  data: T;
  /** For `ifMatch`; undefined where the answer is no record. */
  etag: string | undefined;
  headers: Headers;
};
