import { findTenantsOfChain, findWaitingGroups } from '../src/store/alerts/groupWrites.ts';
import type { Store } from '../src/store/db/db.ts';
import type { Connection } from '../src/store/db/openClient.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { awaitPrepared } from '../src/store/db/shards/awaitPrepared.ts';
import { until } from './until.ts';

/** Whether the workers of Citus have all alerts of a chain, which they get after its cursor has moved. */
export async function isWritten(store: Store, chainUid: string): Promise<boolean> {
  if (!(await store.isDistributed())) return true;
  if ((await findWaitingGroups(store, chainUid)).size > 0) return false;
  await awaitPrepared(store, await findTenantsOfChain(store, chainUid));
  return true;
}

/** Waits for it in the database of a process of its own. */
export async function untilWritten(config: Connection, chainUid: string): Promise<void> {
  const store = openStore(config, () => {});
  try {
    await until(() => isWritten(store, chainUid));
  } finally {
    await store.close();
  }
}
