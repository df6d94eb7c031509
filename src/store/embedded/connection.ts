import { Client, DatabaseError } from 'pg';
import { type Passwords, roles } from './roles.ts';

/** `ssl` is stated because PGSSLMODE would otherwise ask a Unix socket for it. */
export type EmbeddedConnection = {
  host: string;
  port: number;
  user: string;
  password: string | undefined;
  database: string;
  ssl: false;
};

/** `connection` is for rows, `owner` for changing tables. */
export type Connections = { connection: EmbeddedConnection; owner: EmbeddedConnection };

export function connectionsAt(socketFolder: string, passwords: Passwords): Connections {
  const common = { host: socketFolder, port: 5432, database: 'vigil', ssl: false } as const;
  return {
    connection: { ...common, user: roles.app, password: passwords.app },
    owner: { ...common, user: roles.owner, password: passwords.owner },
  };
}

/** `starting` includes recovering and shutting down. */
export async function probe(connection: EmbeddedConnection): Promise<'ready' | 'starting' | 'absent'> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 10_000 });
  // A broken connection rejects its statements; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return 'ready';
  } catch (error) {
    if (!(error instanceof DatabaseError)) return 'absent';
    if (error.code === '57P03') return 'starting';
    throw error;
  } finally {
    await client.end();
  }
}
