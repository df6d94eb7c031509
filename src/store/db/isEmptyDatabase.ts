import { type Connection, openClient } from './openClient.ts';

/** True if no migration was ever applied; changes nothing. */
export async function isEmptyDatabase(config: Connection): Promise<boolean> {
  const client = openClient(config);
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ isEmpty: boolean }>(
      `select to_regclass('migration') is null as "isEmpty"`,
    );
    return rows[0]?.isEmpty === true;
  } finally {
    await client.end();
  }
}
