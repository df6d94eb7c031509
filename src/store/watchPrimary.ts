import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export type Server = { readonly name: string; readonly host: string; readonly port: number };

/** Of the servers of one database, the one that takes writes. */
export type Primary = {
  /** Asks all servers if it is unknown; rejects when none takes writes. */
  find(): Promise<Server>;
  /** What was found is wrong: it cannot be reached, or takes no writes any more. */
  forget(server: Server): void;
  /** Calls back when another server has become the primary, until the returned function is called. */
  onChange(listener: (primary: Server) => void): () => void;
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
export function watchPrimary(addresses: readonly string[], onMove: (to: Server) => void): Primary {
  const servers = addresses.map((connectionString) => ({ ...serverOf(connectionString), connectionString }));
  const listeners = new Set<(primary: Server) => void>();
  let current: Server | undefined;
  let last: Server | undefined;
  let finding: Promise<Server> | undefined;
  /** The newest timeline seen: each promotion begins one, and a server that writes on an older one was replaced. */
  let newest = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function search(): Promise<Server> {
    const answers: { server: Server; timeline: number }[] = [];
    const asked = servers.map(async (server) => {
      const timeline = await askTimeline(server.connectionString);
      if (timeline === undefined) throw new NoPrimary(`${server.name} takes no writes.`);
      answers.push({ server, timeline });
    });
    const all = Promise.allSettled(asked);
    await Promise.any(asked).then(
      () => Promise.race([all, sleep(graceMs)]),
      () => all,
    );
    const found = answers.sort((a, b) => b.timeline - a.timeline)[0];
    if (!found || found.timeline < newest)
      throw new NoPrimary(
        `None of ${servers.map(({ name }) => name).join(', ')} takes writes at the moment.`,
      );
    newest = found.timeline;
    current = found.server;
    if (last && last !== current) {
      onMove(current);
      for (const listener of listeners) listener(current);
    }
    last = current;
    return current;
  }

  function find(): Promise<Server> {
    if (current) return Promise.resolve(current);
    finding ??= search().finally(() => {
      finding = undefined;
    });
    return finding;
  }

  async function watch(): Promise<void> {
    const server = servers.find(({ name }) => name === current?.name);
    const timeline = server && (await askTimeline(server.connectionString).catch(() => undefined));
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

function serverOf(connectionString: string): Server {
  const { host, port } = new pg.Client({ connectionString });
  return { name: `${host}:${port}`, host, port };
}

/** The timeline on which the server writes; undefined for a standby. */
async function askTimeline(connectionString: string): Promise<number | undefined> {
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
    const file = rows[0]?.file;
    return file ? Number.parseInt(file.slice(0, 8), 16) : undefined;
  } finally {
    // A server that hangs must not hold up the search for another.
    void client.end().catch(() => undefined);
  }
}
