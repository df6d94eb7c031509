import type { FastifyReply, FastifyRequest } from 'fastify';
import { createFairQueue } from '../../lib/createFairQueue.ts';
import { Problem } from '../../model/errors.ts';
import { type ImportTurn, shareOf } from './caller.ts';
import type { Arrivals } from './createArrivals.ts';

const mayWait = 10;

/** Imports hold megabytes: one of each tenant is received, read and written at a time. */
export function createImportTurns(arrivals: Arrivals) {
  const turns = createFairQueue({
    slots: 8,
    slotsPerKey: 1,
    waitingPerKey: mayWait,
    full: () =>
      new Problem(
        'rate-limited',
        `${mayWait} imports of the tenant are waiting already; wait for their answers before sending more.`,
        { limit: mayWait, count: mayWait, retryAfterSeconds: 10 },
      ),
  });

  return {
    /** Waits for a turn, before anything of the body is read; it lasts until the work is done or the client has left before it began. */
    async begin({ caller, raw }: FastifyRequest, reply: FastifyReply): Promise<ImportTurn> {
      if (!caller) throw new Error('The request was not authorized.');
      let end = () => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      arrivals.hold(raw);
      await new Promise<void>((resolve, reject) => {
        const work = () => {
          resolve();
          return over;
        };
        turns.run(shareOf(caller.principal), work).catch(reject);
      });
      arrivals.receive(raw);
      let isAtWork = false;
      const leave = () => {
        if (!isAtWork) end();
      };
      if (reply.raw.closed) leave();
      else reply.raw.once('close', leave);
      return {
        async spend(work) {
          isAtWork = true;
          try {
            return await work();
          } finally {
            end();
          }
        },
      };
    },
  };
}
