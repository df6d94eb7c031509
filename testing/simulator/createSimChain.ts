import { type BlockSpec, buildBlock, digest, type SimBlock } from './buildBlock.ts';

type Options = {
  chainId: number;
  /** Other seeds give other hashes. */
  seed?: number;
  /** The number of the first block, which is there from the beginning. */
  startNumber?: number;
  blockTimeSeconds?: number;
  /** A node that has forgotten reorganised blocks answers null to their hash. */
  forgetsOrphans?: boolean;
};

/** Blocks to add: a number of empty ones, one, or a list. */
export type Blocks = number | BlockSpec | readonly BlockSpec[];

/** Fills blocks with transactions; is notified of the blocks that a fork drops or restores. */
export type Miner = {
  seal(place: { number: number; hash: string }, spec: BlockSpec): BlockSpec;
  drop(blocks: readonly SimBlock[]): void;
  restore(block: SimBlock): void;
};

/** A scripted chain in memory; hashes follow from seed, branch and parent, so a script gives the same chain again. */
export type SimChain = ReturnType<typeof createSimChain>;

export function createSimChain(options: Options) {
  const { chainId, seed = 0, startNumber = 0, blockTimeSeconds = 12, forgetsOrphans = false } = options;
  const canonical: SimBlock[] = [];
  const byHash = new Map<string, SimBlock>();
  const byTransaction = new Map<string, string[]>();
  const listeners = new Set<(block: SimBlock) => void>();
  let miner: Miner | undefined;
  let branch = 0;
  let finalized = startNumber;

  const at = (number: number): SimBlock | undefined => canonical[number - startNumber];
  const head = (): SimBlock => canonical[canonical.length - 1]!;

  function append(spec: BlockSpec): SimBlock {
    const parent = canonical.at(-1);
    const number = parent ? parent.number + 1 : startNumber;
    const parentHash = parent?.hash ?? digest(`before ${seed}`);
    const hash = digest(`${parentHash} ${number} ${seed} ${branch}`);
    const timestamp =
      spec.timestamp ?? (parent?.timestamp ?? 1_700_000_000 - blockTimeSeconds) + blockTimeSeconds;
    const whole = miner?.seal({ number, hash }, spec) ?? spec;
    const block = buildBlock({ chainId, number, hash, parentHash, timestamp }, whole);
    canonical.push(block);
    byHash.set(hash, block);
    for (const tx of block.transactionHashes) {
      const places = byTransaction.get(tx);
      if (places) places.push(hash);
      else byTransaction.set(tx, [hash]);
    }
    for (const listener of listeners) listener(block);
    return block;
  }

  const extend = (blocks: Blocks): SimBlock[] => toSpecs(blocks).map(append);

  append({});
  return {
    chainId,
    startNumber,
    at,
    byHash: (hash: string) => byHash.get(hash),
    isCanonical: (block: SimBlock) => at(block.number) === block,
    /** Where a transaction lies on the canonical chain. */
    findTransaction(hash: string): { block: SimBlock; index: number } | undefined {
      const place = byTransaction.get(hash)?.find((blockHash) => {
        const block = byHash.get(blockHash);
        return block !== undefined && at(block.number) === block;
      });
      const block = place === undefined ? undefined : byHash.get(place);
      return block && { block, index: block.transactionHashes.indexOf(hash) };
    },
    get head() {
      return head();
    },
    get finalized() {
      return finalized;
    },
    /** The canonical blocks, oldest first. */
    get blocks(): readonly SimBlock[] {
      return canonical;
    },
    extend,

    /** Reorganises: the block `number` stays, what came after it is replaced. */
    fork(number: number, blocks: Blocks): SimBlock[] {
      if (number < finalized)
        throw new Error(`Block ${finalized} is final; the chain cannot fork at ${number}.`);
      if (!at(number))
        throw new Error(`There is no block ${number} to fork at; the head is ${head().number}.`);
      const dropped = canonical.splice(number + 1 - startNumber);
      miner?.drop(dropped);
      if (forgetsOrphans) for (const { hash } of dropped) byHash.delete(hash);
      branch++;
      return extend(blocks);
    },

    /**
     * Reorganises back to a branch that was left before: it ends with this block, and its blocks are the same again.
     */
    adopt(tip: SimBlock): void {
      const back: SimBlock[] = [];
      let block: SimBlock | undefined = tip;
      while (block && at(block.number) !== block) {
        back.unshift(block);
        block = byHash.get(block.parentHash);
      }
      if (!block || block.number < finalized)
        throw new Error(`Block ${tip.number} is not on a branch that can come back.`);
      const dropped = canonical.splice(block.number + 1 - startNumber);
      miner?.drop(dropped);
      // What comes after it now is not what came after it then.
      branch++;
      for (const returned of back) {
        canonical.push(returned);
        miner?.restore(returned);
        for (const listener of listeners) listener(returned);
      }
    },

    finalize(number: number): void {
      if (number < finalized || !at(number)) throw new Error(`Block ${number} cannot become final.`);
      finalized = number;
    },

    attach(newMiner: Miner): void {
      if (miner) throw new Error('The chain has a miner already.');
      miner = newMiner;
    },

    /** Subscribes to new canonical blocks; returns the function that unsubscribes. */
    onHead(listener: (block: SimBlock) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function toSpecs(blocks: Blocks): readonly BlockSpec[] {
  if (typeof blocks === 'number') return Array.from({ length: blocks }, () => ({}));
  return isList(blocks) ? blocks : [blocks];
}

// Array.isArray does not narrow a readonly array.
const isList = (blocks: BlockSpec | readonly BlockSpec[]): blocks is readonly BlockSpec[] =>
  Array.isArray(blocks);
