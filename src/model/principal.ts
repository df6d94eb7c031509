import type { ReadOnly } from './readOnly.ts';

export const tenantRoles = ['tenant-viewer', 'tenant-user', 'tenant-manager'] as const;
export const organisationRoles = [
  'organisation-viewer',
  'organisation-user',
  'organisation-manager',
] as const;
export const roles = [...tenantRoles, ...organisationRoles, 'admin'] as const;
/** Of a key that pushes findings and reads nothing; no user has it. */
export const ingestRole = 'tenant-ingest';
export const keyRoles = [...roles, ingestRole] as const;

export type TenantRole = (typeof tenantRoles)[number];
export type OrganisationRole = (typeof organisationRoles)[number];
export type IngestRole = typeof ingestRole;
export type Role = (typeof keyRoles)[number];

/** Identity of the caller, read by its token at most a second ago. */
export type Principal = {
  tokenId: number;
  tokenKind: 'SESSION' | 'API_KEY' | 'ADMIN';
  userId: number | null;
  tenantId: number | null;
  organisationId: number | null;
  roles: readonly Role[];
  /** Reason that the tenant may read but not write, if so. */
  readOnly: ReadOnly | null;
};

/**
 * The tenants and records that a call may touch. Every store function on tenant data takes a scope and adds it to its
 * condition.
 */
export type Scope = {
  /** The platform's own administrator: no bounds. */
  all: boolean;
  tenantIds: readonly number[];
  /** Organisations in which the caller holds a role that the endpoint asks for. */
  organisationIds: readonly number[];
  /** The caller, for what users have of their own. */
  userId?: number | null;
};

/** No bounds at all: the platform's own work. */
export const everything: Scope = { all: true, tenantIds: [], organisationIds: [] };

export function isAdmin(principal: Principal): boolean {
  return principal.roles.includes('admin');
}

/** True if the caller may also change records that users of the tenant made for themselves. */
export function isManager(principal: Principal): boolean {
  return isAdmin(principal) || principal.roles.includes('tenant-manager');
}

/** A role can only be given by someone who holds it or a higher one of the same ladder, and ingest by who may push findings. */
export function mayGrant(granting: readonly Role[], role: Role): boolean {
  if (granting.includes('admin')) return true;
  const rankOf = (ladder: readonly Role[], role: Role) => ladder.indexOf(role);
  const rank = (ladder: readonly Role[]) => Math.max(...granting.map((held) => rankOf(ladder, held)));
  const inTenant = rankOf(tenantRoles, role === ingestRole ? 'tenant-user' : role);
  if (inTenant >= 0) return rank(tenantRoles) >= inTenant || rank(organisationRoles) === 2;
  const inOrganisation = rankOf(organisationRoles, role);
  return inOrganisation >= 0 && rank(organisationRoles) >= inOrganisation;
}
