import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import type { ModuleConnection } from './createConnect.ts';
import { Pkcs11Error } from './pkcs11Error.ts';

type Work<T> = (session: bigint, keys: ModuleConnection['keys']) => Promise<T>;

export type Sessions = {
  /** Runs the work with a session of its own. After a lost session it reconnects and repeats the work. */
  run<T>(work: Work<T>): Promise<T>;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
};

/** Delays before the second and the third attempt. */
const retryDelaysMs = [50, 500];

export function createSessions(connect: () => Promise<ModuleConnection>, sessionCount: number): Sessions {
  const queue = createFairQueue({ slots: sessionCount });
  let connection: Promise<ModuleConnection> | undefined;
  let running = 0;
  const idleWaiters: (() => void)[] = [];

  return {
    run: (work) =>
      queue.run('module', async () => {
        for (let attempt = 0; ; attempt++) {
          try {
            return await runOnce(work);
          } catch (error) {
            const pauseMs = retryDelaysMs[attempt];
            if (!(error instanceof Pkcs11Error) || !error.isLost || pauseMs === undefined) throw error;
            await sleep(pauseMs);
          }
        }
      }),
    idle: async () => {
      await connection?.catch(() => {});
      await waitUntilIdle();
    },
  };

  async function runOnce<T>(work: Work<T>): Promise<T> {
    connection ??= reconnect();
    const current = connection;
    try {
      const { sessions, keys } = await current;
      const session = sessions.pop();
      if (session === undefined) throw new Error('More calls run than there are sessions.');
      running += 1;
      try {
        return await work(session, keys);
      } finally {
        sessions.push(session);
        running -= 1;
        if (running === 0) for (const go of idleWaiters.splice(0)) go();
      }
    } catch (error) {
      if (breaksConnection(error) && connection === current) connection = undefined;
      throw error;
    }
  }

  /** Reconnecting invalidates every session, so running calls end first. */
  async function reconnect(): Promise<ModuleConnection> {
    await waitUntilIdle();
    return connect();
  }

  async function waitUntilIdle(): Promise<void> {
    if (running > 0) await new Promise<void>((resolve) => idleWaiters.push(resolve));
  }
}

/** Also after a call that hung: the state of its session is unknown. */
function breaksConnection(error: unknown): boolean {
  return !(error instanceof Pkcs11Error) || !['no-key', 'no-curve'].includes(error.code);
}
