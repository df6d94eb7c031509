import { raw, sql } from '../../lib/sql.ts';
import type { Scope } from '../../model/principal.ts';
import type { Db } from '../db/db.ts';

/** Records the external ids that are new to the detector; returns every id with its alert's uid. */
export async function recordExternalFindings(
  tx: Db,
  detector: { tenantId: number; id: number },
  findings: readonly { eid: string; uid: string }[],
): Promise<{ eid: string; uid: string; isNew: boolean }[]> {
  const recorded = await tx.prepared<{ eid: string; uid: string }>(
    sql`insert into external_finding (tenant_id, detector_id, eid, uid)
      select ${detector.tenantId}::bigint, ${detector.id}::bigint, g.eid, g.uid
      from unnest(${findings.map(({ eid }) => eid)}::text[], ${findings.map(({ uid }) => uid)}::uuid[]) g(eid, uid)
      order by g.eid on conflict do nothing returning eid, uid::text`,
  );
  const isNew = new Set(recorded.map(({ eid }) => eid));
  const rest = findings.filter(({ eid }) => !isNew.has(eid)).map(({ eid }) => eid);
  const earlier =
    rest.length === 0
      ? []
      : await tx.prepared<{ eid: string; uid: string }>(
          sql`select f.eid, f.uid::text from external_finding f where f.tenant_id = ${detector.tenantId}
            and f.detector_id = ${detector.id} and f.eid = any(${rest}::text[])`,
        );
  return [
    ...recorded.map((finding) => ({ ...finding, isNew: true })),
    ...earlier.map((finding) => ({ ...finding, isNew: false })),
  ];
}

export type DetectorOrigin = {
  id: number;
  tenantId: number;
  projectId: number;
  contractId: number;
  chainUid: string;
  name: string;
  source: string;
  /** The first of the detector, its contract, project and schema that is disabled; null if none is. */
  disabled: 'detector' | 'contract' | 'project' | 'detector schema' | null;
  schemaName: string;
  schemaTags: string[];
};

/** The members that alerts take from their detector and its contract; undefined if the scope has no such detector. */
export async function findDetectorOrigin(
  tx: Db,
  scope: Pick<Scope, 'all' | 'tenantIds'>,
  id: number,
): Promise<DetectorOrigin | undefined> {
  const rows = await tx.prepared<DetectorOrigin>(
    sql`select d.id, d.tenant_id as "tenantId", c.project_id as "projectId", d.contract_id as "contractId",
        c.chain_uid as "chainUid", d.name, d.source, s.name as "schemaName",
        s.tags as "schemaTags",
        case when d.status <> 'ACTIVE' then 'detector' when c.status <> 'ACTIVE' then 'contract'
          when p.status <> 'ACTIVE' then 'project' when s.status <> 'ACTIVE' then 'detector schema' end as disabled
      from detector d join contract c on c.tenant_id = d.tenant_id and c.id = d.contract_id
      join project p on p.tenant_id = c.tenant_id and p.id = c.project_id
      join detector_schema s on s.id = d.schema_id
      where d.id = ${id} and d.status <> 'DELETED'
        and ${scope.all ? raw('true') : sql`d.tenant_id = any(${scope.tenantIds})`}`,
  );
  return rows[0];
}
