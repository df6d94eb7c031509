import { loadConfig } from '../runtime/config/loadConfig.ts';
import { createLog } from '../runtime/createLog.ts';
import { openDatabaseBeside } from '../runtime/database.ts';
import { masterKeys } from '../runtime/masterKeys.ts';
import type { Store } from '../store/db.ts';
import { type Keyring, openKeyring } from '../store/keyring.ts';
import type { Connection } from '../store/openClient.ts';

/** Opens the configured database for one command; uses the bundled server of a running Vigil if there is one. */
export async function withStore(work: (store: Store, owner: Connection) => Promise<number>): Promise<number> {
  const config = loadConfig();
  const database = await openDatabaseBeside(
    config,
    createLog({ logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }),
  );
  try {
    return await work(database.store, database.owner);
  } finally {
    await database.close();
  }
}

/** The same with the keyring, whose keys also sign the audit log. */
export async function withKeyring(
  work: (store: Store, keyring: Keyring) => Promise<number>,
): Promise<number> {
  return withStore(async (store) =>
    work(store, await openKeyring(store, masterKeys(loadConfig()), Date.now())),
  );
}
