import { availableParallelism } from 'node:os';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import { createTurnPacer } from '../../lib/eventLoop.ts';
import { Problem } from '../../model/errors.ts';
import type { Endpoint } from './endpoint.ts';

/** A report keeps a processor busy: one tenant's leave time on them for watching and firing, even where the database shares them. */
const reportsPerTenant = Math.max(2, Math.min(4, availableParallelism()));

/**
 * Concurrent requests, fewer for each kind than its connections, so that work inside a transaction finds one. A tenant
 * may use nearly all slots, but leaves room for the next. So do the tenants of one worker together, which may hang.
 */
const kinds = {
  request: { slots: 12, slotsPerKey: 9, slotsPerGroup: 9, waitingPerKey: 1000, word: 'requests' },
  report: {
    slots: 8,
    slotsPerKey: reportsPerTenant,
    slotsPerGroup: 6,
    waitingPerKey: 50,
    word: 'searches and reports',
  },
  /** A thousand records each, whose transactions take seconds. */
  batch: { slots: 2, slotsPerKey: 1, waitingPerKey: 100, word: 'batches' },
  /** They wait for another system and hold no database connection meanwhile. */
  outside: { slots: 16, slotsPerKey: 4, waitingPerKey: 20, word: 'requests that wait for others' },
} as const;

/** Time for requests in one turn of the event loop before the next waits for a new turn. */
const sliceMs = 10;

type Kind = keyof typeof kinds;

/** Shares what requests need fairly between tenants; what is too much for one's line is refused with the reason. */
export function createRequestShares() {
  const open = (kind: Kind) => {
    const { word, ...limits } = kinds[kind];
    const full = () =>
      new Problem(
        'rate-limited',
        `${limits.waitingPerKey} ${word} of the tenant are waiting already; wait for their answers before sending more.`,
        { limit: limits.waitingPerKey, count: limits.waitingPerKey, retryAfterSeconds: 2 },
      );
    return createFairQueue({ ...limits, full });
  };
  const queues = {
    request: open('request'),
    report: open('report'),
    batch: open('batch'),
    outside: open('outside'),
  };

  const pace = createTurnPacer(sliceMs);

  return {
    /** `worker`: the database server with the tenant's alerts, where there are several. */
    run: <T>(
      endpoint: Endpoint,
      tenantId: number | null,
      isAnonymous: boolean,
      work: () => Promise<T>,
      worker?: string,
    ) => {
      const paced = () => {
        const turn = pace();
        return turn ? turn.then(work) : work();
      };
      return queues[kindOf(endpoint)].run(
        isAnonymous ? 'anonymous' : `tenant ${tenantId}`,
        paced,
        false,
        worker,
      );
    },
    /** Running and waiting requests, for the metrics. */
    stats: () => Object.entries(queues).map(([kind, queue]) => ({ kind, ...queue.stats() })),
  };
}

function kindOf({ isReport, effect, quickBody }: Endpoint): Kind {
  if (quickBody) return 'batch';
  if (isReport) return 'report';
  return effect === 'send' ? 'outside' : 'request';
}
