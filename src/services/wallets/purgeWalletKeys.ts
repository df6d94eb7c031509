import { chainUids } from '../../chains/chains.ts';
import { claimOrphanKey } from '../../store/wallets/moduleKeys.ts';
import { findDrainingKeys, retireKeys } from '../../store/wallets/walletKeys.ts';
import type { Services } from '../call.ts';
import { readBalances } from '../contracts/readBalances.ts';

/** No transaction takes this long, so none uses a key that has been pending for longer. */
const orphanAgeMs = 600_000;

/** Destroys keys in the module whose wallet or rotation was never stored. */
export async function destroyOrphanKeys({
  store,
  hsm,
  now,
}: Pick<Services, 'store' | 'hsm' | 'now'>): Promise<number> {
  if (!hsm) return 0;
  for (let destroyed = 0; ; destroyed++) {
    const isDone = await store.transaction(async (tx) => {
      const key = await claimOrphanKey(tx, now() - orphanAgeMs);
      if (key) await hsm.destroyKey(key);
      return key === undefined;
    });
    if (isDone) return destroyed;
  }
}

/** Retires former keys whose address is empty: they stay, but are no longer shown. */
export async function retireDrainedKeys({
  store,
  chains,
  now,
}: Pick<Services, 'store' | 'chains' | 'now'>): Promise<number> {
  const keys = await findDrainingKeys(store);
  const counts = await Promise.all(
    chainUids.map(async (uid) => {
      const chainKeys = keys.filter((key) => key.chainUid === uid);
      const client = chainKeys.length > 0 ? chains.client(uid) : undefined;
      if (!client) return 0;
      const { balances } = await readBalances(
        client,
        chainKeys.map((key) => key.address),
      );
      const empty = chainKeys.filter((_, n) => balances[n] === 0n);
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
