import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import { isPostmaster, type Postmaster } from './postmaster.ts';

/** Other systems than Linux need a process to look at another. */
const pollMs = process.platform === 'linux' ? 200 : 2000;
const maxRestarts = 5;
/** A server that ran this long is sound: what ends it now is not what ended it before. */
const stableAfterMs = 60_000;

type Supervisor = {
  /** The server as it is now, or the last one there was. */
  current(): Postmaster;
  /** Resolves when the server could not be brought back. */
  lost: Promise<Error>;
  /** Resolves when no server will be started any more. */
  stop(): Promise<void>;
};

/**
 * Brings the server back whenever it ends without being told to. It is looked at, not listened to, because an adopted
 * one is not our child and would tell us nothing.
 */
export function supervise(options: {
  cluster: string;
  postmaster: Postmaster;
  relaunch: () => Promise<Postmaster>;
  log: Log;
}): Supervisor {
  const { cluster, relaunch, log } = options;
  let { postmaster } = options;
  const stopping = new AbortController();
  let lose: (error: Error) => void = () => {};
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const watching = watch();
  return {
    current: () => postmaster,
    lost,
    async stop() {
      stopping.abort();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    let restarts = 0;
    let reason = 'it ends again and again';
    for (let isBack = true; ; ) {
      const startedAt = performance.now();
      while (await isRunning()) if (!(await pause(pollMs))) return;
      if (performance.now() - startedAt > stableAfterMs) restarts = 0;
      if (isBack) log('PostgreSQL ended unexpectedly', { pid: postmaster.pid });
      restarts += 1;
      if (restarts > maxRestarts) return lose(new Error(`PostgreSQL ended and did not come back: ${reason}`));
      if (!(await pause(restarts === 1 ? 0 : 250 * 2 ** (restarts - 1)))) return;
      try {
        postmaster = await relaunch();
        isBack = true;
        log('Started PostgreSQL again', { pid: postmaster.pid });
      } catch (error) {
        reason = String(error);
        isBack = false;
        log('PostgreSQL could not be started again', { reason });
      }
    }
  }

  async function isRunning(): Promise<boolean> {
    try {
      return await isPostmaster(postmaster.pid, cluster);
    } catch (error) {
      // No answer (too many open files, say) is no reason to start a second server.
      log('PostgreSQL could not be looked at', { reason: String(error) });
      return true;
    }
  }

  /** False when the time to stop has come. */
  async function pause(ms: number): Promise<boolean> {
    await sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    return !stopping.signal.aborted;
  }
}
