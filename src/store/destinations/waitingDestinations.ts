import { sql } from '../../lib/sql.ts';

/** As `waiting (id)` behind `with recursive`: who has something pending, one look into the index for each. */
export const waitingDestinations = sql`waiting (id) as (
  (select min(destination_id) from delivery where state = 'PENDING')
  union all
  select (select min(destination_id) from delivery where state = 'PENDING' and destination_id > w.id)
  from waiting w where w.id is not null)`;
