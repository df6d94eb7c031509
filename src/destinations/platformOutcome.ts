import type { SendOutcome } from '../model/notification.ts';
import type { KindResponse } from './destinationKind.ts';
import { readRetryAfter } from './readRetryAfter.ts';
import { cleanLine } from './texts/clean.ts';

type Rules = {
  /** Statuses by which the platform says that the address or its credential no longer exists. */
  gone?: readonly number[];
  /** A message that was refused with 400 will be refused again. */
  isFinal?: (response: KindResponse) => boolean;
  /** The wait that the platform asks for in a way of its own, beside `Retry-After`. */
  waitMs?: (response: KindResponse) => number | undefined;
};

/** A platform that asks for less without naming a time is left alone for this long. */
const defaultWaitMs = 30_000;

/** The outcome of a request to a platform: 2xx is success, 429 waits, 400 and 413 are final, and the rest is tried again. */
export function platformOutcome(platform: string, rules: Rules = {}) {
  const { gone = [], isFinal = () => true, waitMs = () => undefined } = rules;
  return (response: KindResponse, now: number): SendOutcome => {
    const { status, headers, shown } = response;
    if (status >= 200 && status < 300) return { ok: true, status };
    const error = `${platform} responded with ${status}${shown ? `: ${cleanLine(shown, 200)}` : ''}`;
    const failed = { ok: false, status, error } as const;
    if (gone.includes(status)) return { ...failed, gone: true, permanent: true };
    const asked = waitMs(response) ?? readRetryAfter(headers['retry-after'], now);
    if (status === 429) return { ...failed, retryAfterMs: asked ?? defaultWaitMs };
    if (status === 413 || (status === 400 && isFinal(response))) return { ...failed, permanent: true };
    return asked === undefined ? failed : { ...failed, retryAfterMs: asked };
  };
}
