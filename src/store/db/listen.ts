import type pg from 'pg';
import { keepConnected } from './keepConnected.ts';
import type { Connection } from './openClient.ts';

type Channel =
  | 'vigil_watch'
  | 'vigil_work'
  | 'vigil_call'
  | 'vigil_alert'
  | 'vigil_score'
  | 'vigil_action'
  | 'vigil_chain';
type Listener = { channel: Channel; onMessage: (message: string | undefined) => void };

/**
 * Subscribes to a NOTIFY channel. Messages sent while the connection is down are lost, so `onMessage` is also called
 * with `undefined` after every connect, and the subscriber must then poll. All subscribers of a database share one
 * session, since each is a process of the server.
 */
export function listen(
  config: Connection,
  channel: Channel,
  onMessage: Listener['onMessage'],
): () => Promise<void> {
  const session = sessions.get(config) ?? openSession(config);
  return session.add({ channel, onMessage });
}

const sessions = new WeakMap<Connection, ReturnType<typeof openSession>>();

function openSession(config: Connection) {
  const listeners = new Set<Listener>();
  let connected: pg.Client | undefined;
  let last = Promise.resolve();
  const close = keepConnected(
    { ...config, application_name: 'vigil listen' },
    async (client) => {
      client.on('notification', ({ channel, payload }) => {
        for (const listener of listeners) if (listener.channel === channel) listener.onMessage(payload ?? '');
      });
      connected = client;
      await Promise.all(Array.from(listeners, (listener) => start(client, listener)));
    },
    () => {
      connected = undefined;
    },
  );

  /** One after the other, as a session runs its statements. */
  function start(client: pg.Client, listener: Listener): Promise<void> {
    last = last.then(async () => {
      if (connected !== client || !listeners.has(listener)) return;
      try {
        await client.query(`listen ${listener.channel}`);
      } catch {
        // The connection is gone; the next one listens to it too.
        return;
      }
      if (listeners.has(listener)) listener.onMessage(undefined);
    });
    return last;
  }

  const session = {
    add(listener: Listener): () => Promise<void> {
      listeners.add(listener);
      if (connected) void start(connected, listener);
      return async () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        if (sessions.get(config) === session) sessions.delete(config);
        await close();
      };
    },
  };
  sessions.set(config, session);
  return session;
}
