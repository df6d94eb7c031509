import { Problem } from '../../model/errors.ts';
import { mayGrant, type Role } from '../../model/principal.ts';
import type { Call } from '../call.ts';

/** A caller grants only roles that the caller could hold. */
export function checkGrant(call: Call, roles: readonly Role[]): void {
  const refused = roles.filter((role) => !mayGrant(call.principal.roles, role));
  if (refused.length === 0) return;
  const message = `You may not grant ${refused.join(', ')}; you hold ${call.principal.roles.join(', ')}.`;
  throw new Problem('forbidden', message, { errors: [{ pointer: '/roles', code: 'forbidden', message }] });
}

/** A caller does not change a user of a higher rank, whose new password would raise the caller's own rights. */
export function checkRank(call: Call, roles: readonly Role[]): void {
  if (roles.every((role) => mayGrant(call.principal.roles, role))) return;
  throw new Problem('forbidden', `This user holds ${roles.join(', ')}, which is above your own roles.`);
}
