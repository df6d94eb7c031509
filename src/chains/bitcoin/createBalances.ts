import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Scan } from './createScan.ts';
import type { BitcoinBlock } from './decodeBlock.ts';

/** Changes of a block for the addresses known when it came. */
type Step = { parentHash: string; seen: number; changes: ReadonlyMap<string, bigint> };
type Known = { hash: string; amount: bigint; since: number };

const maxSteps = 300;

/**
 * Balances of addresses. Nodes know only the newest, by a scan of all unspent outputs, so each address is scanned once.
 * After that its balance follows from the blocks, on any branch.
 */
export function createBalances(scan: Scan) {
  const balances = new Map<string, Known>();
  const steps = createBoundedMap<string, Step>(maxSteps);
  let count = 0;

  function add({ hash, parentHash, transactions }: BitcoinBlock): void {
    if (balances.size === 0 || steps.has(hash)) return;
    const changes = new Map<string, bigint>();
    for (const transaction of transactions) {
      const { senders, recipients } = transaction.parties;
      if (![...senders, ...recipients].some((address) => balances.has(address))) continue;
      for (const [address, amount] of transaction.balanceChanges)
        if (address !== null && balances.has(address))
          changes.set(address, (changes.get(address) ?? 0n) + amount);
    }
    steps.set(hash, { parentHash, seen: ++count, changes });
  }

  /** Every block below (and the block itself), with what changed since it; as far as blocks are known. */
  function* path(hash: string, address: string, since: number): Generator<[hash: string, change: bigint]> {
    let change = 0n;
    let current = hash;
    for (;;) {
      yield [current, change];
      const step = steps.get(current);
      if (!step || step.seen <= since) return;
      change += step.changes.get(address) ?? 0n;
      current = step.parentHash;
    }
  }

  /** Through the newest block that the two branches share. */
  function derive(address: string, { hash }: BlockRef): bigint | undefined {
    const start = balances.get(address);
    if (!start) return undefined;
    const steps = new Map(path(start.hash, address, start.since));
    for (const [ancestor, change] of path(hash, address, start.since)) {
      const back = steps.get(ancestor);
      if (back !== undefined) return start.amount - back + change;
    }
    return undefined;
  }

  async function scanAll(addresses: readonly string[]): Promise<void> {
    const { hash, outputs } = await scan(addresses);
    const amounts = new Map(addresses.map((address) => [address, 0n]));
    for (const { address, amount } of outputs) amounts.set(address, (amounts.get(address) ?? 0n) + amount);
    for (const [address, amount] of amounts) balances.set(address, { hash, amount, since: count });
  }

  return {
    add,
    /** After the block, or after the newest one where it is too far from what is known. */
    async read(block: BlockRef, addresses: readonly string[]): Promise<bigint[]> {
      const unknown = addresses.filter((address) => derive(address, block) === undefined);
      if (unknown.length > 0) await scanAll([...new Set(unknown)]);
      return addresses.map((address) => {
        const amount = derive(address, block);
        const newest = balances.get(address);
        if (!newest || amount === undefined) return newest?.amount ?? 0n;
        // Steps are kept for a while only, so that the start moves along.
        balances.set(address, { ...newest, hash: block.hash, amount });
        return amount;
      });
    },
  };
}
