import pg from 'pg';

/**
 * Subscribes to a NOTIFY channel. Messages sent while the connection is down are lost, so `onMessage` is also called
 * with `undefined` after every connect, and the subscriber must then poll.
 */
export function listen(
  config: pg.ClientConfig,
  channel: 'vigil_watch' | 'vigil_work' | 'vigil_alert' | 'vigil_score' | 'vigil_action' | 'vigil_chain',
  onMessage: (message: string | undefined) => void,
): () => Promise<void> {
  let isStopped = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const connection = new pg.Client({ ...config, application_name: 'vigil listen', keepAlive: true });
    client = connection;
    connection.on('error', () => {});
    connection.on('end', reconnectLater);
    connection.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await connection.connect();
      await connection.query(`listen ${channel}`);
      onMessage(undefined);
    } catch {
      // A connection that never opened emits no `end`.
      reconnectLater();
    }
  }

  function reconnectLater(): void {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, 500).unref();
  }

  void connect();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await client?.end();
  };
}
