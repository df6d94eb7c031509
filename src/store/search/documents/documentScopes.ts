import { raw, sql } from '../../../lib/sql.ts';
import type { AlertKind } from '../../../model/alert.ts';
import type { Scope } from '../../../model/principal.ts';
import type { Db } from '../../db/db.ts';
import { tenantsOfOrganisations } from '../../tables/fragments.ts';
import { projectTable } from '../../tables/projectTable.ts';
import type { DocumentScope } from './documentTable.ts';

/** A record that the caller may see; foreign if only because it is shared. */
type VisibleRecord = { id: number; tenantId: number; isForeign?: boolean };

const foreignOf = ({ isForeign }: VisibleRecord) => (isForeign ? { foreign: raw('true') } : {});

/** Everything of one contract, or one kind of it. */
export function contractScope(contract: VisibleRecord, kind?: AlertKind): DocumentScope {
  const { id, tenantId } = contract;
  const ofContract = sql`t.tenant_id = ${tenantId} and t.contract_id = ${id}`;
  const counted = { tenantId, contractId: id, ...(kind === undefined ? {} : { kind }) };
  const common = { tenantIds: [tenantId], counted, ...foreignOf(contract) };
  if (kind === undefined) return { condition: ofContract, ...common };
  const condition = sql`${ofContract} and t.kind = ${kind}`;
  const key = `contract ${tenantId} ${id} ${kind}`;
  if (contract.isForeign) return { condition, ordered: condition, ...common };
  return { condition, ordered: condition, ...common, key };
}

/** Of a scope, the alerts of one kind. */
export function kindScope(scope: DocumentScope, kind: AlertKind): DocumentScope {
  const { counted, key: _key, ...rest } = scope;
  const condition = sql`${scope.condition} and t.kind = ${kind}`;
  return { ...rest, condition, ...(counted ? { counted: { ...counted, kind } } : {}) };
}

/** Documents that the caller may change: those of its own tenants. */
export function ownTenantsScope(scope: Scope): DocumentScope {
  if (scope.all) return { condition: raw('true'), tenantIds: undefined };
  return tenantsScope(scope.tenantIds);
}

/** A single tenant is compared by `=`, because only then an index returns its documents in time order. */
function tenantsScope(tenantIds: readonly number[]): DocumentScope {
  if (tenantIds.length !== 1) return { condition: sql`t.tenant_id = any(${tenantIds})`, tenantIds };
  const [tenantId = 0] = tenantIds;
  const condition = sql`t.tenant_id = ${tenantId}`;
  const counted = { tenantId, contractId: 0 };
  return { condition, tenantIds, ordered: condition, counted, key: `tenant ${tenantId}` };
}

/** Everything of one license instance that the caller may see. */
export function instanceScope(instance: { id: number; tenantId: number }): DocumentScope {
  const condition = sql`t.tenant_id = ${instance.tenantId} and t.license_instance_id = ${instance.id}`;
  return { condition, tenantIds: [instance.tenantId], ordered: condition };
}

/** Everything of one project, by its contracts, which the alert index contains. */
export async function projectScope(db: Db, project: VisibleRecord): Promise<DocumentScope> {
  const rows = await db.query<{ id: number }>(
    sql`select id from contract where tenant_id = ${project.tenantId} and project_id = ${project.id}`,
  );
  return {
    condition: sql`t.tenant_id = ${project.tenantId} and t.contract_id = any(${rows.map((row) => row.id)})`,
    tenantIds: [project.tenantId],
    ordered: sql`t.tenant_id = ${project.tenantId}`,
    ...foreignOf(project),
  };
}

/** Every contract that the caller may see: those of its tenants, and those of projects shared with them. */
export async function visibleScope(db: Db, scope: Scope): Promise<DocumentScope> {
  if (scope.all) {
    const tenants = await db.query<{ id: number }>(sql`select id from tenant limit 1001`);
    return {
      condition: raw('true'),
      tenantIds: tenants.length > 1000 ? undefined : tenants.map((row) => row.id),
    };
  }
  const shared = await findSharedContracts(db, scope);
  const ownScope = tenantsScope(scope.tenantIds);
  if (shared.length === 0) return ownScope;
  const foreign = new Set(shared.filter(({ isForeign }) => isForeign).map(({ tenantId }) => tenantId));
  const owners = [...new Set(shared.map((row) => row.tenantId))];
  return {
    condition: sql`(${ownScope.condition}
      or (t.tenant_id = any(${owners}) and t.contract_id = any(${shared.map((row) => row.id)})))`,
    tenantIds: [...scope.tenantIds, ...owners],
    ...(foreign.size === 0 ? {} : { foreign: sql`t.tenant_id = any(${[...foreign]})` }),
  };
}

/** Contracts of other tenants that the caller may see, because they are shared or licensed. */
export async function findSharedContracts(db: Db, scope: Scope): Promise<VisibleContract[]> {
  return db.prepared<VisibleContract>(
    // Viewers of a project see its contracts. `in`, because an array would be scanned for each of them.
    sql`select c.id, c.tenant_id as "tenantId",
        c.tenant_id not in (select unnest(${tenantsOfOrganisations(scope)})) as "isForeign"
      from project t join contract c on c.tenant_id = t.tenant_id and c.project_id = t.id
      where not (t.tenant_id = any(${scope.tenantIds})) and ${projectTable.visible(scope)}`,
  );
}

type VisibleContract = { id: number; tenantId: number; isForeign: boolean };
