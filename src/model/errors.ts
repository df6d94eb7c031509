/**
 * Every way a request can fail, once: its status, its title and what the reader can do about it.
 * `/docs/problem/{code}` and the OpenAPI document are written from this table.
 */
export const problems = {
  'malformed-json': {
    status: 400,
    title: 'The body is not JSON',
    advice: 'Send one JSON value in UTF-8, nested no deeper than 64 levels.',
  },
  'malformed-request': {
    status: 400,
    title: 'The request is not HTTP/1.1',
    advice:
      'Check the request line, the headers and the length of the body, or what stands between you and Vigil.',
  },
  'invalid-input': {
    status: 400,
    title: 'The request does not fit the endpoint',
    advice: 'Each entry of `errors` names a member by JSON pointer, the fault and what would be right.',
  },
  'invalid-where': {
    status: 400,
    title: 'The where clause cannot be read',
    advice: '`position` is the 1-based column at which reading stopped.',
  },
  'invalid-query': {
    status: 400,
    title: 'The query string cannot be read',
    advice: '`position` is the 1-based column at which reading stopped.',
  },
  'search-too-slow': {
    status: 400,
    title: 'The search takes too long',
    advice:
      'Nothing is wrong with how it is written. Narrow it as the detail says; the same search would be refused again.',
  },
  'page-too-large': {
    status: 400,
    title: 'The records of the page are too large together',
    advice: 'Ask for fewer records at once by a smaller `size`, and for the next ones by `from` or `cursor`.',
  },
  unauthenticated: {
    status: 401,
    title: 'A valid access token is needed',
    advice: 'Send `Authorization: Bearer <token>` with a token that is neither expired nor revoked.',
  },
  forbidden: {
    status: 403,
    title: 'Your role may not do this',
    advice: 'Ask a manager of the tenant for a role that may; `GET /api/v1/auth/me` shows yours.',
  },
  'console-header-missing': {
    status: 403,
    title: 'The request may be forged',
    advice:
      'Send `X-Vigil-Console: 1` with every request that changes something and is authenticated by a cookie.',
  },
  'plan-limit': {
    status: 403,
    title: 'The plan allows no more of these',
    advice:
      '`limit` is what the plan allows and `count` what the tenant has. Delete one or move to a larger plan.',
  },
  'tenant-disabled': {
    status: 403,
    title: 'The tenant is disabled',
    advice: 'Reading goes on; an administrator can enable the tenant again.',
  },
  'subscription-expired': {
    status: 403,
    title: 'The subscription has expired',
    advice: 'Reading goes on; an administrator can extend the subscription.',
  },
  'not-found': {
    status: 404,
    title: 'No such record',
    advice: 'The record does not exist, was deleted, or belongs to another tenant.',
  },
  'unknown-path': {
    status: 404,
    title: 'No such path',
    advice: 'See `/docs` for every endpoint.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'This path has no such method',
    advice: 'The `Allow` header lists the methods of the path.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request did not arrive in time',
    advice:
      'Headers have 10 seconds to arrive; a body has 10 seconds and one more for every 64 KiB that have come.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with how things stand',
    advice:
      'The detail says with what: another record that has this value already, or a state that does not allow it.',
  },
  'illegal-transition': {
    status: 409,
    title: 'The record cannot go from its state to that one',
    advice: 'The detail names the states that can follow the present one.',
  },
  'idempotency-in-flight': {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    advice: 'Wait a moment and send the same request again.',
  },
  'precondition-failed': {
    status: 412,
    title: 'The record has changed since it was read',
    advice: 'Read it again, repeat the change on the new version and send its ETag as If-Match.',
  },
  'too-large': {
    status: 413,
    title: 'The body is too large',
    advice: 'Bodies may have 1 MiB, those with a contract ABI 4 MiB, and those without a token 64 KiB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is not of a supported type',
    advice: 'Send `Content-Type: application/json`.',
  },
  unprocessable: {
    status: 422,
    title: 'The request is well-formed but cannot be carried out',
    advice: 'Each entry of `errors` names the member and the reason.',
  },
  'idempotency-mismatch': {
    status: 422,
    title: 'This Idempotency-Key was used for another request',
    advice: 'Use a new key for every new request.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    advice: 'All headers together, the request line included, may have 16 KiB.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait the seconds given in `Retry-After`.',
  },
  internal: {
    status: 500,
    title: 'Vigil failed',
    advice: 'This is a fault of Vigil. The log line with this `requestId` says more.',
  },
  unavailable: {
    status: 503,
    title: 'Vigil cannot serve this at the moment',
    advice: 'Wait the seconds given in `Retry-After` and try again.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>;

export type ProblemCode = keyof typeof problems;

/** One fault of one member: where it is, what kind it is, and a sentence that says what would be right. */
export type Fault = { pointer: string; code: string; message: string };

type ProblemMembers = {
  errors?: Fault[];
  /** 1-based column in `where` or `query`. */
  position?: number;
  limit?: number;
  count?: number;
  retryAfterSeconds?: number;
  allow?: string;
};

/** A failure with a public explanation; anything else that is thrown becomes `internal` without a word of its text. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly members: ProblemMembers;

  constructor(code: ProblemCode, detail: string, members: ProblemMembers = {}, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'Problem';
    this.code = code;
    this.members = members;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** Bad input in one member. */
export function invalid(pointer: string, code: string, message: string): Problem {
  return new Problem('invalid-input', withPointer(pointer, message), {
    errors: [{ pointer, code, message }],
  });
}

/** Does something with one member; a problem of it is reported as bad input in that member. */
export function atMember<T>(pointer: string, code: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { position } = error.members;
    throw new Problem('invalid-input', `${pointer}: ${error.message}`, {
      errors: [{ pointer, code, message: error.message }],
      ...(position === undefined ? {} : { position }),
    });
  }
}

/** Well-formed, but impossible, because of one member. */
export function unprocessable(pointer: string, code: string, message: string): Problem {
  return new Problem('unprocessable', withPointer(pointer, message), {
    errors: [{ pointer, code, message }],
  });
}

/** The detail alone must name the member. */
function withPointer(pointer: string, message: string): string {
  return pointer === '' ? message : `${pointer}: ${message}`;
}
