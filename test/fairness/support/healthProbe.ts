import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Vigil } from '../../../testing/createWorkspace.ts';

type Health = {
  /** The longest that the event loop let a health check wait while it worked on something else. */
  blockMs: number;
  /** The longest that a health check took, the machine's own delays included. */
  latencyMs: number;
  samples: number;
};

export type HealthProbe = { during(work: () => Promise<unknown>): Promise<Health>; stop(): Promise<void> };

export function probeHealth({ url, pid }: Vigil): HealthProbe {
  const worker = new Worker(join(import.meta.dirname, 'probeHealth.mjs'), { workerData: { url, pid } });
  const take = async (): Promise<Health> => {
    const answer = once(worker, 'message');
    worker.postMessage('take', []);
    const [health] = (await answer) as [Health];
    return health;
  };
  return {
    async during(work) {
      await take();
      await work();
      return take();
    },
    stop: async () => void (await worker.terminate()),
  };
}

/** Processor time that the process has used so far, with all of its threads. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export async function memoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
