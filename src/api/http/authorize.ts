import { Problem } from '../../model/errors.ts';
import {
  everything,
  ingestRole,
  isAdmin,
  organisationRoles,
  type Principal,
  type Role,
  type Scope,
  tenantRoles,
} from '../../model/principal.ts';
import { readOnlyProblem } from '../../model/readOnly.ts';
import { type Access, isEnough } from './access.ts';
import type { Endpoint } from './endpoint.ts';

/** The scope of the caller at this endpoint; throws when none of the caller's roles is enough. */
export function authorize(principal: Principal, access: Access, effect: Endpoint['effect']): Scope {
  if (isAdmin(principal)) return everything;
  const scope = access === 'public' ? nothing : scopeOf(principal, (role) => isEnough(access, role));
  if (access !== 'public' && scope.tenantIds.length === 0 && scope.organisationIds.length === 0) {
    const needed = access.length === 0 ? 'admin' : `${access.join(' or ')}, or a higher one`;
    throw new Problem(
      'forbidden',
      `This needs the role ${needed}; you hold ${principal.roles.join(', ') || 'none'}.`,
    );
  }
  if (principal.readOnly && isWrite(effect)) throw readOnlyProblem(principal.readOnly);
  return scope;
}

/** True if it changes records of the tenant, which a disabled or unpaid tenant may not. */
export function isWrite(effect: Endpoint['effect']): boolean {
  return effect === 'create' || effect === 'change' || effect === 'batches' || effect === 'send';
}

/** Everything the caller may at least see, whatever the endpoint asks for. */
export function visibleTo(principal: Principal): Scope {
  return isAdmin(principal) ? everything : scopeOf(principal, () => true);
}

const nothing: Scope = { all: false, tenantIds: [], organisationIds: [] };

function scopeOf(principal: Principal, counts: (role: Role) => boolean): Scope {
  const held = principal.roles.filter(counts);
  const has = (ladder: readonly Role[]) => held.some((role) => ladder.includes(role));
  return {
    all: false,
    tenantIds: principal.tenantId !== null && has([ingestRole, ...tenantRoles]) ? [principal.tenantId] : [],
    organisationIds:
      principal.organisationId !== null && has(organisationRoles) ? [principal.organisationId] : [],
    userId: principal.userId,
  };
}
