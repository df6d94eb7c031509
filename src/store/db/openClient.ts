import pg from 'pg';
import type { Hangs } from './citus/watchWorkers.ts';
import { NoPrimary, type PostgresServer, type Primary } from './watchPrimary.ts';

/**
 * Address of the database. `primary`: it has several servers. `isPooled`: a pooler shares sessions, so nothing may be
 * left in a session.
 */
export type Connection = pg.PoolConfig & {
  primary?: Primary;
  isPooled?: boolean;
  /** No statement may return more than a page of a search. */
  hasPageLimit?: boolean;
  /** Watches of its servers, where pools share them. */
  hangs?: Hangs | undefined;
};

/** All but the address, which may be part of an URL or found at each connection. */
export function credentialsOf({ connectionString, primary: _primary, ...config }: Connection): Connection {
  if (connectionString === undefined) return config;
  const { user, password, database, ssl } = new pg.Client({ connectionString });
  return { user, password: password ?? undefined, database, ssl, ...config };
}

/** A connection of its own, to the server that takes writes. */
export function openClient({ primary, ...config }: Connection): pg.Client {
  return primary ? new (clientOf(primary))(config) : new pg.Client(config);
}

/** The kind of client that connects to the server that takes writes at the moment, and breaks when that moves. */
export function clientOf(primary: Primary): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    // biome-ignore lint/suspicious/noConfusingVoidType: both forms of the method that it replaces.
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const connecting = this.#connect();
      if (!callback) return connecting;
      connecting.then(() => (callback as () => void)(), callback);
    }

    async #connect(): Promise<pg.Client> {
      const server = await primary.find();
      Object.assign(this, { host: server.host, port: server.port });
      try {
        await super.connect();
        await refuseStandby(this, server);
      } catch (error) {
        primary.forget(server);
        throw error;
      }
      const unsubscribe = primary.onChange((moved) => {
        if (moved !== server) destroyClient(this);
      });
      this.once('end', unsubscribe);
      return this;
    }
  };
}

async function refuseStandby(client: pg.Client, server: PostgresServer): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (!rows[0]?.standby) return;
  await client.end();
  throw new NoPrimary(`${server.name} takes no writes any more.`);
}

/** A machine that vanished would not answer a polite end. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
