import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { onMaintenanceDatabase } from './createTestDatabase.ts';

/** Settings that decide what a first start writes. */
const ownFirstStart = ['DATABASE_URL', 'VIGIL_MASTER_KEY', 'VIGIL_MASTER_KEY_FILE', 'VIGIL_ADMIN_TOKEN'];

/**
 * Puts a data folder as a first start leaves it at `dataDir`, unless something is there. One start per run makes it: a cluster and
 * all migrations cost two seconds of processor, a copy a tenth of one.
 */
export async function copyDataFolder(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  makeFirst: (dataDir: string) => Promise<void>,
): Promise<void> {
  if (existsSync(dataDir) || ownFirstStart.some((name) => name in env)) return;
  const source = inject('dataFolder');
  if (!existsSync(source))
    await onMaintenanceDatabase(async (client) => {
      // Other workers wait here.
      await client.query(`select pg_advisory_lock(hashtext('vigil test data folder'))`);
      if (existsSync(source)) return;
      const draft = `${source}.${randomUUID()}`;
      await makeFirst(draft);
      await rename(draft, source);
    });
  // Where PostgreSQL's account cannot enter the folder, the cluster lies elsewhere.
  if (existsSync(join(source, 'postgres-location'))) return;
  await promisify(execFile)('cp', ['-Rp', source, dataDir]);
}
