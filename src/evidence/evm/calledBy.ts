import type { Frame } from '../../model/block.ts';

/**
 * The contracts that an address itself called with effect. No one but the address can forge it: a token that it never calls may
 * claim whatever it likes about it.
 */
export function calledBy(frames: readonly Frame[], address: string): ReadonlySet<string> {
  const called = new Set<string>();
  for (const { type, from, to, isReverted } of frames)
    if (from === address && !isReverted && (type === 'CALL' || type === 'CREATE' || type === 'CREATE2'))
      called.add(to);
  return called;
}
