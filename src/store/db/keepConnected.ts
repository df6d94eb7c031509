import { isAbsolute } from 'node:path';
import type pg from 'pg';
import { type Connection, destroyClient, openClient } from './openClient.ts';

const reconnectMs = 500;
/** Interval of checking that the server is still there, and its time limit to answer. */
const askMs = 5000;
const answerMs = 15_000;

/**
 * Keeps one connection outside the pools, for what belongs to a session. `onOpen` runs after every connect; `onClose` when
 * the connection is gone, or could not be opened.
 */
export function keepConnected(
  config: Connection,
  onOpen: (client: pg.Client) => Promise<void>,
  onClose: () => void = () => {},
): () => Promise<void> {
  let isStopped = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const connection = openClient({ connectionTimeoutMillis: answerMs, ...config });
    client = connection;
    const ended = new Promise<void>((resolve) => connection.on('end', () => resolve()));
    connection.on('error', () => {});
    try {
      await connection.connect();
      await onOpen(connection);
      const asking = isAbsolute(connection.host)
        ? undefined
        : setInterval(() => void ask(connection), askMs).unref();
      await ended;
      clearInterval(asking);
    } catch {
      // A connection that never opened emits no `end`.
      await connection.end().catch(() => undefined);
    }
    onClose();
    if (!isStopped) timer = setTimeout(() => void connect(), reconnectMs).unref();
  }

  void connect();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await client?.end();
  };
}

/** A machine that vanished closes no connection; the end of a server behind a Unix socket does. */
async function ask(connection: pg.Client): Promise<void> {
  const query = { text: 'select 1', query_timeout: answerMs };
  await connection.query(query).catch(() => destroyClient(connection));
}
