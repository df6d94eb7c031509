import type { ClientBase } from 'pg';
import { createHangWatch, type HangWatch, type Probe } from './createHangWatch.ts';
import type { WorkerServer } from './openPlacements.ts';

/** A worker that does not answer, as logs and the doctor name it. */
type SilentWorker = WorkerServer & { since: number };

export type WorkerWatches = {
  of(worker: WorkerServer): HangWatch;
  /** The workers that do not answer at the moment. */
  silent(): readonly SilentWorker[];
  close(): void;
};

/** Watches of the servers of one database, which all pools of a process share. */
export type Hangs = {
  server: HangWatch;
  workers: WorkerWatches;
  /** Ends a session of the coordinator that waits for a worker. */
  abandon(client: ClientBase): void;
  close(): void;
};

/** With the time until a statement is noticed, a worker that hangs is noticed within two seconds. */
const answerMs = 1000;

/** Watches each worker of the cluster that this process needs. `ask` opens the ways to ask it, each of which suffices. */
export function watchWorkers(
  ask: (worker: WorkerServer) => readonly Probe[],
  onChange: (worker: WorkerServer, isSilent: boolean) => void,
  isQueued?: boolean,
): WorkerWatches {
  const watches = new Map<string, HangWatch>();
  const silent = new Map<string, SilentWorker>();

  return {
    of(worker) {
      const name = `${worker.groupId} ${worker.host}:${worker.port}`;
      const watch =
        watches.get(name) ??
        createHangWatch({
          // Tenants read the number of the worker, which the log and the doctor explain, and not its address.
          words:
            `The database worker ${worker.groupId}, which has these alerts, does not answer at the moment; ` +
            'send the request again later.',
          probe: anyOf(ask(worker)),
          answerMs,
          isBehind: true,
          isQueued,
          onChange(isSilent) {
            if (isSilent) silent.set(name, { ...worker, since: Date.now() });
            else silent.delete(name);
            onChange(worker, isSilent);
          },
        });
      watches.set(name, watch);
      return watch;
    },
    silent: () => [...silent.values()],
    close() {
      for (const watch of watches.values()) watch.close();
    },
  };
}

/** Answers as soon as one of them does, so that a worker that only this process cannot reach does not pass for one that hangs. */
function anyOf(probes: readonly Probe[]): Probe {
  return {
    async ask() {
      const answers = probes.map(async (probe) => {
        if (!(await probe.ask())) throw new Error('The worker does not serve.');
      });
      return Promise.any(answers).then(
        () => true,
        () => false,
      );
    },
    rest() {
      for (const probe of probes) probe.rest();
    },
  };
}
