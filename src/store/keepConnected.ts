import pg from 'pg';

const reconnectMs = 500;

/**
 * Keeps one connection outside the pools, for what belongs to a session. `onOpen` runs after every connect; `onClose` when
 * the connection is gone, or could not be opened.
 */
export function keepConnected(
  config: pg.ClientConfig,
  onOpen: (client: pg.Client) => Promise<void>,
  onClose: () => void = () => {},
): () => Promise<void> {
  let isStopped = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const connection = new pg.Client({ keepAlive: true, ...config });
    client = connection;
    const ended = new Promise<void>((resolve) => connection.on('end', () => resolve()));
    connection.on('error', () => {});
    try {
      await connection.connect();
      await onOpen(connection);
      await ended;
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
