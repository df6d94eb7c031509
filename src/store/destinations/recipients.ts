import { sql } from '../../lib/sql.ts';
import type { AlertKind, Severity } from '../../model/alert.ts';
import type { destinationTypes } from '../../model/enumerations.ts';
import type { Db } from '../db/db.ts';
import { isReachable } from '../tables/kindConditions.ts';

/** `sourceId`: the detector, the trigger alert or the action behind an alert, by its kind. */
export type AlertSource = {
  tenantId: number;
  kind: AlertKind;
  sourceId: number | null;
  projectId: number | null;
  contractId: number | null;
};
/** `index` is the position of the source. A binding may filter alerts by severity and query, and so may a rule of a destination. */
export type Recipient = {
  index: number;
  destinationId: number;
  type: (typeof destinationTypes)[number];
  minSeverity: Severity | null;
  /** Blocks that must follow that of the alert. */
  afterConfirmations: number | null;
  query: string | null;
};

/**
 * Recipients of alerts: reachable destinations bound to the source, else the default ones with the bindings' filters;
 * beside them those for the tenant, project or contract. Repeats are sorted by confirmations, fewest first.
 */
export async function findRecipients(db: Db, sources: readonly AlertSource[]): Promise<Recipient[]> {
  return db.prepared<Recipient>(
    sql`with source as (
        select * from unnest(${sources.map(({ tenantId }) => tenantId)}::bigint[],
          ${sources.map(({ kind }) => kind)}::text[],
          ${sources.map(({ sourceId }) => sourceId)}::bigint[],
          ${sources.map(({ projectId }) => projectId)}::bigint[],
          ${sources.map(({ contractId }) => contractId)}::bigint[])
          with ordinality s(tenant_id, kind, source_id, project_id, contract_id, n)),
      bound as (
        select s.n, s.tenant_id, b.destination_id, b.min_severity, b.after_confirmations, b.query
          from source s
          join detector_destination b on b.tenant_id = s.tenant_id and b.detector_id = s.source_id
          where s.kind = 'detector'
        union all
        select s.n, s.tenant_id, b.destination_id, b.min_severity, b.after_confirmations, b.query
          from source s
          join trigger_alert_destination b on b.tenant_id = s.tenant_id and b.trigger_alert_id = s.source_id
          where s.kind = 'trigger'
        union all
        select s.n, s.tenant_id, b.destination_id, b.min_severity, b.after_confirmations, b.query
          from source s
          join action_destination b on b.tenant_id = s.tenant_id and b.action_id = s.source_id
          where s.kind = 'action'),
      reachable as (
        select b.n, x.id, x.type, b.min_severity, b.after_confirmations, b.query
          from bound b
          join destination x on x.tenant_id = b.tenant_id and x.id = b.destination_id where ${isReachable})
      select n - 1 as index, id as "destinationId", type, min_severity as "minSeverity",
        after_confirmations as "afterConfirmations", query
        from reachable
      union all
      select s.n - 1, x.id, x.type, b.min_severity, b.after_confirmations, b.query
        from source s left join bound b on b.n = s.n
        join destination x on x.tenant_id = s.tenant_id
          and x.tags && case when s.kind = 'action' then '{DEFAULT,WALLET}'::text[]
            else '{DEFAULT,DETECTOR}'::text[] end
        where not exists (select from reachable r where r.n = s.n) and ${isReachable}
      union all
      select s.n - 1, x.id, x.type, g.item ->> 'minSeverity', null, g.item ->> 'query' from source s
        join destination x on x.tenant_id = s.tenant_id and x.gets <> '[]' and ${isReachable}
        cross join jsonb_array_elements(x.gets) g(item)
        where coalesce((g.item ->> 'projectId')::bigint = s.project_id, g.item ->> 'projectId' is null)
          and coalesce((g.item ->> 'contractId')::bigint = s.contract_id, g.item ->> 'contractId' is null)
      order by 1, 2, 5 nulls first`,
  );
}

/** Every reachable destination of a tenant except one. */
export async function findOtherDestinations(db: Db, tenantId: number, except: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`select x.id from destination x where x.tenant_id = ${tenantId} and x.id <> ${except}
      and ${isReachable} order by x.id`,
  );
  return rows.map(({ id }) => id);
}
