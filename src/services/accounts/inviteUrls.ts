import { unprocessable } from '../../model/errors.ts';

/** What links in invites may begin with. The origin `*` names none. */
export function inviteUrlsOf(
  { publicUrl, corsOrigins }: { publicUrl: string | undefined; corsOrigins: readonly string[] },
  servedAt: string,
): string[] {
  return [
    ...new Set([publicUrl ?? [], corsOrigins.filter((origin) => origin !== '*'), servedAt || []].flat()),
  ];
}

/** A mail in Vigil's name must not lead to a page of someone else's. */
export function checkInviteUrl(allowed: readonly string[], url: string): void {
  if (URL.canParse(url) && allowed.some((base) => isBelow(new URL(url), new URL(base)))) return;
  throw unprocessable(
    '/url',
    'not-allowed',
    `must be the address of a page below ${allowed.join(' or ')}; VIGIL_PUBLIC_URL and VIGIL_CORS_ORIGINS allow others.`,
  );
}

function isBelow(url: URL, base: URL): boolean {
  if (url.origin !== base.origin || url.username !== '' || url.password !== '') return false;
  const folder = base.pathname.replace(/\/+$/, '');
  return url.pathname === folder || url.pathname.startsWith(`${folder}/`);
}
