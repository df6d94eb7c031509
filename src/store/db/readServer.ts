import { sql } from '../../lib/sql.ts';
import { onlyRow, type Store } from './db.ts';

/** The release of the server, such as 18.4. */
export async function readServer(store: Pick<Store, 'query'>): Promise<{ release: string }> {
  return onlyRow(
    await store.query<{ release: string }>(
      sql`select split_part(current_setting('server_version'), ' ', 1) as release`,
    ),
  );
}
