import type { FastifyRequest } from 'fastify';
import { Problem } from '../../model/errors.ts';

/** Pages of other origins cannot send it: without CORS their browser refuses a request with a header of its own. */
const consoleHeader = 'x-vigil-console';

/** Content and end of a cookie; null ends it. */
export type SessionCookie = { token?: string; expiredAt: number; device?: string } | null;

/** The token in the request's cookie. A change that it authenticates needs the header that only Vigil's own page sends. */
export function readSessionCookie(request: FastifyRequest, isSecure: boolean): string | undefined {
  const name = nameOf(isSecure);
  const pair = request.headers.cookie?.split(/; */).find((text) => text.startsWith(`${name}=`));
  if (pair === undefined) return undefined;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && !isFromConsole(request))
    throw new Problem(
      'console-header-missing',
      `A request that a cookie authenticates needs the header ${consoleHeader}, which pages of other origins cannot send.`,
    );
  return pair.slice(name.length + 1);
}

/** The device token that identifies the browser; it authenticates nothing. */
export function readDeviceCookie({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  return /(?:^|; *)(?:__Host-)?vigil_device=(vigil_device_[\w-]{43})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
}

const deviceLifetimeMs = 400 * 24 * 3_600_000;

/** Browsers keep no cookie for longer. */
export function toDeviceCookie(device: string, isSecure: boolean, now: number): string {
  return toSetCookie({ token: device, expiredAt: now + deviceLifetimeMs }, isSecure, now, 'vigil_device');
}

export function isFromConsole({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[consoleHeader] !== undefined;
}

/** The Set-Cookie header: for this origin alone, out of the reach of scripts, and never sent along from another site. */
export function toSetCookie(
  { token, expiredAt }: { token: string; expiredAt: number },
  isSecure: boolean,
  now: number,
  name = 'vigil_session',
): string {
  const maxAge = Math.max(0, Math.floor((expiredAt - now) / 1000));
  const members = [
    `${nameOf(isSecure, name)}=${token}`,
    'Path=/',
    `Max-Age=${maxAge}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  return [...members, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** Browsers accept the prefix only from this very host over TLS, so that no neighbour can plant a session. */
function nameOf(isSecure: boolean, name = 'vigil_session'): string {
  return isSecure ? `__Host-${name}` : name;
}
