import { renderCached, type Sql } from '../../lib/sql.ts';
import { needsCoordinator } from './citus/bindCoordinators.ts';
import type { Db } from './db.ts';

/**
 * Runs a prepared statement without awaiting it. A transaction sends the next at once, so locks are held no longer than
 * needed; it fails as a whole if a statement does.
 */
export async function sendLater(db: Db, statement: Sql): Promise<void> {
  // With distributed alerts the coordinator may be asked for values first, and a later statement could overtake.
  if (!db.keepUnawaited || needsCoordinator(renderCached(statement).text)) await db.prepared(statement);
  else db.keepUnawaited(db.prepared(statement));
}
