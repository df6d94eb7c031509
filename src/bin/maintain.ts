import { loadConfig } from '../runtime/config/loadConfig.ts';
import { createLog } from '../runtime/createLog.ts';
import { openDatabaseBeside } from '../runtime/database.ts';
import { masterKeys } from '../runtime/masterKeys.ts';
import { verifyRollups } from '../store/alerts/rollups.ts';
import type { Store } from '../store/db.ts';
import { type Keyring, openKeyring } from '../store/keyring.ts';

/** Opening the database migrates it. */
export async function migrateDatabase(): Promise<number> {
  return withStore(async () => {
    process.stdout.write('The database is up to date.\n');
    return 0;
  });
}

export async function verifyAlertRollups(): Promise<number> {
  return withStore(async (store) => {
    const faults = await verifyRollups(store);
    for (const { tenantId, contractId, widthMs, start, group, numericSeverity, counted, stored } of faults) {
      const whose = contractId === 0 ? `all contracts of tenant ${tenantId}` : `contract ${contractId}`;
      process.stdout.write(
        `Wrong: ${whose}, ${widthMs / 60_000} minutes from ${new Date(start).toISOString()}, ${group}, ` +
          `severity ${numericSeverity}: ${stored} stored, ${counted} counted.\n`,
      );
    }
    if (faults.length > 0) return 1;
    process.stdout.write('The roll-ups agree with the alerts.\n');
    return 0;
  });
}

/** Opens the configured database for one command; a running Vigil's bundled server is used along with it. */
export async function withStore(work: (store: Store) => Promise<number>): Promise<number> {
  const config = loadConfig();
  const database = await openDatabaseBeside(
    config,
    createLog({ logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }),
  );
  try {
    return await work(database.store);
  } finally {
    await database.close();
  }
}

/** The same with the keys of what is sealed, which also key the audit log. */
export async function withKeyring(
  work: (store: Store, keyring: Keyring) => Promise<number>,
): Promise<number> {
  return withStore(async (store) =>
    work(store, await openKeyring(store, masterKeys(loadConfig()), Date.now())),
  );
}
