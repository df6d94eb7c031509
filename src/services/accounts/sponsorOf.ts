import type { Principal } from '../../model/principal.ts';
import type { Sponsor } from '../../store/accounts/sponsors.ts';

/** Who stands behind what a token does to the account of someone else. */
export function sponsorOf(principal: Pick<Principal, 'userId' | 'roles'>): Sponsor {
  if (principal.userId !== null) return { userId: principal.userId };
  return principal.roles.includes('admin') ? 'operator' : 'unknown';
}
