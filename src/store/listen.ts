import pg from 'pg';

/**
 * Hears what is said on a channel. After a broken connection whatever was said meanwhile is lost, so the listener is told
 * of every new connection too (`undefined`) and has to look for itself.
 */
export function listen(
  config: pg.ClientConfig,
  channel: 'vigil_watch' | 'vigil_work' | 'vigil_alert' | 'vigil_score' | 'vigil_action',
  heard: (message: string | undefined) => void,
): () => Promise<void> {
  let isStopped = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new pg.Client({ ...config, application_name: 'vigil listen', keepAlive: true });
    client = fresh;
    fresh.on('error', () => {});
    fresh.on('end', again);
    fresh.on('notification', ({ payload }) => heard(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
      heard(undefined);
    } catch {
      // `end` is not told when a connection never came to be.
      again();
    }
  }

  function again(): void {
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
