import { raw, sql } from '../../lib/sql.ts';
import type { Allocation } from '../../model/detection.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';
import type { Table } from '../tables/table.ts';

export async function findIdByUid(
  db: Db,
  table: Table,
  scope: Scope,
  uid: string,
): Promise<number | undefined> {
  const rows = await db.query<{ id: number }>(
    sql`select t.id from ${raw(table.name)} t where t.uid = ${uid} and ${table.visible(scope)}`,
  );
  return rows[0]?.id;
}

/** The plan of a token: the address of each category, and its planned amount from each date of its schedules on. */
export async function findAllocations(db: Db, tenantId: number, contractId: number): Promise<Allocation[]> {
  return db.query<Allocation>(
    sql`select c.name, case when c.address like '0x%' then lower(c.address) else c.address end as address,
        (select coalesce(json_agg(json_build_object('at', at, 'amount', total::text) order by at), '[]')
          from (select (a ->> 'timestamp')::bigint as at,
                  sum((a ->> 'amount')::numeric) over (order by (a ->> 'timestamp')::bigint) as total
                from tokenomics_schedule s, jsonb_array_elements(s.amounts) a
                where s.tenant_id = c.tenant_id and s.category_id = c.id and s.status = 'ACTIVE') r) as amounts
      from tokenomics_category c
      where c.tenant_id = ${tenantId} and c.contract_id = ${contractId} and c.status = 'ACTIVE' order by c.id`,
  );
}

type Release = { timestamp: number; amount: string };
export type PlannedCategory = {
  id: number;
  uid: string;
  name: string;
  address: string | null;
  amount: string | null;
  schedules: { id: number; uid: string; name: string; amounts: Release[] }[];
};

/** The active categories of a token, each with its active schedules. */
export async function findCategories(
  db: Db,
  tenantId: number,
  contractId: number,
): Promise<PlannedCategory[]> {
  return db.query<PlannedCategory>(
    sql`select c.id, c.uid, c.name, c.address, c.amount,
        (select coalesce(json_agg(json_build_object('id', s.id, 'uid', s.uid, 'name', s.name, 'amounts', s.amounts)
            order by s.id), '[]')
          from tokenomics_schedule s
          where s.tenant_id = c.tenant_id and s.category_id = c.id and s.status = 'ACTIVE') as schedules
      from tokenomics_category c
      where c.tenant_id = ${tenantId} and c.contract_id = ${contractId} and c.status = 'ACTIVE' order by c.id`,
  );
}

export type SupplyDetector = {
  id: number;
  schemaName: string;
  isActive: boolean;
  config: { lockerAddresses?: string[]; schedule?: { at: string; supply: string }[] };
};

/** The detectors that compare a token with what is planned for it; not those whose findings and settings come from outside. */
export async function findSupplyDetectors(
  db: Db,
  tenantId: number,
  contractId: number,
): Promise<SupplyDetector[]> {
  return db.query<SupplyDetector>(
    sql`select d.id, s.name as "schemaName", d.status = 'ACTIVE' as "isActive", d.config
      from detector d join detector_schema s on s.id = d.schema_id
      where d.tenant_id = ${tenantId} and d.contract_id = ${contractId} and d.status <> 'DELETED'
        and d.source <> 'EXTERNAL' and s.name in ('tokenomics_allocation', 'circulation_supply') order by d.id`,
  );
}
