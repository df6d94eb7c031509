import { raw, type Sql } from '../../../lib/sql.ts';

/** The incident of an alert. One that began its incident has the uid of that, and does not store it again. */
export const incidentUidOf = (alias: string): Sql =>
  raw(`coalesce(${alias}.incident_uid, case when ${alias}.incident_at is not null then ${alias}.uid end)`);

/** The incident of the alert `t`. */
export const incidentUidSql = incidentUidOf('t');
