import { raw } from '../../lib/sql.ts';

/** Vigil watches a tenant's contracts for this time after its subscription has ended. */
export const subscriptionGraceMs = 7 * 24 * 3_600_000;

/** Active contracts of active projects and tenants, whose subscription has not ended or who never had one. */
export const isLive = raw(`c.status = 'ACTIVE'
  and exists (select from project p where p.tenant_id = c.tenant_id and p.id = c.project_id and p.status = 'ACTIVE')
  and exists (select from tenant n where n.id = c.tenant_id and n.status = 'ACTIVE')
  and not exists (select from subscription s where s.tenant_id = c.tenant_id and s.status <> 'DELETED'
    having count(*) > 0 and coalesce(max(s.expiration_date) filter (where s.status = 'ACTIVE'), 0)
      <= extract(epoch from clock_timestamp()) * 1000 - ${subscriptionGraceMs})`);
