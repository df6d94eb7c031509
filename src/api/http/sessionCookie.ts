import type { FastifyRequest } from 'fastify';
import { Problem } from '../../model/errors.ts';

/** Pages of other origins cannot send it: without CORS their browser refuses a request with a header of its own. */
const consoleHeader = 'x-vigil-console';

/** What a cookie carries, until when; null ends it. */
export type SessionCookie = { token?: string; expiredAt: number } | null;

/** The token in the request's cookie. A change that it authenticates needs the header that only Vigil's own page sends. */
export function readSessionCookie(request: FastifyRequest, isSecure: boolean): string | undefined {
  const name = nameOf(isSecure);
  const pair = request.headers.cookie?.split(/; */).find((each) => each.startsWith(`${name}=`));
  if (pair === undefined) return undefined;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && !isFromConsole(request))
    throw new Problem(
      'console-header-missing',
      `A request that a cookie authenticates needs the header ${consoleHeader}, which pages of other origins cannot send.`,
    );
  return pair.slice(name.length + 1);
}

export function isFromConsole({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[consoleHeader] !== undefined;
}

/** The Set-Cookie header: for this origin alone, out of the reach of scripts, and never sent along from another site. */
export function toSetCookie(
  { token, expiredAt }: { token: string; expiredAt: number },
  isSecure: boolean,
  now: number,
): string {
  const maxAge = Math.max(0, Math.floor((expiredAt - now) / 1000));
  const members = [
    `${nameOf(isSecure)}=${token}`,
    'Path=/',
    `Max-Age=${maxAge}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  return [...members, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Browsers accept the prefix only from this very host over TLS, so that no neighbour can plant a session. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-vigil_session' : 'vigil_session';
}
