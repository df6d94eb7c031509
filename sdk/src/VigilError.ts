import type { Approval, Problem } from './api.ts';

/** A code of Vigil's own problems, or what kept the client from an answer. */
export type ErrorCode =
  | Problem['code']
  /** No answer came: no connection, or none in time. */
  | 'connection'
  /** Something between the client and Vigil answered, such as a proxy. */
  | 'unexpected-answer'
  /** Kept for a second user; `approval` is the record that waits. */
  | 'approval-pending';

/** Every failed request throws one of these; `code` tells them apart. */
export class VigilError extends Error {
  override readonly name = 'VigilError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  /** The problem details (RFC 9457), where Vigil answered with them. */
  readonly problem: Problem | undefined;
  readonly requestId: string | undefined;
  /** How long to wait before the next try, where the answer says so. */
  readonly retryAfterMs: number | undefined;
  readonly approval: Approval | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      status?: number;
      problem?: Problem;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      approval?: Approval;
      cause?: unknown;
    } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined);
    this.code = code;
    this.status = more.status ?? 0;
    this.problem = more.problem;
    this.requestId = more.requestId;
    this.retryAfterMs = more.retryAfterMs;
    this.approval = more.approval;
  }

  /** The faults of a refused body by member: `{ '/name': 'is required.' }`. */
  get faults(): Record<string, string> {
    return Object.fromEntries((this.problem?.errors ?? []).map(({ pointer, message }) => [pointer, message]));
  }
}

/** Reads the error out of an answer that is not 2xx. */
export async function toVigilError(response: Response): Promise<VigilError> {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id') ?? undefined;
  const more = { status, requestId, retryAfterMs: readRetryAfter(headers.get('retry-after')) };
  const text = await response.text();
  const problem = /\bjson\b/.test(headers.get('content-type') ?? '') ? readProblem(text) : undefined;
  if (!problem) return new VigilError('unexpected-answer', `The server answered ${status}.`, more);
  return new VigilError(problem.code, problem.detail || problem.title, { ...more, problem });
}

function readProblem(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value?.code === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
