import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../testing/createTestDatabase.ts';
import { chains } from '../../chains/chains.ts';
import { sql } from '../../lib/sql.ts';
import { publishDetectors } from '../../services/detectors/publishDetectors.ts';
import type { Store } from '../../store/db/db.ts';
import { openStore } from '../../store/db/openStore.ts';
import { createWatchList } from './createWatchList.ts';

const chain = chains.ethereum;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore(database.config, () => {});
  await publishDetectors(store, 1);
  await store.query(sql`insert into tenant (created_at, updated_at, name) values (1, 1, 'Some')`);
  await store.query(
    sql`insert into project (tenant_id, created_at, updated_at, name) select id, 1, 1, 'Some' from tenant`,
  );
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** A detector on a contract of its own, with the blocks from which on both watch. */
async function add(name: string, detectorFrom: number | null, contractFrom = detectorFrom): Promise<void> {
  await store.query(
    sql`insert into contract (tenant_id, project_id, created_at, updated_at, chain_uid, address, canonical_address, name,
        inspected_at, watched_from)
      select tenant_id, id, 1, 1, ${chain.uid}, a, a, ${name}, 1, ${contractFrom}::bigint
      from project, lateral (select '0x' || left(encode(sha256(${name}::bytea), 'hex'), 40) as a) x`,
  );
  await store.query(
    sql`insert into detector (tenant_id, contract_id, schema_id, created_at, updated_at, name, source, config, watched_from)
      select c.tenant_id, c.id, s.id, 1, 1, ${name}, 'PLATFORM', '{}', ${detectorFrom}::bigint
      from contract c, detector_schema s
      where s.name = ${name === 'comparing' ? 'total_supply' : 'ownership_change'} and c.name = ${name}`,
  );
}

describe('what is watched on a chain', () => {
  it('waits for a first block only where that matters to it', async () => {
    await add('of before', null);
    await add('older', 100);
    await add('comparing', 100);
    const read = async () => {
      const list = createWatchList(chain);
      await list.refresh(store, { isAhead: true });
      return list;
    };
    const waiting = (list: Awaited<ReturnType<typeof read>>, tip: number) =>
      Array.from(list.added(tip).keys(), ({ name }) => name).toSorted();
    const older = await read();
    expect(waiting(older, 150)).toEqual(['comparing']);
    older.removeAdded(older.added(150).keys());
    expect(waiting(older, 50)).toEqual([]);

    await add('younger', 100, 200);
    const list = await read();
    expect(waiting(list, 199)).toEqual(['comparing', 'older', 'younger']);
    list.removeAdded(list.added(199).keys());
    expect(waiting(list, 0)).toEqual([]);

    const fresh = await read();
    expect(fresh.startAt(210)).toBe(200);
    expect(waiting(fresh, 1000)).toEqual(['comparing', 'older', 'younger']);
    expect([...fresh.added(1000).values()].every(({ mayWait }) => mayWait)).toBe(true);
  });

  it('keeps what waits when its contract changes before the first block, and takes new ones for themselves', async () => {
    const list = createWatchList(chain);
    await list.refresh(store);
    const [{ id } = { id: 0 }] = await store.query<{ id: number }>(
      sql`update contract set name = 'renamed' where name = 'younger' returning id`,
    );
    await add('new', 300);
    const [added] = await store.query<{ id: number }>(sql`select id from contract where name = 'new'`);
    for (const contractId of [id, added?.id]) list.onNotify(`contract ${contractId}`);
    expect(await list.refresh(store)).toBe(2);
    const waiting = Array.from(list.added(1000), ([{ name }, item]) => [name, item] as const);
    expect(Object.fromEntries(waiting)).toMatchObject({
      comparing: { from: 100, isNew: false },
      new: { from: 300, isNew: true },
      younger: { from: 200, isNew: false },
    });
    expect(waiting).toHaveLength(3);
  });
});
