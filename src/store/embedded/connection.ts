import { Client, DatabaseError } from 'pg';

/** `ssl` is stated because PGSSLMODE would otherwise ask a Unix socket for it. */
export type Connection = {
  host: string;
  port: number;
  user: string;
  password: string | undefined;
  database: string;
  ssl: false;
};

export function connectionAt(socketFolder: string, password: string | undefined): Connection {
  return { host: socketFolder, port: 5432, user: 'vigil', password, database: 'vigil', ssl: false };
}

/** `starting` includes recovering and shutting down. */
export async function probe(connection: Connection): Promise<'ready' | 'starting' | 'absent'> {
  try {
    await withClient(connection, async () => {});
    return 'ready';
  } catch (error) {
    if (!(error instanceof DatabaseError)) return 'absent';
    if (error.code === '57P03') return 'starting';
    throw error;
  }
}

export async function createDatabase(connection: Connection): Promise<void> {
  await withClient(connection, async (client) => {
    const found = await client.query('select from pg_database where datname = $1', [connection.database]);
    if (found.rowCount === 0) await client.query(`create database ${connection.database}`);
  });
}

/** Connects to the maintenance database, the only one that always exists. */
async function withClient(connection: Connection, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ ...connection, database: 'postgres', connectionTimeoutMillis: 10_000 });
  // A broken connection rejects its statements; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}
