import { unprocessable } from '../../model/errors.ts';

/** `origins` are those of VIGIL_INVITE_ORIGINS; an empty list allows every http and https address. */
export function checkInviteUrl(origins: readonly string[], text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw unprocessable('/url', 'not-allowed', 'must be an http or https address.');
  // A name before the host would pass for the host in a mail.
  if (url.username !== '' || url.password !== '')
    throw unprocessable('/url', 'not-allowed', 'must not have a user name or password before its host.');
  if (origins.length > 0 && !origins.includes(url.origin))
    throw unprocessable(
      '/url',
      'not-allowed',
      `must begin with ${origins.join(' or ')}: the operator allows these origins by VIGIL_INVITE_ORIGINS.`,
    );
}
