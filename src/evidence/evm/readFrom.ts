import type { Frame } from '../../model/block.ts';

/**
 * The contracts that watched ones themselves call, or that are read on its way: by calls which cannot change anything. What a
 * contract that it pays or calls back does from there is not the address's doing, so it is left out.
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
