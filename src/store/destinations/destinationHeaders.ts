import { sql } from '../../lib/sql.ts';
import type { Db } from '../db.ts';

/** The caller has found the destination in its scope and locked it. */
export async function findSealedHeaders(db: Db, destinationId: number): Promise<Buffer | null> {
  const rows = await db.query<{ box: Buffer | null }>(
    sql`select sealed_headers as box from destination where id = ${destinationId}`,
  );
  return rows[0]?.box ?? null;
}

/** The same for the address of a MESSENGER_B webhook. */
export async function findSealedMessengerBUri(db: Db, destinationId: number): Promise<Buffer | null> {
  const rows = await db.query<{ box: Buffer | null }>(
    sql`select sealed_messenger_b_uri as box from destination where id = ${destinationId}`,
  );
  return rows[0]?.box ?? null;
}
