import { raw } from '../../../lib/sql.ts';

/** The incident of the alert `t`. One that began its incident has the uid of that, and does not store it again. */
export const incidentUidSql = raw(
  'coalesce(t.incident_uid, case when t.incident_at is not null then t.uid end)',
);
