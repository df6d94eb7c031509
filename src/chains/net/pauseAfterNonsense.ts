import { isOfContracts } from './answerLimits.ts';
import type { Rpc } from './rpc.ts';
import { AnswerTooLarge, Nonsense, RpcFailure } from './rpcFailure.ts';

/** So often a node may send nonsense before it is left alone: a provider shows an error page now and then. */
const forgiven = 2;
const firstPauseMs = 1000;
const maxPauseMs = 60_000;
/** After each such time one case of nonsense is forgotten; right answers in between make up for none. */
const forgetMs = 60_000;

/** Asks a node that sends nonsense no more for a while, twice as long each time, so that it costs little whatever it sends. */
export function pauseAfterNonsense(
  rpc: Pick<Rpc, 'name' | 'batch' | 'close'>,
  now: () => number = () => performance.now(),
): Rpc {
  let level = 0;
  let blamedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let why = '';

  function blame(reason: string): void {
    const time = now();
    level = Math.max(0, level - Math.floor((time - blamedAt) / forgetMs)) + 1;
    blamedAt = time;
    why = reason;
    if (level > forgiven)
      pausedUntil = time + Math.min(maxPauseMs, firstPauseMs * 2 ** (level - forgiven - 1));
  }

  return {
    name: rpc.name,
    async batch(calls, timeoutMs) {
      const time = now();
      if (time < pausedUntil)
        throw new RpcFailure(`${why}; it is not asked again for ${Math.ceil((pausedUntil - time) / 1000)} s`);
      try {
        return await rpc.batch(calls, timeoutMs);
      } catch (error) {
        // Requests that were under way together count once.
        if (isNonsense(error, calls) && time > blamedAt) blame(error.message);
        throw error;
      }
    },
    blame(reason, askedAt) {
      if (askedAt > blamedAt) blame(reason);
    },
    close: rpc.close,
  };
}

function isNonsense(error: unknown, calls: Parameters<Rpc['batch']>[0]): error is Error {
  return error instanceof Nonsense || (error instanceof AnswerTooLarge && !calls.some(isOfContracts));
}
