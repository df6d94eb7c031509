import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { keepConnected } from '../db/keepConnected.ts';
import type { Connection } from '../db/openClient.ts';
import { leavingLock, presenceLock } from './presenceLocks.ts';

export type Presence = {
  /** Name of this process in the leases of chains. */
  holder: string;
  /** True if the database would notice the end of this process at once. */
  isHeld(): boolean;
  /** Calls back when the lease of the chain was released or asked for, or may have been, until the returned function is called. */
  onLease(chainUid: string, listener: () => void): () => void;
  /** Says that this process stops, so that no other one counts on it. */
  leave(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Holds an advisory lock in a separate session for the life of the process. It only shortens waits: a live holder with
 * a broken session is refused at its next write.
 */
export function openPresence(config: Connection): Presence {
  const holder = randomUUID();
  const listeners = new Map<() => void, string>();
  let isHeld = false;
  let isLeaving = false;
  let session: pg.Client | undefined;
  const announce = (chainUid?: string) => {
    for (const [listener, listenerUid] of listeners)
      if (chainUid === undefined || listenerUid === chainUid) listener();
  };
  const close = keepConnected(
    { ...config, application_name: 'vigil presence' },
    async (client) => {
      client.on('notification', ({ payload }) => announce(payload));
      await client.query('listen vigil_lease');
      const { rows } = await client.query<{ pid: number }>(
        'select pg_backend_pid() as pid, pg_advisory_lock($1, hashtext($2))',
        [presenceLock, holder],
      );
      // Behind a pooler that shares sessions the lock would outlive this process.
      isHeld = rows[0]?.pid === (client as { processID?: number }).processID;
      session = client;
      if (isLeaving) await sayLeaving();
      announce();
    },
    () => {
      isHeld = false;
    },
  );
  async function sayLeaving(): Promise<void> {
    if (isHeld) await session?.query('select pg_advisory_lock($1, hashtext($2))', [leavingLock, holder]);
  }
  return {
    holder,
    isHeld: () => isHeld,
    onLease: (chainUid, listener) => {
      listeners.set(listener, chainUid);
      return () => listeners.delete(listener);
    },
    leave: () => {
      isLeaving = true;
      return sayLeaving();
    },
    stop: close,
  };
}
