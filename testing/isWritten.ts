import { findTenantsOfChain, findWaitingGroups } from '../src/store/alerts/groupWrites.ts';
import { awaitPrepared } from '../src/store/citus/awaitPrepared.ts';
import type { Store } from '../src/store/db.ts';

/** Whether the workers of Citus have all alerts of a chain, which they get after its cursor has moved. */
export async function isWritten(store: Store, chainUid: string): Promise<boolean> {
  if (!(await store.isDistributed())) return true;
  if ((await findWaitingGroups(store, chainUid)).size > 0) return false;
  await awaitPrepared(store, await findTenantsOfChain(store, chainUid));
  return true;
}
