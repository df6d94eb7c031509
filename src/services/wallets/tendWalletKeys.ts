import { chainUids } from '../../chains/chains.ts';
import { takeOrphanKey } from '../../store/wallets/moduleKeys.ts';
import { findDrainingKeys, retireKeys } from '../../store/wallets/walletKeys.ts';
import type { Services } from '../call.ts';
import { readBalances } from '../contracts/readBalances.ts';

/** No transaction lasts nearly as long, so a key that was announced before it is used by none. */
const orphanMs = 600_000;

/** Destroys keys in the module whose wallet or rotation was never written down. */
export async function destroyOrphanKeys({
  store,
  hsm,
  now,
}: Pick<Services, 'store' | 'hsm' | 'now'>): Promise<number> {
  if (!hsm) return 0;
  for (let destroyed = 0; ; destroyed++) {
    const isDone = await store.transaction(async (tx) => {
      const key = await takeOrphanKey(tx, now() - orphanMs);
      if (key) await hsm.destroyKey(key);
      return key === undefined;
    });
    if (isDone) return destroyed;
  }
}

/** A former key whose address holds nothing any more is retired: it is kept, but no longer shown. */
export async function retireDrainedKeys({
  store,
  chains,
  now,
}: Pick<Services, 'store' | 'chains' | 'now'>): Promise<number> {
  const keys = await findDrainingKeys(store);
  const counts = await Promise.all(
    chainUids.map(async (uid) => {
      const own = keys.filter((key) => key.chainUid === uid);
      const client = own.length > 0 ? chains.client(uid) : undefined;
      if (!client) return 0;
      const { balances } = await readBalances(
        client,
        own.map((key) => key.address),
      );
      const empty = own.filter((_, n) => balances[n] === 0n);
      await retireKeys(
        store,
        empty.map((key) => key.id),
        now(),
      );
      return empty.length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
