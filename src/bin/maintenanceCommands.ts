import { distribute } from '../store/db/shards/distribute.ts';
import { verifyRollups } from '../store/search/rollups/rollups.ts';
import type { CommandInput } from './parseCommand.ts';
import { withStore } from './withStore.ts';

/** Opening the database migrates it. */
export async function migrateDatabase(options: CommandInput['options']): Promise<number> {
  return withStore({ isNamed: true, mayCreate: true }, async (_store, _config, owner) => {
    process.stdout.write('The database is up to date.\n');
    if (options.citus === true)
      await distribute(owner, (line) => process.stdout.write(`${line}\n`), shardsOf(options.shards));
    return 0;
  });
}

function shardsOf(text: unknown): number | undefined {
  return typeof text === 'string' ? Number(text) : undefined;
}

export async function verifyAlertRollups(): Promise<number> {
  return withStore({ isNamed: true }, async (store) => {
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
