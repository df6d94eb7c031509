import { ensureMasterKeyFile, parseMasterKey, readMasterKeyFile } from '../lib/masterKey.ts';
import type { MasterKeys } from '../store/keyring.ts';
import type { Config } from './config/loadConfig.ts';

/** The master key of the environment, or that of the key file, which the first start creates. */
export function masterKeys({ masterKey, masterKeyFile }: Config): MasterKeys {
  if (masterKey) return () => [parseMasterKey(masterKey.reveal())];
  ensureMasterKeyFile(masterKeyFile);
  return () => readMasterKeyFile(masterKeyFile);
}
