import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import type { Keyring } from '../../src/model/keyring.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { openKeyring, resealDataKeys } from '../../src/store/records/keyring.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';

const place = { tenantId: 1, kind: 'wallet', id: 7, member: 'privateKey' };
const secret = 'ab'.repeat(32);

describe('the keyring', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;
  let keyring: Keyring;
  let master = randomBytes(32);
  beforeAll(async () => {
    database = await createTestDatabase('migrated');
    store = openStore(database.config, () => {});
    keyring = await openKeyring(store, () => [master], 0);
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('opens a box in its own place and in no other', async () => {
    const box = keyring.seal(place, secret);
    expect(await keyring.unseal(place, box)).toBe(secret);
    for (const moved of [
      { ...place, tenantId: 2 },
      { ...place, tenantId: null },
      { ...place, id: 8 },
      { ...place, id: '7' },
      { ...place, kind: 'destination' },
      { ...place, member: 'headers' },
    ]) {
      await expect(keyring.unseal(moved, box), JSON.stringify(moved)).rejects.toThrow();
    }
  });

  it('refuses a box after every one of 2,000 random flips', async () => {
    const random = createRandom('flips in a sealed value');
    let refused = 0;
    for (let i = 0; i < 2000; i++) {
      const box = keyring.seal(place, `${secret}${i}`);
      for (let flips = 1 + random.below(3); flips > 0; flips--)
        box[random.below(box.length)]! ^= 1 << random.below(8);
      const opened = await keyring.unseal(place, box).catch(() => undefined);
      if (opened === undefined) refused += 1;
      // Two flips of the same bit leave the box as it was.
      else expect(opened).toBe(`${secret}${i}`);
    }
    expect(refused).toBeGreaterThan(1990);
  });

  it('keeps data keys sealed, and refuses one that was changed', async () => {
    const rows = await store.query<{ sealed: Buffer }>(sql`select sealed from data_key`);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed.length).toBe(12 + 32 + 16);
    const changed = Buffer.from(rows[0]!.sealed);
    changed[20]! ^= 1;
    await store.query(sql`update data_key set sealed = ${changed}`);
    await expect(openKeyring(store, () => [master], 0)).rejects.toThrow();
    await store.query(sql`update data_key set sealed = ${rows[0]!.sealed}`);
  });

  it('opens old and new boxes after a rotation, in a process that went on and in one that started after it', async () => {
    const old = keyring.seal(place, 'old');
    const next = randomBytes(32);
    const before = master;
    expect(await resealDataKeys(store, () => [master], next, 0)).toBe(2);
    master = next;
    expect(await keyring.unseal(place, old)).toBe('old');
    const later = await openKeyring(store, () => [next], 0);
    const fresh = later.seal(place, 'fresh');
    expect(fresh.readUInt32BE(0)).not.toBe(old.readUInt32BE(0));
    expect(await later.unseal(place, old)).toBe('old');
    expect(await keyring.unseal(place, fresh)).toBe('fresh');
    await expect(openKeyring(store, () => [before], 0)).rejects.toThrow(
      'The master key does not fit this database',
    );
  });

  it('makes one data key, however many processes start at once', async () => {
    const other = await createTestDatabase('migrated');
    const own = openStore(other.config, () => {});
    const rings = await Promise.all(Array.from({ length: 8 }, () => openKeyring(own, () => [master], 0)));
    expect(await own.query(sql`select id from data_key`)).toHaveLength(1);
    const box = rings[0]!.seal(place, secret);
    for (const ring of rings) expect(await ring.unseal(place, box)).toBe(secret);
    await own.close();
    await other.drop();
  });
});
