import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { everything } from '../../src/model/principal.ts';
import type { Store } from '../../src/store/db/db.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { claimDeliveries } from '../../src/store/destinations/claimDeliveries.ts';
import { lockDelivery, replayDelivery } from '../../src/store/destinations/deliveryLog.ts';
import { retractDeliveries } from '../../src/store/destinations/followUps.ts';
import { createDatabaseBefore } from '../support/createDatabaseBefore.ts';

const step = '0064_delivery_queue.sql';

let database: Awaited<ReturnType<typeof createDatabaseBefore>>;
let store: Store;
beforeAll(async () => {
  database = await createDatabaseBefore(step);
  store = openStore(database.config, () => {});
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

const uidOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

it('deliveries of before are sent, kept waiting, replayed and retracted with what they said', async () => {
  await database.client.query(`insert into tenant (id, name, created_at, updated_at) values (1, 'One', 0, 0);
    insert into destination (id, tenant_id, created_at, updated_at, type, uid, last_sent_at) values (1, 1, 0, 0, 'HTTP', 'a', 1);
    insert into delivery (tenant_id, uid, destination_id, type, data, alert_uid, state, attempts, step, next_attempt_at, lease_until,
      created_at, updated_at)
    select 1, ('00000000-0000-4000-8000-00000000000' || n)::uuid, 1, 'alert.detector.raised', jsonb_build_object('said', n),
      ('00000000-0000-4000-8000-00000000000' || n)::uuid, state, attempts, attempts, due, lease, 1, 1
    from (values (1, 'PENDING', 3, 10, null), (2, 'PENDING', 0, 10, now() + interval '1 hour'), (3, 'PENDING', 0, 90, null),
      (4, 'DELIVERED', 1, 10, null), (5, 'DEAD', 9, 10, null)) v(n, state, attempts, due, lease)`);
  expect(await migrate(database.config)).toContain(step);
  const claim = async (now: number) => {
    const limits = { now, busy: new Map(), limit: 10, mailLimit: 0, hasMail: false };
    return (await claimDeliveries(store, limits)).map(({ uid, data, step: steps }) => [uid, data, steps]);
  };
  expect(await claim(20)).toEqual([[uidOf(1), { said: 1 }, 3]]);
  await store.transaction(async (tx) => {
    const dead = await lockDelivery(tx, everything, uidOf(5), Date.now());
    if (dead) await replayDelivery(tx, dead, 30);
  });
  expect(await claim(40)).toEqual([[uidOf(5), { said: 5 }, 0]]);
  await retractDeliveries(
    store,
    [3, 4].map((n) => ({ tenantId: 1, uid: uidOf(n), reason: 'gone' })),
    50,
  );
  expect(await claim(100)).toEqual([
    [expect.any(String), { said: 4, status: 'RETRACTED', retractedAt: 50, retractionReason: 'gone' }, 0],
  ]);
  expect(await store.query(sql`select id from delivery_queue order by id`)).toEqual([
    { id: 1 },
    { id: 2 },
    { id: 5 },
    { id: 6 },
  ]);
});
