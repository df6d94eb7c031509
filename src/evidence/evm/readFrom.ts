import type { Frame } from '../../model/block.ts';

/**
 * Contracts that watched ones call themselves, or that are read on the way by calls without changes, and these calls.
 * Excludes calls by a contract that is paid or called back.
 */
export function readFrom(
  frames: readonly Frame[],
  isWatched: (address: string) => boolean,
): { reached: ReadonlySet<string>; isOwn: (frame: Frame) => boolean } {
  const reached = new Set<string>();
  const own = new Set<Frame>();
  const isOnTheWay: boolean[] = [];
  for (const [index, frame] of frames.entries()) {
    const { type, from, to, parent, isReverted } = frame;
    const isRead = (type === 'STATICCALL' || type === 'DELEGATECALL') && isOnTheWay[parent] === true;
    const isOwn = isWatched(from) || isRead;
    isOnTheWay[index] = isOwn && (type === 'STATICCALL' || isRead);
    if (!isOwn || isReverted) continue;
    reached.add(to);
    own.add(frame);
  }
  return { reached, isOwn: (frame) => own.has(frame) };
}
