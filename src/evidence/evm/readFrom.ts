import type { Frame } from '../../model/block.ts';

/**
 * Contracts that watched ones call themselves, or that are read on the way by calls without changes. Excludes calls by
 * a contract that is paid or called back.
 */
export function readFrom(
  frames: readonly Frame[],
  isWatched: (address: string) => boolean,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const isOnTheWay: boolean[] = [];
  for (const [index, { type, from, to, parent, isReverted }] of frames.entries()) {
    const isRead = (type === 'STATICCALL' || type === 'DELEGATECALL') && isOnTheWay[parent] === true;
    const isOwn = isWatched(from) || isRead;
    isOnTheWay[index] = isOwn && (type === 'STATICCALL' || isRead);
    if (isOwn && !isReverted) reached.add(to);
  }
  return reached;
}
