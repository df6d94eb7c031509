import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Connection, destroyClient, openClient } from './openClient.ts';

/** Statements that are cut off together end with one statement. */
const gatherMs = 20;
const limitMs = 5000;

/**
 * Cancels the statements of sessions whose connections are gone; the sessions then end by themselves. A terminated session of
 * Citus waits for its worker first, and keeps its locks until that answers.
 */
export function createSessionEnder(config: Connection): (client: pg.ClientBase) => void {
  let pids: number[] = [];

  async function end(): Promise<void> {
    await sleep(gatherMs);
    const ending = pids;
    pids = [];
    const client = openClient({
      ...config,
      connectionTimeoutMillis: limitMs,
      query_timeout: limitMs,
      application_name: 'vigil probe',
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(
        `select pg_cancel_backend(pid) from pg_stat_activity
          where pid = any($1::int[]) and usename = current_user and backend_type = 'client backend'`,
        [ending],
      );
    } catch {
      // Their time limit ends them.
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  return (client) => {
    destroyClient(client as pg.Client);
    const { processID } = client as { processID?: number };
    if (processID === undefined) return;
    if (pids.length === 0) void end();
    pids.push(processID);
  };
}
