import { empty, sql } from '../../lib/sql.ts';
import { isUuid } from '../../lib/uid.ts';
import type { Keyring } from '../../model/keyring.ts';
import { type Db, onlyRow } from '../db/db.ts';

export const endpointStatuses = ['ACTIVE', 'DISABLED'] as const;

export type ChainEndpoint = {
  id: number;
  uid: string;
  chainUid: string;
  name: string | null;
  /** Without what may be an access key. */
  shownUrl: string;
  status: (typeof endpointStatuses)[number];
  createdAt: number;
  updatedAt: number;
};

type Sealed = ChainEndpoint & { sealedUrl: Buffer };

const columns = sql`id, uid::text, chain_uid as "chainUid", name, shown_url as "shownUrl", status,
  created_at as "createdAt", updated_at as "updatedAt"`;

/** The stored endpoints of one chain, or of all, oldest first. */
export async function findEndpoints(db: Db, chainUid?: string): Promise<Sealed[]> {
  return db.query<Sealed>(
    sql`select ${columns}, sealed_url as "sealedUrl" from chain_endpoint
      ${chainUid === undefined ? empty : sql`where chain_uid = ${chainUid}`} order by id`,
  );
}

export async function findEndpoint(db: Db, chainUid: string, uid: string): Promise<Sealed | undefined> {
  if (!isUuid(uid)) return undefined;
  const rows = await db.query<Sealed>(
    sql`select ${columns}, sealed_url as "sealedUrl" from chain_endpoint
      where uid = ${uid}::uuid and chain_uid = ${chainUid}`,
  );
  return rows[0];
}

/** One change at a time, so that no endpoint is added twice. Readers do not wait. */
export async function lockEndpoints(tx: Db): Promise<void> {
  await tx.query(sql`lock table chain_endpoint in share row exclusive mode`);
}

type Written = Pick<ChainEndpoint, 'uid' | 'chainUid' | 'name' | 'shownUrl' | 'status'> & {
  sealedUrl: Buffer;
};

export async function insertEndpoint(tx: Db, row: Written, now: number): Promise<ChainEndpoint> {
  const rows = await tx.query<ChainEndpoint>(
    sql`insert into chain_endpoint (uid, chain_uid, name, shown_url, sealed_url, status, created_at, updated_at)
      values (${row.uid}::uuid, ${row.chainUid}, ${row.name}, ${row.shownUrl}, ${row.sealedUrl}, ${row.status},
        ${now}, ${now}) returning ${columns}`,
  );
  await notifyChange(tx);
  return onlyRow(rows);
}

export async function updateEndpoint(tx: Db, row: Written, now: number): Promise<ChainEndpoint> {
  const rows = await tx.query<ChainEndpoint>(
    sql`update chain_endpoint set name = ${row.name}, shown_url = ${row.shownUrl}, sealed_url = ${row.sealedUrl},
        status = ${row.status}, updated_at = ${now}
      where uid = ${row.uid}::uuid returning ${columns}`,
  );
  await notifyChange(tx);
  return onlyRow(rows);
}

export async function deleteEndpoint(tx: Db, uid: string): Promise<void> {
  await tx.query(sql`delete from chain_endpoint where uid = ${uid}::uuid`);
  await notifyChange(tx);
}

/** Every process reads the endpoints again once the change is committed. */
async function notifyChange(tx: Db): Promise<void> {
  await tx.query(sql`select pg_notify('vigil_chain', '')`);
}

export function sealUrl(keyring: Keyring, uid: string, url: string): Buffer {
  return keyring.seal(placeOf(uid), url);
}

export async function openUrl(
  keyring: Keyring,
  { uid, sealedUrl }: Pick<Sealed, 'uid' | 'sealedUrl'>,
): Promise<string> {
  return keyring.unseal(placeOf(uid), sealedUrl);
}

function placeOf(uid: string) {
  return { tenantId: null, kind: 'chain-endpoint', id: uid, member: 'url' };
}
