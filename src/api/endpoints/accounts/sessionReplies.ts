import { Problem } from '../../../model/errors.ts';
import { Millis, Shape, Text } from '../../../model/schema.ts';
import type { Reply } from '../../http/endpoint.ts';

type Opened = { token: string; expiredAt: number };

export const sessionReply = Shape(
  {
    token: Text('Access token of the session; absent when the cookie carries it.', 'vigil_session_…'),
    expiredAt: Millis('When the session ends.'),
  },
  ['expiredAt'],
);

/** The server accepts the new token whatever else comes from the address of its user. */
export function toSessionReply(body: Opened): Reply {
  return { body, newToken: body.token };
}

/** Scripts of the page do not get the token. */
export function toCookieReply(
  { token, expiredAt }: Partial<Opened> & Pick<Opened, 'expiredAt'>,
  device?: string,
): Reply {
  const cookie = { expiredAt, ...(token === undefined ? {} : { token }), ...(device ? { device } : {}) };
  return { body: { expiredAt }, cookie, ...(token === undefined ? {} : { newToken: token }) };
}

export function toOpenedReply(opened: Opened, cookie: boolean, device?: string): Reply {
  return cookie ? toCookieReply(opened, device) : toSessionReply(opened);
}

/** A page of another origin must not sign a browser in as someone else. */
export function refuseForeignCookie(cookie: boolean, isFromConsole: boolean): void {
  if (cookie && !isFromConsole)
    throw new Problem('console-header-missing', 'A session in a cookie needs the header X-Vigil-Console.');
}
