import { renderCached, type Sql } from '../../lib/sql.ts';
import { needsCoordinator } from './citus/bindCoordinators.ts';
import type { Db } from './db.ts';

/**
 * Runs a prepared statement of whose rows nothing is needed. A transaction sends the next one at once, so that what these have
 * locked is held for no longer than they take; it fails as a whole if one of them does.
 */
export async function sendLater(db: Db, statement: Sql): Promise<void> {
  // Where alerts are distributed, the coordinator may be asked for values first, and a later statement could overtake it.
  if (!db.keepUnawaited || needsCoordinator(renderCached(statement).text)) await db.prepared(statement);
  else db.keepUnawaited(db.prepared(statement));
}
