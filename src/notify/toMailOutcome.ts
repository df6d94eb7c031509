import { cleanLine } from '../destinations/texts/clean.ts';
import type { SendOutcome } from '../model/notification.ts';

/**
 * Classifies a failure of the mail server. 5xx about the recipient or the mail is final; about the connection, the login or
 * the sender the operator must fix it, and the mail is retried.
 */
export function toMailOutcome(error: unknown): SendOutcome {
  const { responseCode, command, response, message } = toFailure(error);
  const text = cleanLine(response ?? message, 300);
  if (responseCode === undefined) return { ok: false, error: `The mail server failed: ${text}` };
  const failed = { ok: false, status: responseCode, error: `The mail server responded: ${text}` } as const;
  const isAboutMail = command === 'RCPT TO' || command === 'DATA';
  if (responseCode < 500 || !isAboutMail) return failed;
  const isUnknown = /^5\d\d[ -]5\.1\.1\b/.test(response ?? '');
  return { ...failed, permanent: true, ...(isUnknown ? { gone: true as const } : {}) };
}

type Failure = { message: string; responseCode?: number; command?: string; response?: string };

function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    message: error.message,
    ...('responseCode' in error && typeof error.responseCode === 'number'
      ? { responseCode: error.responseCode }
      : {}),
    ...('command' in error && typeof error.command === 'string' ? { command: error.command } : {}),
    ...('response' in error && typeof error.response === 'string' ? { response: error.response } : {}),
  };
}
