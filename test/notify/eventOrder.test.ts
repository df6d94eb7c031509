import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { everything } from '../../src/model/principal.ts';
import {
  firstAlertEvent,
  insertAlertEvents,
  lastAlertEvent,
  readAlertEvents,
} from '../../src/store/alerts/alertEvents.ts';
import type { Db, Store } from '../../src/store/db/db.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { until } from '../../testing/until.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase('migrated');
  store = openStore({ ...database.config, max: 40 }, () => {});
  await store.query(sql`create table elsewhere (id int)`);
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

/** Writes events under a name, and nothing that they tell of. */
async function write(tx: Db, tenantId: number, count: number): Promise<void> {
  await tx.query(
    sql`insert into alert_event (tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
      select ${tenantId}, 1, gen_random_uuid(), 1, 'raised', ${Date.now()} from generate_series(1, ${count})`,
  );
}

describe('the order of events', () => {
  it('is not held back by a transaction that writes something else, however long it takes', async () => {
    let release: (() => void) | undefined;
    const long = store.transaction(async (tx) => {
      await tx.query(sql`insert into elsewhere values (1)`);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const end = await until(() => release);
    const before = await lastAlertEvent(store);
    await store.transaction((tx) => write(tx, 1, 3));
    const told = await readAlertEvents(store, everything, { after: before }, 10);
    end();
    await long;
    expect(told).toHaveLength(3);
  });

  it('waits for what was numbered before and is committed after', async () => {
    const before = await lastAlertEvent(store);
    let release: (() => void) | undefined;
    const slow = store.transaction(async (tx) => {
      await write(tx, 1, 1);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    const end = await until(() => release);
    await store.transaction((tx) => write(tx, 2, 1));
    expect(await readAlertEvents(store, everything, { after: before }, 10)).toEqual([]);
    expect(await lastAlertEvent(store)).toBe(before);
    end();
    await slow;
    const told = await readAlertEvents(store, everything, { after: before }, 10);
    expect(told.map(({ tenantId }) => tenantId)).toEqual([1, 2]);
  });

  it('skips nothing and repeats nothing for a reader that polls, whatever writers do', async () => {
    const random = createRandom('writers of events');
    const before = await lastAlertEvent(store);
    let written = 0;
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let n = 0; n < 150; n++) {
        // At times nobody writes, and then some begin at once.
        await sleep(random.integer(0, 10));
        const counts = Array.from({ length: random.integer(1, 3) }, () => random.integer(1, 20));
        const isUndone = random.chance(0.15);
        const work = store.transaction(async (tx) => {
          // Its number as a transaction may be much older than its events.
          if (random.chance(0.5)) await tx.query(sql`insert into elsewhere values (${n})`);
          for (const count of counts) {
            if (random.chance(0.3)) await sleep(random.integer(0, 15));
            await write(tx, writer, count);
          }
          if (random.chance(0.3)) await sleep(random.integer(0, 15));
          if (isUndone) throw new Error('undone');
        });
        await work.catch((error: Error) => expect(error.message).toBe('undone'));
        if (!isUndone) written += counts.reduce((sum, count) => sum + count, 0);
      }
    });
    let isDone = false;
    const finished = Promise.all(writers).finally(() => {
      isDone = true;
    });
    const readers = Array.from({ length: 3 }, async () => {
      const seen: string[] = [];
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        for (;;) {
          const events = await readAlertEvents(store, everything, { after: seen.at(-1) ?? before }, 50);
          seen.push(...events.map(({ id }) => id));
          if (events.length < 50) break;
        }
      }
      return seen;
    });
    const all = await Promise.all(readers);
    await finished;
    const rows = await store.query<{ id: string }>(
      sql`select xid::text || '-' || seq as id from alert_event order by xid, seq`,
    );
    const expected = rows.map(({ id }) => id).slice(rows.findIndex(({ id }) => id === before) + 1);
    expect(expected).toHaveLength(written);
    for (const seen of all) expect(seen).toEqual(expected);
    console.log(`${written} events, of which no reader missed one`);
  });

  it('is the same alert by alert where a row has many, from any place to any other', async () => {
    const before = await lastAlertEvent(store);
    const happened = Array.from({ length: 200 }, (_, n) => ({ tenantId: 1 + (n % 3), uid: randomUUID() }));
    await store.transaction((tx) => insertAlertEvents(tx, 'changed', happened));
    await write(store, 2, 3);
    await store.transaction((tx) => insertAlertEvents(tx, 'changed', happened.slice(0, 1)));
    const read = (after: string, limit: number, to?: string) =>
      readAlertEvents(store, everything, { after, ...(to ? { to } : {}) }, limit);
    const all = await read(before, 1000);
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(204);
    expect(all.filter(({ tenantId }) => tenantId === 2)).toHaveLength(67 + 3);
    expect(ids.at(-1)).toBe(await lastAlertEvent(store));
    const inPieces: string[] = [];
    while (inPieces.length < all.length)
      inPieces.push(...(await read(inPieces.at(-1) ?? before, 7)).map(({ id }) => id));
    expect(inPieces).toEqual(ids);
    for (const [from, to] of [
      [0, 1],
      [10, 70],
      [64, 199],
      [66, 203],
      [200, 202],
    ] as const)
      expect((await read(ids[from]!, 1000, ids[to])).map(({ id }) => id)).toEqual(
        ids.slice(from + 1, to + 1),
      );
    const scope = { ...everything, all: false, tenantIds: [3] };
    const mine = await readAlertEvents(store, scope, { after: ids[5]!, to: ids[201]! }, 1000);
    expect(mine).toEqual(all.slice(6, 202).filter(({ tenantId }) => tenantId === 3));
    expect(mine.length).toBeGreaterThan(60);
  });

  it('continues for a reader that counted by transactions', async () => {
    await store.query(
      sql`insert into alert_event (xid, tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
        select '9'::xid8, 77, 1, gen_random_uuid(), 1, 'raised', 1 from generate_series(1, 2)`,
    );
    const [first] = await readAlertEvents(store, everything, { after: firstAlertEvent }, 10);
    const rest = await readAlertEvents(store, everything, { after: first!.id }, 1_000_000);
    expect(rest[0]!.tenantId).toBe(77);
    expect(rest.at(-1)!.id).toBe(await lastAlertEvent(store));
  });
});
