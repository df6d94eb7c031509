import { Problem, problems } from '../../model/errors.ts';

export type ProblemReply = {
  status: number;
  headers: Record<string, string>;
  body: string;
  isFault: boolean;
};

/** RFC 9457 problem details. Nothing of an unexpected error's own text leaves the process. */
export function toProblemReply(error: unknown, requestId: string): ProblemReply {
  const problem = error instanceof Problem ? error : fromFramework(error);
  const { status, title } = problems[problem.code];
  const { retryAfterSeconds, allow, ...members } = problem.members;
  const body = {
    type: `/docs/problem/${problem.code}`,
    title,
    status,
    detail: problem.message,
    // Derived from the request id alone: a missing record and another tenant's must answer alike, byte for byte.
    instance: `urn:vigil:request:${encodeURIComponent(requestId)}`,
    code: problem.code,
    requestId,
    ...members,
  };
  return {
    status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...(status === 401 ? { 'www-authenticate': 'Bearer realm="vigil"' } : {}),
      ...(retryAfterSeconds === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
      ...(allow === undefined ? {} : { allow }),
    },
    body: JSON.stringify(body),
    isFault: problem.code === 'internal',
  };
}

/** Refusals by the HTTP framework, in our words. */
function fromFramework(error: unknown): Problem {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too-large', 'The body is larger than this endpoint takes.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_TYPE':
      return new Problem(
        'unsupported-media-type',
        'The body must be JSON: send Content-Type: application/json.',
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed-json', 'The body is empty or shorter than its Content-Length.');
    case 'FST_CP_ERR_INVALID_CONTENT_ENCODING':
    case 'FST_CP_ERR_INVALID_CONTENT':
    case 'Z_DATA_ERROR':
    case 'Z_BUF_ERROR':
      return new Problem('malformed-json', 'The body cannot be decompressed as its Content-Encoding says.');
    case 'ECONNRESET':
      return new Problem('malformed-request', 'The connection ended before the whole body had arrived.');
    case 'FST_ERR_BAD_URL':
      return new Problem('unknown-path', 'The path cannot be decoded: write a percent sign as %25.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('unknown-path', 'There is no such path: a part of it is too long.');
    default:
      return new Problem(
        'internal',
        'Something failed inside Vigil; nothing was changed.',
        {},
        { cause: error },
      );
  }
}
