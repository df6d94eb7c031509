import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue } from '../../lib/fairQueue.ts';
import type { Connection } from './connect.ts';
import { Pkcs11Error } from './pkcs11Error.ts';

type Work<T> = (session: bigint, keys: Connection['keys']) => Promise<T>;

export type Sessions = {
  /** Runs with a session that nobody else uses meanwhile. What got lost in the module is set up again, and the work repeated. */
  run<T>(work: Work<T>): Promise<T>;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
};

/** Waits before the second and the third attempt. */
const pausesMs = [50, 500];

export function createSessions(connect: () => Promise<Connection>, sessionCount: number): Sessions {
  const queue = createFairQueue({ slots: sessionCount });
  let connection: Promise<Connection> | undefined;
  let running = 0;
  const waiting: (() => void)[] = [];

  return {
    run: (work) =>
      queue.run('module', async () => {
        for (let attempt = 0; ; attempt++) {
          try {
            return await runOnce(work);
          } catch (error) {
            const pauseMs = pausesMs[attempt];
            if (!(error instanceof Pkcs11Error) || !error.isLost || pauseMs === undefined) throw error;
            await sleep(pauseMs);
          }
        }
      }),
    idle: async () => {
      await connection?.catch(() => {});
      await noneRunning();
    },
  };

  async function runOnce<T>(work: Work<T>): Promise<T> {
    connection ??= begin();
    const mine = connection;
    try {
      const { sessions, keys } = await mine;
      const session = sessions.pop()!;
      running += 1;
      try {
        return await work(session, keys);
      } finally {
        sessions.push(session);
        running -= 1;
        if (running === 0) for (const go of waiting.splice(0)) go();
      }
    } catch (error) {
      if (isOver(error) && connection === mine) connection = undefined;
      throw error;
    }
  }

  /** Beginning anew pulls the rug from under every call, so those that run end first. */
  async function begin(): Promise<Connection> {
    await noneRunning();
    return connect();
  }

  async function noneRunning(): Promise<void> {
    if (running > 0) await new Promise<void>((resolve) => waiting.push(resolve));
  }
}

/** Also after a call that hung: what it left behind in its session is unknown. */
function isOver(error: unknown): boolean {
  return !(error instanceof Pkcs11Error) || error.code !== 'no-key';
}
