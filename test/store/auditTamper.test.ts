import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { raw, sql } from '../../src/lib/sql.ts';
import { appendAudit, verifyAudit } from '../../src/store/audit.ts';
import { openStore, type Store } from '../../src/store/db.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createRandom } from '../support/random.ts';

/** Entries of each chain: the platform's and those of two tenants. */
const lengths = new Map([
  [0, 5],
  [1, 12],
  [2, 8],
]);

describe('verifyAudit', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let store: Store;
  const run = (text: string) => store.query(raw(text));

  beforeAll(async () => {
    database = await createTestDatabase('migrated');
    store = openStore(database.config, () => {});
    for (const [chain, length] of lengths)
      for (let i = 1; i <= length; i++) await store.transaction((tx) => appendAudit(tx, entry(chain, i)));
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

  it('finds nothing in a log that nobody touched', async () => {
    expect(await verifyAudit(store)).toEqual({ entries: 25, chains: 3, faults: [] });
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
      [[2, 4, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'a last entry that is rewritten with its hash',
      `update audit_entry set entry = replace(entry, 'note', 'lie') where chain = 2 and seq = 8;
       update audit_entry set hash = sha256((select hash from audit_entry where chain = 2 and seq = 7) || convert_to(entry, 'UTF8'))
         where chain = 2 and seq = 8`,
      [[2, 8, 'the head of the chain has another hash']],
    ],
    [
      'an entry put in between',
      `update audit_entry set seq = seq + 101 where chain = 1 and seq >= 6;
       update audit_entry set seq = seq - 100 where chain = 1 and seq > 100;
       insert into audit_entry select chain, 6, hash, entry, at, action, record_kind, record_id from audit_entry where chain = 1 and seq = 5`,
      [[1, 6, 'the hash does not follow from the entry and the one before it']],
    ],
    [
      'an entry appended without the head',
      `insert into audit_entry select chain, 9, sha256(hash || convert_to(entry, 'UTF8')), entry, at, action, record_kind, record_id
         from audit_entry where chain = 2 and seq = 8`,
      [[2, 9, 'the entry is beyond the head of the chain']],
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
    ['a chain without its head', 'delete from audit_head where chain = 2', [[2, 1, 'the chain has no head']]],
    [
      'a head put back',
      `update audit_head set seq = 11 where chain = 1`,
      [[1, 12, 'the entry is beyond the head of the chain']],
    ],
  ])('names the first broken link of %s', async (_, statements, expected) => {
    for (const statement of statements.split(';')) await run(statement);
    const { faults } = await verifyAudit(store);
    expect(faults.map(({ chain, seq, reason }) => [chain, seq, reason])).toEqual(expected);
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
      const { faults } = await verifyAudit(store);
      expect(
        faults.map((fault) => [fault.chain, fault.seq]),
        `byte ${at} of ${chain}/${seq}`,
      ).toEqual([[chain, seq]]);
      await store.query(sql`update audit_entry set hash = ${row!.hash}, entry = ${row!.entry} ${place}`);
    }
    expect((await verifyAudit(store)).faults).toEqual([]);
  });

  it('finds nothing while entries are being appended', async () => {
    const load = { isOver: false };
    const appending = Promise.all(
      [0, 1, 2].map(async (chain) => {
        for (let i = 100; !load.isOver; i++)
          await store.transaction((tx) => appendAudit(tx, entry(chain, i)));
      }),
    );
    const faults = [];
    for (let i = 0; i < 30; i++) faults.push(...(await verifyAudit(store)).faults);
    load.isOver = true;
    await appending;
    expect(faults).toEqual([]);
    expect((await verifyAudit(store)).entries).toBeGreaterThan(40);
  });
});

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
