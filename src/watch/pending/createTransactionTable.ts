type Identity = { readonly hash: string; readonly from: string; readonly nonce: number };

/** Transactions by their hash, and by their sender and nonce, which only one of them can use. */
export function createTransactionTable<T extends Identity>() {
  const byHash = new Map<string, T>();
  const byNonce = new Map<string, Map<string, T>>();
  const keyOf = ({ from, nonce }: Identity) => `${from} ${nonce}`;

  function remove(hash: string): void {
    const one = byHash.get(hash);
    if (!one) return;
    byHash.delete(hash);
    const same = byNonce.get(keyOf(one));
    same?.delete(hash);
    if (same?.size === 0) byNonce.delete(keyOf(one));
  }

  return {
    get size() {
      return byHash.size;
    },
    has: (hash: string): boolean => byHash.has(hash),
    get: (hash: string): T | undefined => byHash.get(hash),
    values: () => byHash.values(),
    set(one: T): void {
      remove(one.hash);
      byHash.set(one.hash, one);
      const same = byNonce.get(keyOf(one));
      if (same) same.set(one.hash, one);
      else byNonce.set(keyOf(one), new Map([[one.hash, one]]));
    },
    delete: remove,
    clear(): void {
      byHash.clear();
      byNonce.clear();
    },
    /** Those in whose place this one would be mined. */
    rivals(transaction: Identity): T[] {
      if (byHash.size === 0) return [];
      const same = byNonce.get(keyOf(transaction));
      return same ? [...same.values()].filter(({ hash }) => hash !== transaction.hash) : [];
    },
  };
}
