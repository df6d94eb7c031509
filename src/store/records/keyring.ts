import { createHash, randomBytes } from 'node:crypto';
import { type AuditKey, deriveAuditKey } from '../../lib/auditKey.ts';
import { getOrThrow } from '../../lib/getOrThrow.ts';
import { seal, unseal } from '../../lib/seal.ts';
import { sql } from '../../lib/sql.ts';
import type { Keyring, SecretOwner } from '../../model/keyring.ts';
import { type Db, onlyRow, type Store } from '../db/db.ts';
import { keyAuditChains } from './keyAuditChains.ts';

/** The newest master key comes first; while it is being rotated there are two. */
export type MasterKeys = () => readonly [Buffer, ...Buffer[]];

const headerBytes = 4;

/**
 * Secrets are sealed under data keys, and data keys under the master key. Open data keys stay in memory, so the master
 * key can rotate meanwhile; new ones are loaded on demand.
 */
export async function openKeyring(store: Store, masterKeys: MasterKeys, now: number): Promise<Keyring> {
  const keys = new Map<number, Buffer>();
  const auditKeys = new Map<number, AuditKey>();
  await store.transaction(async (tx) => {
    await tx.query(sql`lock table data_key in share row exclusive mode`);
    const rows = await tx.query<{ id: number }>(sql`select id from data_key where keys_audit limit 1`);
    if (rows.length > 0) return;
    // Once in the life of a database: deleting this key also loses the secrets that are sealed under it.
    const { id, key } = await createDataKey(tx, masterKeys()[0], now);
    await keyAuditChains(tx, deriveAuditKey(id, key), now);
  });
  await load();

  async function load(): Promise<void> {
    // A rotation may happen between reading the data keys and the master key.
    await loadOnce().catch(loadOnce);
  }

  async function loadOnce(): Promise<void> {
    for (const row of await readDataKeys(store)) {
      if (keys.has(row.id)) continue;
      const key = openDataKey(row, masterKeys());
      keys.set(row.id, key);
      if (row.keysAudit) auditKeys.set(row.id, deriveAuditKey(row.id, key));
    }
  }

  async function unsealBytes(owner: SecretOwner, box: Buffer): Promise<Buffer> {
    const id = box.readUInt32BE(0);
    if (!keys.has(id)) await load();
    const key = keys.get(id);
    if (!key) throw new Error(`No data key ${id} for a secret of ${owner.kind} ${owner.id}.`);
    return unseal(key, box.subarray(headerBytes), toContext(owner));
  }

  return {
    seal(owner, plain) {
      const newest = Math.max(...keys.keys());
      const header = Buffer.alloc(headerBytes);
      header.writeUInt32BE(newest);
      return Buffer.concat([header, seal(getOrThrow(keys, newest), Buffer.from(plain), toContext(owner))]);
    },
    unseal: async (owner, box) => (await unsealBytes(owner, box)).toString(),
    unsealBytes,
    audit: {
      newest: () => getOrThrow(auditKeys, Math.max(...auditKeys.keys())),
      async find(id) {
        if (!auditKeys.has(id)) await load();
        return auditKeys.get(id);
      },
    },
  };
}

/** True if a master key has been used: a database without data keys is new. */
export async function hasDataKeys(db: Db): Promise<boolean> {
  return (await db.query(sql`select from data_key limit 1`)).length > 0;
}

/** An arbitrary advisory lock id. */
const rotationLock = 7_305_114;

/** One rotation at a time over all processes: two at once would each drop the other's new key. */
export async function runRotationExclusively<T>(store: Store, rotate: () => Promise<T>): Promise<T> {
  return store.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${rotationLock})`);
    return rotate();
  });
}

/** Seals every data key under the new master key, and adds a new one for future secrets. */
export async function resealDataKeys(
  store: Store,
  old: MasterKeys,
  next: Buffer,
  now: number,
): Promise<number> {
  return store.transaction(async (tx) => {
    await tx.query(sql`lock table data_key in share row exclusive mode`);
    const rows = await readDataKeys(tx);
    for (const row of rows) {
      const sealed = seal(next, openDataKey(row, old()), dataKeyContext(row));
      await tx.query(
        sql`update data_key set sealed = ${sealed}, master_key_id = ${masterKeyId(next)} where id = ${row.id}`,
      );
    }
    await createDataKey(tx, next, now);
    return rows.length + 1;
  });
}

type DataKeyRow = { id: number; masterKeyId: string; keysAudit: boolean; sealed: Buffer };

async function readDataKeys(db: Db): Promise<DataKeyRow[]> {
  return db.query<DataKeyRow>(
    sql`select id, master_key_id as "masterKeyId", keys_audit as "keysAudit", sealed from data_key order by id`,
  );
}

async function createDataKey(tx: Db, master: Buffer, now: number): Promise<{ id: number; key: Buffer }> {
  const rows = await tx.query<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence('data_key', 'id'))::int as id`,
  );
  const id = onlyRow(rows).id;
  const key = randomBytes(32);
  const sealed = seal(master, key, dataKeyContext({ id, keysAudit: true }));
  await tx.query(
    sql`insert into data_key (id, created_at, master_key_id, keys_audit, sealed)
      values (${id}, ${now}, ${masterKeyId(master)}, true, ${sealed})`,
  );
  return { id, key };
}

function openDataKey(row: DataKeyRow, masters: readonly Buffer[]): Buffer {
  const master = masters.find((key) => masterKeyId(key) === row.masterKeyId);
  if (!master) {
    throw new Error(
      'The master key does not fit this database: its secrets were sealed under another one. ' +
        'Give the right key in VIGIL_MASTER_KEY or VIGIL_MASTER_KEY_FILE.',
    );
  }
  return unseal(master, row.sealed, dataKeyContext(row));
}

/** Identifies a master key without revealing anything about it. */
function masterKeyId(key: Buffer): string {
  return createHash('sha256').update('vigil master key').update(key).digest('hex').slice(0, 16);
}

function dataKeyContext({ id, keysAudit }: Pick<DataKeyRow, 'id' | 'keysAudit'>): string {
  return keysAudit ? `vigil data key ${id} that keys the audit log` : `vigil data key ${id}`;
}

function toContext(owner: SecretOwner): string {
  return JSON.stringify([owner.tenantId, owner.kind, owner.id, owner.member]);
}
