import { setTimeout as sleep } from 'node:timers/promises';
import type { WriteLog } from './log.ts';
import { isAlive, isPostmaster, type Postmaster } from './postmaster.ts';

/** Systems other than Linux spawn a process for each check. A child says itself when it exits. */
const slowPollMs = 2000;
const pollMs = process.platform === 'linux' ? 200 : slowPollMs;
/** On Linux most looks only ask if the process is there; who it is changes seldom. */
const looksPerCheck = 25;
const maxRestarts = 5;
/** After this time a new exit counts as unrelated to the previous one. */
const stableAfterMs = 60_000;

type Supervisor = {
  /** The current server, or the last one. */
  current(): Postmaster;
  /** Resolves when the server could not be restarted. */
  lost: Promise<Error>;
  /** Resolves when no further restart will happen. */
  stop(): Promise<void>;
};

/**
 * Restarts the server whenever it exits unexpectedly. Polls, because an adopted server is not a child process and
 * sends no exit event; seldom for one that does.
 */
export function supervise(options: {
  cluster: string;
  postmaster: Postmaster;
  relaunch: () => Promise<Postmaster>;
  log: WriteLog;
}): Supervisor {
  const { cluster, relaunch, log } = options;
  let { postmaster } = options;
  let looks = 0;
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
    let reason = 'it keeps exiting';
    for (let isBack = true; ; ) {
      const startedAt = performance.now();
      while (await isRunning()) if (!(await pauseUntilExit())) return;
      if (performance.now() - startedAt > stableAfterMs) restarts = 0;
      if (isBack) log('PostgreSQL exited unexpectedly; restarting', { pid: postmaster.pid });
      restarts += 1;
      if (restarts > maxRestarts)
        return lose(new Error(`PostgreSQL exited and could not be restarted: ${reason}`));
      if (!(await pause(restarts === 1 ? 0 : 250 * 2 ** (restarts - 1)))) return;
      try {
        postmaster = await relaunch();
        isBack = true;
        log('Restarted PostgreSQL', { pid: postmaster.pid });
      } catch (error) {
        reason = String(error);
        isBack = false;
        log('Failed to restart PostgreSQL; retrying', { reason });
      }
    }
  }

  async function isRunning(): Promise<boolean> {
    try {
      if (process.platform === 'linux' && looks++ % looksPerCheck !== 0 && isAlive(postmaster.pid))
        return true;
      return await isPostmaster(postmaster.pid, cluster);
    } catch (error) {
      // A failed check (too many open files, for example) must not start a second server.
      log('Failed to check whether PostgreSQL runs; will retry', { reason: String(error) });
      return true;
    }
  }

  /** False when stopping. */
  async function pauseUntilExit(): Promise<boolean> {
    const { onExit } = postmaster;
    if (!onExit) return pause(pollMs);
    const exited = new AbortController();
    const unsubscribe = onExit(() => exited.abort());
    await pause(slowPollMs, exited.signal);
    unsubscribe();
    return !stopping.signal.aborted;
  }

  /** False when stopping. */
  async function pause(ms: number, ended?: AbortSignal): Promise<boolean> {
    const signal = ended ? AbortSignal.any([stopping.signal, ended]) : stopping.signal;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
    return !stopping.signal.aborted;
  }
}
