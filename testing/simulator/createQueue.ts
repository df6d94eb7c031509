import type { SignedTx } from './parseTransaction.ts';

type Sender = { txs: Map<number, SignedTx>; cost: bigint };

/** The transactions that wait, one for each sender and nonce. */
export function createQueue() {
  const senders = new Map<string, Sender>();
  const byHash = new Map<string, SignedTx>();

  function remove({ from, nonce }: SignedTx): void {
    const sender = senders.get(from);
    const tx = sender?.txs.get(nonce);
    if (!sender || !tx) return;
    byHash.delete(tx.hash);
    sender.txs.delete(nonce);
    sender.cost -= costOf(tx);
    if (sender.txs.size === 0) senders.delete(from);
  }

  return {
    /** In place of the one with the same nonce. */
    put(tx: SignedTx): void {
      remove(tx);
      const sender = senders.get(tx.from) ?? { txs: new Map<number, SignedTx>(), cost: 0n };
      senders.set(tx.from, sender);
      sender.txs.set(tx.nonce, tx);
      sender.cost += costOf(tx);
      byHash.set(tx.hash, tx);
    },
    remove,
    find: (hash: string): SignedTx | undefined => byHash.get(hash),
    at: (from: string, nonce: number): SignedTx | undefined => senders.get(from)?.txs.get(nonce),
    of: (from: string): SignedTx[] => [...(senders.get(from)?.txs.values() ?? [])],
    senders: (): string[] => [...senders.keys()],
    /** What all of a sender's may cost at most. */
    cost: (from: string): bigint => senders.get(from)?.cost ?? 0n,
  };
}

/** What it may cost at most. */
export const costOf = ({ gas, maxFee, value }: SignedTx): bigint => BigInt(gas) * maxFee + value;
