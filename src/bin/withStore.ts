import type { Keyring } from '../model/keyring.ts';
import type { Config } from '../runtime/config/loadConfig.ts';
import { createLog } from '../runtime/createLog.ts';
import { openDatabaseBeside } from '../runtime/database.ts';
import { masterKeys } from '../runtime/masterKeys.ts';
import type { Store } from '../store/db/db.ts';
import type { Connection } from '../store/db/openClient.ts';
import { openKeyring } from '../store/records/keyring.ts';
import { choosePlace } from './choosePlace.ts';

type Opening = {
  /** Prints which database it is: for commands that change or attest something. */
  isNamed: boolean;
  mayCreate?: boolean;
};

/** Opens the database for one command; uses the bundled server of a running Vigil if there is one. */
export async function withStore(
  { isNamed, mayCreate = false }: Opening,
  work: (store: Store, config: Config, owner: Connection) => Promise<number>,
): Promise<number> {
  const config = await choosePlace({ isNamed });
  const log = createLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel });
  const database = await openDatabaseBeside(config, log, mayCreate);
  try {
    return await work(database.store, config, database.owner);
  } finally {
    await database.close();
  }
}

/** The same with the keyring, whose keys also sign the audit log. */
export async function withKeyring(
  opening: Opening,
  work: (store: Store, keyring: Keyring, config: Config) => Promise<number>,
): Promise<number> {
  return withStore(opening, async (store, config) =>
    work(store, await openKeyring(store, await masterKeys(config, store), Date.now()), config),
  );
}
