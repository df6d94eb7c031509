import { createFairQueue, type FairQueue } from './createFairQueue.ts';
import { settleWithin } from './withTimeLimit.ts';

export type HostQueues = {
  /** Runs `work` when a slot of the host is free; undefined when its turn did not come in time. */
  run<T>(url: string, tenantId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined>;
};

/** Requests to one host that are under way at once in this process, over all tenants. */
export const slotsPerHost = 16;
/** Slots that a single tenant may use when no other tenant is waiting. The remainder stays free for the next tenant. */
const slotsPerTenant = 12;
/** Longer waiting would leave too little of the time limit of an attempt. */
const maxWaitMs = 8000;

/** Limits the requests to each host, fairly between tenants; hosts do not delay each other. */
export function createHostQueues(slots = slotsPerHost, perTenant = slotsPerTenant): HostQueues {
  const queues = new Map<string, FairQueue>();
  return {
    async run(url, tenantId, signal, work) {
      const { host } = new URL(url);
      const queue = queues.get(host) ?? createFairQueue({ slots, slotsPerKey: Math.min(slots, perTenant) });
      queues.set(host, queue);
      let hasStarted = false;
      let isLate = false;
      const turn = queue
        .run(tenantId, async () => {
          if (isLate || signal.aborted) return undefined;
          hasStarted = true;
          return work();
        })
        .finally(() => {
          const { running, waiting } = queue.stats();
          if (running === 0 && waiting === 0) queues.delete(host);
        });
      return settleWithin(maxWaitMs, turn, () => {
        if (hasStarted) return turn;
        isLate = true;
        return undefined;
      });
    },
  };
}
