import { createTestDatabase } from './createTestDatabase.ts';

const databases = new Map<string, Awaited<ReturnType<typeof createTestDatabase>>>();

/** The database that a data folder has on the server of VIGIL_TEST_DATABASE_URL; undefined where that names none, or it has none. */
export const outsideDatabaseOf = (dataDir: string) => databases.get(dataDir);

/** Makes one for a data folder that has none yet. */
export async function giveOutsideDatabase(dataDir: string): Promise<void> {
  if (!process.env.VIGIL_TEST_DATABASE_URL || databases.has(dataDir)) return;
  databases.set(dataDir, await createTestDatabase('migrated'));
}

export async function dropOutsideDatabase(dataDir: string): Promise<void> {
  await databases.get(dataDir)?.drop();
  databases.delete(dataDir);
}
