import type { Frame } from '../../model/block.ts';

/** Detectors ask for it again and again, and a transaction may have a hundred thousand frames. */
const cached = new WeakMap<readonly Frame[], Map<string, ReadonlySet<string>>>();

/**
 * The contracts that an address itself called with effect. No one but the address can forge it: a token that it never calls may
 * claim whatever it likes about it.
 */
export function calledBy(frames: readonly Frame[], address: string): ReadonlySet<string> {
  const byAddress = cached.get(frames) ?? new Map<string, ReadonlySet<string>>();
  cached.set(frames, byAddress);
  const called = byAddress.get(address) ?? collect(frames, address);
  byAddress.set(address, called);
  return called;
}

function collect(frames: readonly Frame[], address: string): ReadonlySet<string> {
  const called = new Set<string>();
  for (const { type, from, to, isReverted } of frames)
    if (from === address && !isReverted && (type === 'CALL' || type === 'CREATE' || type === 'CREATE2'))
      called.add(to);
  return called;
}
