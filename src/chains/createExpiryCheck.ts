import type { Endpoints } from './net/createEndpoints.ts';
import type { ExpiringTransactor, Expiry, Progress, SentTransaction } from './transactor.ts';

/** `isValid`: which of them a block may still take, where that does not follow from what was signed. */
type View = Progress & { isValid?: readonly boolean[] };

/** Finds what has expired for good by the word of every node, where `progress` gives that of one. */
export function createExpiryCheck(
  { onEach }: Pick<Endpoints, 'onEach'>,
  progress: (request: Endpoints['request'], sent: readonly SentTransaction[]) => Promise<View>,
): ExpiringTransactor['findExpired'] {
  return async (sent) => {
    const views = await onEach((request) => progress(request, sent));
    return sent.map(({ validUntil }, index): Expiry => {
      for (const { mined, head } of views) {
        const inBlock = mined[index];
        if (inBlock) return { mined: inBlock, head };
      }
      const isOver = ({ final, isValid }: View) =>
        !isValid?.[index] && validUntil !== null && final !== undefined && validUntil < final;
      return views.every(isOver) ? 'expired' : 'open';
    });
  };
}
