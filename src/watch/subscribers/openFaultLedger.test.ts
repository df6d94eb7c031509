import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { sql } from '../../lib/sql.ts';
import type { SubscriberRef } from '../../matching/subscriber.ts';
import type { Store } from '../../store/db/db.ts';
import { openStore } from '../../store/db/openStore.ts';
import { type Outcome, openFaultLedger } from './openFaultLedger.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

function named(id: number): SubscriberRef {
  const contract = {
    id: 1,
    tenantId: 1,
    projectId: 1,
    chainUid: 'anvil' as const,
    address: '0x',
    implementation: null,
    name: 'C',
    addressType: 'CONTRACT',
    abi: [],
  };
  return { kind: 'detector', id, name: 'D', contract };
}
const works = (id: number): Outcome => ({ subscriber: named(id) });
const fails = (id: number, at: number): Outcome => ({
  subscriber: named(id),
  fault: { subscriber: named(id), message: `at ${at}`, at },
});

describe('the ledger of faults', () => {
  const stored = (id: number) =>
    store.query(sql`select message, count, first_at, last_at from watch_fault where id = ${id}`);

  it('counts several faults of one step, and reports once when there are three in a row', async () => {
    const ledger = await openFaultLedger(store, 'anvil');
    const write = async (...outcomes: Outcome[]) => {
      const { alerting } = await store.transaction((tx) => ledger.write(tx, outcomes));
      ledger.committed(outcomes);
      return alerting.map(({ at }) => at);
    };
    expect(await write(fails(1, 10), fails(1, 11))).toEqual([]);
    expect(await stored(1)).toEqual([{ message: 'at 11', count: 2, first_at: 10, last_at: 11 }]);
    expect(await write(fails(1, 12), fails(2, 12))).toEqual([12]);
    expect(await write(fails(1, 13))).toEqual([]);
    expect(await write(works(1), fails(1, 14))).toEqual([]);
    expect(await stored(1)).toEqual([{ message: 'at 14', count: 1, first_at: 14, last_at: 14 }]);
    expect(await write(fails(1, 15), works(1))).toEqual([]);
    expect(await stored(1)).toEqual([]);
    expect(await write(fails(3, 1), works(3))).toEqual([]);
    expect(await stored(3)).toEqual([]);
  });

  it('still knows what failed when the step that cleared it was not written', async () => {
    const ledger = await openFaultLedger(store, 'anvil');
    await store.transaction((tx) => ledger.write(tx, [fails(7, 1)]));
    ledger.committed([fails(7, 1)]);
    const broken = store.transaction(async (tx) => {
      await ledger.write(tx, [works(7)]);
      throw new Error('not written');
    });
    await expect(broken).rejects.toThrow('not written');
    expect(await stored(7)).toHaveLength(1);
    await store.transaction((tx) => ledger.write(tx, [works(7)]));
    expect(await stored(7)).toEqual([]);
  });
});
