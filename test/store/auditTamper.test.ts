import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deriveAuditKey } from '../../src/lib/auditKey.ts';
import { raw, sql } from '../../src/lib/sql.ts';
import type { Keyring } from '../../src/model/keyring.ts';
import { everything } from '../../src/model/principal.ts';
import type { Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { appendAudit } from '../../src/store/records/audit.ts';
import {
  createCheckpoint,
  readCheckpoint,
  type SignedCheckpoint,
} from '../../src/store/records/auditCheckpoint.ts';
import { openKeyring, resealDataKeys } from '../../src/store/records/keyring.ts';
import { verifyAudit } from '../../src/store/records/verifyAudit.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import type { Json } from '../../testing/startTestApi.ts';

/** Entries of each chain: the platform's and those of two tenants. */
const lengths = new Map([
  [0, 5],
  [1, 12],
  [2, 8],
]);

describe('verifyAudit', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;
  let keyring: Keyring;
  let checkpoint: SignedCheckpoint;
  const master = randomBytes(32);
  const run = (text: string) => store.query(raw(text));

  beforeAll(async () => {
    database = await createTestDatabase('migrated');
    store = openStore(database.config, () => {});
    keyring = await openKeyring(store, () => [master], 0);
    for (const [chain, length] of lengths)
      for (let i = 1; i <= length; i++)
        await store.transaction((tx) => appendAudit(tx, keyring.audit, entry(chain, i)));
    checkpoint = await createCheckpoint(store, keyring.audit, everything, 1_700_000_001_000);
    // What a superuser can do to go behind the log's back.
    await run('alter table audit_entry disable trigger all');
    await run('create table kept_entry as table audit_entry');
    await run('create table kept_head as table audit_head');
  });
  beforeEach(async () => {
    await run('truncate audit_entry, audit_head');
    await run('insert into audit_entry table kept_entry');
    await run('insert into audit_head table kept_head');
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('finds nothing in a log that no one touched', async () => {
    expect(await verifyAudit(store, keyring.audit)).toEqual({ entries: 25, chains: 3, faults: [] });
  });

  it.each([
    [
      'a deleted entry',
      'delete from audit_entry where chain = 1 and seq = 7',
      [[1, 7, 'the entry is missing']],
    ],
    [
      'a deleted first entry',
      'delete from audit_entry where chain = 2 and seq = 1',
      [[2, 1, 'the entry is missing']],
    ],
    [
      'cut off entries',
      'delete from audit_entry where chain = 1 and seq > 9',
      [[1, 10, 'entries up to 12 are missing']],
    ],
    [
      'an emptied table',
      'truncate audit_entry',
      [
        [0, 1, 'entries up to 5 are missing'],
        [1, 1, 'entries up to 12 are missing'],
        [2, 1, 'entries up to 8 are missing'],
      ],
    ],
    [
      'two entries in the other order',
      `update audit_entry set seq = case seq when 4 then -5 else -4 end where chain = 1 and seq in (4, 5);
       update audit_entry set seq = -seq where seq < 0`,
      [[1, 4, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'an entry with a hash of its own',
      `update audit_entry set entry = replace(entry, 'note 3', 'note 9') where chain = 2 and seq = 3;
       update audit_entry set hash = sha256((select hash from audit_entry where chain = 2 and seq = 2) || convert_to(entry, 'UTF8'))
         where chain = 2 and seq = 3`,
      [[2, 3, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'a last entry that is rewritten with its hash',
      `update audit_entry set entry = replace(entry, 'note', 'lie') where chain = 2 and seq = 8;
       update audit_entry set hash = sha256((select hash from audit_entry where chain = 2 and seq = 7) || convert_to(entry, 'UTF8'))
         where chain = 2 and seq = 8`,
      [[2, 8, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'an entry put in between',
      `update audit_entry set seq = seq + 101 where chain = 1 and seq >= 6;
       update audit_entry set seq = seq - 100 where chain = 1 and seq > 100;
       insert into audit_entry select chain, 6, hash, entry, at, action, record_kind, record_id, key_id from audit_entry where chain = 1 and seq = 5`,
      [[1, 6, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'an entry appended without the head',
      `insert into audit_entry select chain, 9, sha256(hash || convert_to(entry, 'UTF8')), entry, at, action, record_kind, record_id, key_id
         from audit_entry where chain = 2 and seq = 8`,
      [[2, 9, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'an entry moved to another tenant',
      `update audit_entry set chain = 2, seq = 9 where chain = 1 and seq = 12`,
      [
        [1, 12, 'entries up to 12 are missing'],
        [2, 9, 'the hash does not follow from the entry and the one before it'],
      ],
    ],
    [
      'a column that differs from its entry',
      'update audit_entry set record_id = 77 where chain = 1 and seq = 2',
      [[1, 2, 'a column differs from the entry']],
    ],
    [
      'another time',
      'update audit_entry set at = at + 1 where chain = 1 and seq = 3',
      [[1, 3, 'a column differs from the entry']],
    ],
    [
      'an entry whose key is taken away',
      `update audit_entry set key_id = null where chain = 1 and seq = 5`,
      [[1, 5, 'the entry is not keyed, although the one before it is']],
    ],
    [
      'an entry under a key that is not there',
      `update audit_entry set key_id = 99 where chain = 1 and seq = 5`,
      [[1, 5, 'there is no key 99']],
    ],
    [
      'a head with another hash',
      `update audit_head set hash = sha256(hash) where chain = 1`,
      [[1, 12, 'the head of the chain has another hash']],
    ],
    ['a chain without its head', 'delete from audit_head where chain = 2', [[2, 1, 'the chain has no head']]],
    [
      'a head put back',
      `update audit_head set seq = 11 where chain = 1`,
      [[1, 12, 'the entry is beyond the head of the chain']],
    ],
  ])('names the first broken link of %s', async (_, statements, expected) => {
    for (const statement of statements.split(';')) await run(statement);
    const { faults } = await verifyAudit(store, keyring.audit);
    expect(faults.map(({ chain, seq, reason }) => [chain, seq, reason])).toEqual(expected);
  });

  it('finds a chain that was recomputed without the key', async () => {
    await run(
      `update audit_entry set entry = replace(entry, 'note 3', 'note 9') where chain = 2 and seq = 3`,
    );
    await run(recomputeWithoutKey(2, 'key_id'));
    expect((await verifyAudit(store, keyring.audit)).faults).toEqual([
      { chain: 2, seq: 1, reason: 'the hash does not follow from the entry and the one before it' },
    ]);
    await run(recomputeWithoutKey(2, 'null'));
    expect((await verifyAudit(store, keyring.audit)).faults).toEqual([
      { chain: 2, seq: 8, reason: 'the chain ends without a keyed entry' },
    ]);
  });

  it('finds entries that were cut off together with the head, and a chain that is gone, by the checkpoint', async () => {
    const kept = await readCheckpoint(keyring.audit, checkpoint);
    expect((await verifyAudit(store, keyring.audit, kept)).faults).toEqual([]);
    await run('delete from audit_entry where (chain = 1 and seq > 9) or chain = 2');
    await run('delete from audit_head where chain = 2');
    await run(
      'update audit_head set seq = 9, hash = (select hash from audit_entry where chain = 1 and seq = 9) where chain = 1',
    );
    expect((await verifyAudit(store, keyring.audit)).faults).toEqual([]);
    expect((await verifyAudit(store, keyring.audit, kept)).faults).toEqual([
      { chain: 1, seq: 10, reason: 'entries up to 12 of the checkpoint are missing' },
      { chain: 2, seq: 1, reason: 'the whole chain is missing; the checkpoint has 8 entries' },
    ]);
    // Whoever has the key could fill the gap, but not with the same entries.
    for (let i = 20; i < 24; i++)
      await store.transaction((tx) => appendAudit(tx, keyring.audit, entry(1, i)));
    expect((await verifyAudit(store, keyring.audit, kept)).faults[0]).toEqual({
      chain: 1,
      seq: 12,
      reason: 'the entry is another one than in the checkpoint',
    });
  });

  it('signs checkpoints that outsiders can check and no one else can make', async () => {
    const { payload, publicKey, signature } = checkpoint;
    const isRight = (text: string) =>
      verify(null, Buffer.from(text), createPublicKey(publicKey), Buffer.from(signature, 'base64'));
    expect([isRight(payload), isRight(payload.replace('"seq":12', '"seq":11'))]).toEqual([true, false]);
    expect(JSON.parse(payload).chains.map((chain: Json) => [chain.tenantId, chain.seq])).toEqual([
      [null, 5],
      [1, 12],
      [2, 8],
    ]);
    const changed = { payload: payload.replace('"seq":12', '"seq":11'), signature };
    expect(await readCheckpoint(keyring.audit, changed)).toBeUndefined();
    const other = await createCheckpoint(store, stranger, everything, 0);
    expect(await readCheckpoint(keyring.audit, other)).toBeUndefined();
  });

  it('names the entry of every one of 400 random bytes that are flipped', async () => {
    const random = createRandom('audit bytes');
    for (let flip = 0; flip < 400; flip++) {
      const chain = random.pick([...lengths.keys()]);
      const seq = 1 + random.below(lengths.get(chain)!);
      const [row] = await store.query<{ hash: Buffer; entry: string }>(
        sql`select hash, entry from audit_entry where chain = ${chain} and seq = ${seq}`,
      );
      const bytes = random.chance(0.3) ? Buffer.from(row!.hash) : Buffer.from(row!.entry);
      const isHash = bytes.length === 32;
      const at = random.below(bytes.length);
      // Text has to stay ASCII without NUL, or PostgreSQL itself would refuse it.
      do bytes[at] = isHash ? bytes[at]! ^ (1 << random.below(8)) : 32 + random.below(95);
      while (bytes.equals(isHash ? row!.hash : Buffer.from(row!.entry)));
      const change = isHash ? sql`hash = ${bytes}` : sql`entry = ${bytes.toString()}`;
      const place = sql`where chain = ${chain} and seq = ${seq}`;
      await store.query(sql`update audit_entry set ${change} ${place}`);
      const { faults } = await verifyAudit(store, keyring.audit);
      expect(
        faults.map((fault) => [fault.chain, fault.seq]),
        `byte ${at} of ${chain}/${seq}`,
      ).toEqual([[chain, seq]]);
      await store.query(sql`update audit_entry set hash = ${row!.hash}, entry = ${row!.entry} ${place}`);
    }
    expect((await verifyAudit(store, keyring.audit)).faults).toEqual([]);
  });

  it('finds nothing while entries are being appended', async () => {
    const load = { isOver: false };
    const appending = Promise.all(
      [0, 1, 2].map(async (chain) => {
        for (let i = 100; !load.isOver; i++)
          await store.transaction((tx) => appendAudit(tx, keyring.audit, entry(chain, i)));
      }),
    );
    const faults = [];
    for (let i = 0; i < 30; i++) faults.push(...(await verifyAudit(store, keyring.audit)).faults);
    load.isOver = true;
    await appending;
    expect(faults).toEqual([]);
    expect((await verifyAudit(store, keyring.audit)).entries).toBeGreaterThan(40);
  });
});

const stranger = { newest: () => deriveAuditKey(1, randomBytes(32)) };

/** What a superuser without the key can do: every hash and the head anew, by SHA-256. */
function recomputeWithoutKey(chain: number, keyId: 'key_id' | 'null'): string {
  return `do $$ declare link record; last bytea := decode(repeat('00', 32), 'hex'); begin
    for link in select * from audit_entry where chain = ${chain} order by seq loop
      last := sha256(last || convert_to(link.entry, 'UTF8'));
      update audit_entry set hash = last, key_id = ${keyId} where chain = ${chain} and seq = link.seq;
    end loop;
    update audit_head set hash = last where chain = ${chain};
  end $$`;
}

function entry(chain: number, i: number) {
  return {
    at: 1_700_000_000_000 + i,
    requestId: `request-${i}`,
    tenantId: chain === 0 ? null : chain,
    actor: { tokenId: 1, tokenKind: 'ADMIN', userId: null },
    action: 'project.update',
    record: { kind: 'project', id: i },
    changes: { description: { before: null, after: `note ${i}` } },
  };
}

describe('a log from before there were keys', () => {
  it('goes on keyed, and what stood there is bound', async () => {
    const database = await createTestDatabase('migrated');
    const store = openStore(database.config, () => {});
    const master = randomBytes(32);
    try {
      const old = await openKeyring(store, () => [master], 0);
      for (let i = 1; i <= 3; i++) await store.transaction((tx) => appendAudit(tx, old.audit, entry(1, i)));
      await store.query(raw('alter table audit_entry disable trigger all'));
      await store.query(raw(recomputeWithoutKey(1, 'null')));
      await store.query(raw('delete from data_key'));

      const keyring = await openKeyring(store, () => [master], 5);
      expect(await verifyAudit(store, keyring.audit)).toEqual({ entries: 4, chains: 1, faults: [] });
      await openKeyring(store, () => [master], 6);
      await store.transaction((tx) => appendAudit(tx, keyring.audit, entry(1, 9)));
      // Rotated meanwhile: entries under the former key stay checkable.
      const next = randomBytes(32);
      await resealDataKeys(store, () => [master], next, 7);
      const rotated = await openKeyring(store, () => [next], 8);
      await store.transaction((tx) => appendAudit(tx, rotated.audit, entry(1, 10)));
      expect(rotated.audit.newest().id).not.toBe(keyring.audit.newest().id);
      expect(await verifyAudit(store, rotated.audit)).toEqual({ entries: 6, chains: 1, faults: [] });

      await store.query(
        raw(`update audit_entry set entry = replace(entry, 'note 2', 'note 7') where seq = 2`),
      );
      await store.query(
        raw(`update audit_entry e set hash = sha256((select hash from audit_entry where seq = e.seq - 1) || convert_to(entry, 'UTF8'))
          where seq = 2`),
      );
      await store.query(
        raw(`update audit_entry e set hash = sha256((select hash from audit_entry where seq = e.seq - 1) || convert_to(entry, 'UTF8'))
          where seq = 3`),
      );
      expect((await verifyAudit(store, rotated.audit)).faults).toEqual([
        { chain: 1, seq: 4, reason: 'the hash does not follow from the entry and the one before it' },
      ]);
    } finally {
      await store.close();
      await database.drop();
    }
  });
});
