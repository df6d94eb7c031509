import { keepConnected } from './keepConnected.ts';
import type { Connection } from './openClient.ts';

/**
 * Subscribes to a NOTIFY channel. Messages sent while the connection is down are lost, so `onMessage` is also called
 * with `undefined` after every connect, and the subscriber must then poll.
 */
export function listen(
  config: Connection,
  channel: 'vigil_watch' | 'vigil_work' | 'vigil_alert' | 'vigil_score' | 'vigil_action' | 'vigil_chain',
  onMessage: (message: string | undefined) => void,
): () => Promise<void> {
  return keepConnected({ ...config, application_name: 'vigil listen' }, async (client) => {
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    await client.query(`listen ${channel}`);
    onMessage(undefined);
  });
}
