import pg from 'pg';
import { splitHosts, withHost } from '../../lib/splitHosts.ts';
import { findCoordinator } from '../db/citus/findCoordinator.ts';
import { presenceLock } from './presenceLocks.ts';

type Standby = { name: string; state: string | null; sync: string | null; lagBytes: number | null };

export type ServerState = { name: string; connectionString: string } & (
  | { fault: string }
  | {
      fault?: undefined;
      isStandby: boolean;
      /** The address of the coordinator of which it is a worker. */
      coordinator: string | undefined;
      /** Such as 18.4. */
      release: string;
      role: string;
      /** Superuser, or beyond row security: far more than Vigil needs. */
      isPrivileged: boolean;
      timeline: number | null;
      /** Behind a pooler the session that answers is not the one that was opened. */
      isPooled: boolean;
      connections: number;
      maxConnections: number;
      synchronousNames: string;
      standbys: Standby[];
      /** Processes that watch. */
      watchers: number;
    }
);

/** The doctor says within seconds which server does not answer. */
const answerMs = 2000;

/** Own statement of each server that an address names, with the coordinator of a worker. */
export async function readTopology(address: string): Promise<ServerState[]> {
  const named = await Promise.all(splitHosts(address).map(readServer));
  const found = named.flatMap((server) => (server.fault === undefined ? (server.coordinator ?? []) : []));
  const coordinators = await Promise.all([...new Set(found)].map(readServer));
  return [...named, ...coordinators.filter(({ name }) => named.every((server) => server.name !== name))];
}

async function readServer(connectionString: string): Promise<ServerState> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on('error', () => {});
  const name = `${client.host}:${client.port}`;
  try {
    await client.connect();
    const { rows } = await client.query(
      `select pg_is_in_recovery() as "isStandby", split_part(current_setting('server_version'), ' ', 1) as release,
        current_user as role,
        (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isPrivileged",
        case when not pg_is_in_recovery()
          then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
        pg_backend_pid() as pid,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        current_setting('max_connections')::int as "maxConnections",
        current_setting('synchronous_standby_names') as "synchronousNames",
        (select count(*)::int from pg_locks
          where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted) as watchers`,
      [presenceLock],
    );
    const { pid, ...state } = rows[0];
    const standbys = await client.query<Standby>(
      `select application_name as name, state, sync_state as sync,
        case when not pg_is_in_recovery()
          then pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 end as "lagBytes"
      from pg_stat_replication order by 1`,
    );
    const isPooled = pid !== (client as { processID?: number }).processID;
    const found = await findCoordinator(client);
    const coordinator = found && withHost(connectionString, found.host, found.port);
    return { name, connectionString, ...state, coordinator, isPooled, standbys: standbys.rows };
  } catch (error) {
    // The addresses of a server with several may each have failed.
    const reasons = error instanceof AggregateError ? error.errors : [error];
    return {
      name,
      connectionString,
      fault: reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join(', '),
    };
  } finally {
    void client.end().catch(() => undefined);
  }
}
