import { existsSync } from 'node:fs';
import { ensureMasterKeyFile, parseMasterKey, readMasterKeyFile } from '../lib/masterKey.ts';
import type { Db } from '../store/db/db.ts';
import { hasDataKeys, type MasterKeys } from '../store/records/keyring.ts';
import type { Config } from './config/loadConfig.ts';

/** The master key of the environment, or that of the key file, which is created for a new database only. */
export async function masterKeys(
  { masterKey, masterKeyFile }: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  db: Db,
): Promise<MasterKeys> {
  if (masterKey) return () => [parseMasterKey(masterKey.reveal())];
  if (!existsSync(masterKeyFile)) {
    if (await hasDataKeys(db))
      throw new Error(
        `The master key ${masterKeyFile} is missing, and the secrets of this database are sealed under it. ` +
          'Put it back, or give it in VIGIL_MASTER_KEY or VIGIL_MASTER_KEY_FILE.',
      );
    ensureMasterKeyFile(masterKeyFile);
  }
  return () => readMasterKeyFile(masterKeyFile);
}
