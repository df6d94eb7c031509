import { randomBytes } from 'node:crypto';
import type { AuditKeys } from '../lib/auditKey.ts';
import { readMasterKeyFile, writeMasterKeyFile } from '../lib/masterKey.ts';
import { messageOf } from '../lib/messageOf.ts';
import { loadConfig } from '../runtime/config/loadConfig.ts';
import { masterKeys } from '../runtime/masterKeys.ts';
import type { Db } from '../store/db/db.ts';
import { appendAudit } from '../store/records/audit.ts';
import { openKeyring, resealDataKeys, runRotationExclusively } from '../store/records/keyring.ts';
import { fileFault } from './fileFault.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { withStore } from './withStore.ts';

/**
 * Running processes have the data keys open and continue. While the data keys are resealed, the key file holds both master
 * keys, so that a process starting at any moment finds the one it needs.
 */
export async function rotateKey(options: CommandInput['options']): Promise<number> {
  const file = options['new-key-file'];
  if (loadConfig().masterKey && typeof file !== 'string')
    return refuse('VIGIL_MASTER_KEY is set: give the new key in --new-key-file.');
  const next = typeof file === 'string' ? readNewKey(file) : randomBytes(32);
  if (typeof next === 'string') return refuse(next);
  return withStore({ isNamed: true }, async (store, config) => {
    const old = await masterKeys(config, store);
    const count = await runRotationExclusively(store, async () => {
      // Audit chains that started without a key are bound to the present one before there is a newer one.
      await openKeyring(store, old, Date.now());
      const present = old();
      if (!config.masterKey) writeMasterKeyFile(config.masterKeyFile, [next, ...present]);
      const resealed = await resealDataKeys(store, () => [next, ...present], next, Date.now());
      if (!config.masterKey) writeMasterKeyFile(config.masterKeyFile, [next]);
      const { audit } = await openKeyring(store, () => [next], Date.now());
      await store.transaction((tx) => recordRotation(tx, audit));
      return resealed;
    });
    process.stdout.write(
      `${count} data keys are sealed under the new master key.\n` +
        (config.masterKey
          ? 'Set VIGIL_MASTER_KEY to the new key before the next start.\n'
          : `It is in ${config.masterKeyFile}.\n`),
    );
    return 0;
  });
}

/** The key in a file, or what is wrong with it. */
function readNewKey(file: string): Buffer | string {
  const unreadable = fileFault(file);
  if (unreadable !== undefined) return `--new-key-file: ${unreadable}`;
  try {
    return readMasterKeyFile(file)[0];
  } catch (error) {
    return `--new-key-file: ${file} has no key: ${messageOf(error)}`;
  }
}

async function recordRotation(tx: Db, keys: AuditKeys): Promise<void> {
  await appendAudit(tx, keys, {
    at: Date.now(),
    requestId: 'command line',
    tenantId: null,
    actor: { tokenId: null, tokenKind: 'COMMAND_LINE', userId: null },
    action: 'key.rotate',
    record: { kind: 'key', id: null },
    changes: { keyId: keys.newest().id },
  });
}
