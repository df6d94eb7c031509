import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withHost } from '../../lib/splitHosts.ts';
import { findCoordinator } from './citus/findCoordinator.ts';

export type PostgresServer = { readonly name: string; readonly host: string; readonly port: number };

/** Of the servers of one database, the one that takes writes; of a cluster of Citus, its coordinator. */
export type Primary = {
  /** Asks all servers if it is unknown; rejects when none takes writes. */
  find(): Promise<PostgresServer>;
  /** Called when `find` was wrong: the server cannot be reached, or takes no writes any more. */
  forget(server: PostgresServer): void;
  /** Calls back when another server has become the primary, until the returned function is called. */
  onChange(listener: (primary: PostgresServer) => void): () => void;
  stop(): Promise<void>;
};

/** No server takes writes at the moment. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
}

const answerMs = 2000;
/** A server that was cut off may still take itself for the primary; its successor gets this long to answer too. */
const graceMs = 250;
const watchMs = 1000;

/** Finds the primary, and asks it every second whether it still is, so that connections to a machine that vanished are noticed. */
export function watchPrimary(addresses: readonly string[], onMove: (to: PostgresServer) => void): Primary {
  const cache = new Map<string, PostgresServer & { connectionString: string }>();
  const servers = addresses.map(serverAt);
  const listeners = new Set<(primary: PostgresServer) => void>();
  let current: PostgresServer | undefined;
  let last: PostgresServer | undefined;
  let finding: Promise<PostgresServer> | undefined;
  /** The newest timeline seen: each promotion begins one, and a server that writes on an older one was replaced. */
  let newest = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function serverAt(connectionString: string) {
    const { host, port } = new pg.Client({ connectionString });
    const name = `${host}:${port}`;
    const server = cache.get(name) ?? { name, host, port, connectionString };
    cache.set(name, server);
    return server;
  }

  async function search(): Promise<PostgresServer> {
    const answers: { server: PostgresServer; timeline: number; isNamed: boolean }[] = [];
    const asked = servers.map(async (server) => {
      const { timeline, coordinator } = await askServer(server.connectionString);
      const writer = coordinator ? serverAt(coordinator) : server;
      const written = coordinator ? (await askServer(coordinator)).timeline : timeline;
      if (written === undefined) throw new NoPrimary(`${writer.name} takes no writes.`);
      answers.push({ server: writer, timeline: written, isNamed: !coordinator });
    });
    const all = Promise.allSettled(asked);
    await Promise.any(asked).then(
      () => Promise.race([all, sleep(graceMs)]),
      () => all,
    );
    // A worker may know the coordinator by another name than the caller; that of the caller stays, or it would seem to have moved.
    const primary = answers.sort(
      (a, b) => b.timeline - a.timeline || Number(b.isNamed) - Number(a.isNamed),
    )[0];
    if (!primary || primary.timeline < newest)
      throw new NoPrimary(`None of ${[...cache.keys()].join(', ')} takes writes at the moment.`);
    newest = primary.timeline;
    current = primary.server;
    if (last && last !== current) {
      onMove(current);
      for (const listener of listeners) listener(current);
    }
    last = current;
    return current;
  }

  function find(): Promise<PostgresServer> {
    if (current) return Promise.resolve(current);
    finding ??= search().finally(() => {
      finding = undefined;
    });
    return finding;
  }

  async function watch(): Promise<void> {
    const server = current && cache.get(current.name);
    const answer = server && (await askServer(server.connectionString).catch(() => undefined));
    const timeline = answer?.timeline;
    // One that is only slow stays the primary as long as no other takes writes.
    if (timeline === undefined || timeline < newest) {
      finding ??= search().finally(() => {
        finding = undefined;
      });
      await finding.catch(() => undefined);
    }
    watchLater();
  }

  function watchLater(): void {
    if (!isStopped) timer = setTimeout(() => void watch(), watchMs).unref();
  }

  watchLater();
  return {
    find,
    forget(server) {
      if (current === server) current = undefined;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await finding?.catch(() => undefined);
    },
  };
}

/**
 * True if the server is a worker of Citus, which lacks the tables that are not distributed; false if it does not
 * answer.
 */
export async function isWorker(connectionString: string): Promise<boolean> {
  return (await askServer(connectionString).catch(() => undefined))?.coordinator !== undefined;
}

/** The timeline on which the server writes, undefined for a standby; or the coordinator of which it is a worker. */
async function askServer(connectionString: string): Promise<{ timeline?: number; coordinator?: string }> {
  const client = new pg.Client({
    connectionString,
    application_name: 'vigil primary',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ file: string | null }>(
      `select case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file`,
    );
    const coordinator = await findCoordinator(client);
    if (coordinator) return { coordinator: withHost(connectionString, coordinator.host, coordinator.port) };
    const file = rows[0]?.file;
    return file ? { timeline: Number.parseInt(file.slice(0, 8), 16) } : {};
  } finally {
    // A server that hangs must not hold up the search for another.
    void client.end().catch(() => undefined);
  }
}
