import type pg from 'pg';

/** Tables that transactions change beside alerts or score changes, each in at least one statement. */
const besides = ['alert_event', 'pending_alert', 'score_lane'] as const;

/**
 * Prepares what forces two-phase commits for transactions that change a worker and the coordinator: triggers that call it make an
 * empty change of a managed table. Otherwise a crash between the two commits would lose one half.
 */
export async function createTwoPhases(client: pg.Client): Promise<void> {
  await client.query('create table if not exists two_phases (id integer primary key)');
  const managed = await client.query(
    `select from pg_dist_partition where logicalrelid = 'two_phases'::regclass`,
  );
  if (managed.rowCount === 0) await client.query(`select citus_add_local_table_to_metadata('two_phases')`);
  await onlyHere(client, async () => {
    await client.query(`create or replace function force_two_phases() returns trigger language plpgsql as $$
      begin
        delete from two_phases where false;
        return null;
      end $$`);
  });
}

/** The triggers, which transactions need once tables are distributed. */
export async function createTwoPhaseTriggers(client: pg.Client): Promise<void> {
  for (const table of besides)
    await client.query(`create or replace trigger two_phases after insert or update on ${table}
      for each statement execute function force_two_phases()`);
}

/** What workers need not have. */
export async function onlyHere(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('set citus.enable_ddl_propagation = off');
  await work();
  await client.query('reset citus.enable_ddl_propagation');
}
