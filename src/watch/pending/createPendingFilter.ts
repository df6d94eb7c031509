import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { createSubscriptionIndex } from '../../matching/createSubscriptionIndex.ts';
import type { Block } from '../../model/block.ts';
import type { PendingTransaction } from '../../model/pending.ts';

type Index = Pick<ReturnType<typeof createSubscriptionIndex>, 'tenantOf' | 'match'>;

/** Contracts that were seen to call watched ones. */
const maxRelays = 10_000;
/** Of long inputs only the beginning is searched for addresses, in words of 32 bytes. */
const maxWords = 128;
const wordLength = 64;
const addressPadding = '0'.repeat(24);

/** Says which pending transactions are worth a simulation, and whose share it counts against; cheap, as there are thousands a second. */
export function createPendingFilter(index: Index) {
  const relays = createBoundedMap<string, number>(maxRelays);

  /** A tenant whose contract it names, `unknown` for any other call or creation, undefined for what can touch no contract. */
  function judge({ from, to, input }: PendingTransaction): number | 'unknown' | undefined {
    const tenant =
      index.tenantOf(from) ??
      (to === null ? undefined : (index.tenantOf(to) ?? relays.get(to))) ??
      tenantIn(input);
    return tenant ?? (input.length >= 10 ? 'unknown' : undefined);
  }

  /** Of an address among the arguments, also within a call that is passed on. */
  function tenantIn(input: string): number | undefined {
    for (const start of [10, 18])
      for (
        let offset = start, word = 0;
        offset + wordLength <= input.length && word < maxWords;
        offset += wordLength, word++
      ) {
        if (!input.startsWith(addressPadding, offset)) continue;
        const tenant = index.tenantOf(`0x${input.slice(offset + 24, offset + wordLength).toLowerCase()}`);
        if (tenant !== undefined) return tenant;
      }
    return undefined;
  }

  return {
    judge,
    /** Remembers through which contracts watched ones are used. */
    learn(block: Block): void {
      for (const [{ contract }, observations] of index.match(block, undefined))
        for (const observation of observations) {
          const to = 'transaction' in observation ? observation.transaction.to : null;
          if (to === null || index.tenantOf(to) !== undefined) continue;
          relays.set(to, contract.tenantId);
        }
    },
  };
}
