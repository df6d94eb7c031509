import type { Principal } from '../../model/principal.ts';
import type { Sponsor } from '../../store/accounts/sponsors.ts';

/** The person behind a token's acts on someone else's account. */
export function sponsorOf(principal: Pick<Principal, 'userId' | 'roles'>): Sponsor {
  if (principal.userId !== null) return { userId: principal.userId };
  return principal.roles.includes('admin') ? 'operator' : 'unknown';
}
