import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/api/http/createMetrics.ts';
import { raw, sql } from '../../src/lib/sql.ts';
import { purgeAlertEvents } from '../../src/store/alerts/alertEvents.ts';
import { claimDeliveries } from '../../src/store/destinations/claimDeliveries.ts';
import { purgeDeliveries } from '../../src/store/destinations/purgeDeliveries.ts';
import { readBacklog } from '../../src/store/telemetry/readBacklog.ts';
import { until } from '../../testing/until.ts';
import { endDeliveries } from './support/endDeliveries.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

const dayMs = 24 * 3_600_000;
const many = 12_000;
let world: NotifyWorld;
beforeAll(async () => {
  world = await startNotifyWorld();
  await refuseLongStatements();
});
afterAll(() => world.stop());

/** Stands for the time limit of statements: one that touches too many rows at once fails. */
async function refuseLongStatements(): Promise<void> {
  await world.store.query(
    raw(`create function refuse_long() returns trigger language plpgsql as $$
      begin
        if (select count(*) from touched) > 5000 then raise exception 'too many rows at once'; end if;
        return null;
      end $$`),
  );
  for (const [table, verb, rows] of [
    ['delivery', 'update', 'new'],
    ['delivery', 'delete', 'old'],
    ['alert_event', 'delete', 'old'],
  ])
    await world.store.query(
      raw(`create trigger refuse_long_${verb} after ${verb} on ${table} referencing ${rows} table as touched
        for each statement execute function refuse_long()`),
    );
}

/** Deliveries that wait since `ageMs` and are due tomorrow. */
async function queue(destinationId: number, count: number, ageMs = 0): Promise<void> {
  const created = world.now() - ageMs;
  await world.store.query(
    sql`with written as (
        insert into delivery (tenant_id, uid, destination_id, type, data, next_attempt_at, created_at, updated_at)
        select ${world.tenantId}, gen_random_uuid(), ${destinationId}, 'ping', '{}', ${world.now() + dayMs}, ${created}, ${created}
        from generate_series(1, ${count}) returning *)
      insert into delivery_queue (tenant_id, id, destination_id, next_attempt_at)
      select tenant_id, id, destination_id, next_attempt_at from written`,
  );
}

async function countOf(destinationId: number, state: string): Promise<number> {
  const rows = await world.store.query<{ count: number }>(
    sql`select count(*) as count from delivery where destination_id = ${destinationId} and state = ${state}`,
  );
  return rows[0]!.count;
}

it('a delivery that is due and waits is in the metrics with its age, and one that is due later is not', async () => {
  const { id } = await world.addDestination('/waiting');
  await queue(id, 3);
  const { addDestination, now, store } = world;
  const due = await addDestination('/due');
  await queue(due.id, 2);
  await store.query(
    sql`update delivery_queue set next_attempt_at = ${now() - 90_000} where destination_id = ${due.id}`,
  );
  await store.query(
    sql`insert into chain_cursor (chain_uid, head, confirmed, final, updated_at, processed, lease_until)
      values ('sepolia', 9, 0, 0, 0, 4, now() + interval '1 hour'), ('base', 9, 0, 0, 0, 9, now() - interval '1 hour')`,
  );
  const metrics = createMetrics(store.stats, undefined, () => readBacklog(store, now()));
  const { text } = await metrics.read();
  expect(text).toContain('vigil_backlog_readable 1\n');
  expect(text).toContain('vigil_queue_length{queue="deliveries"} 2\n');
  expect(Number(/age_seconds\{queue="deliveries"\} (\S+)/.exec(text)?.[1])).toBeGreaterThanOrEqual(89);
  expect(text).toContain('vigil_queue_length{queue="scores"} 0\n');
  expect(text).toContain('vigil_chain_lag_blocks{chain="sepolia"} 5\n');
  expect(text).toContain('vigil_chain_followed{chain="sepolia"} 1\n');
  expect(text).toContain('vigil_chain_followed{chain="base"} 0\n');
  const broken = createMetrics(store.stats, undefined, () => Promise.reject(new Error('gone')));
  const { text: missing } = await broken.read();
  expect(missing).toContain('vigil_store_connections');
  expect(missing).toContain('vigil_backlog_readable 0\n');
  expect(missing).not.toContain('vigil_queue_length{');
  await store.query(sql`delete from delivery_queue`);
});

describe('a long queue', () => {
  it('a long queue that is due does not hide other deliveries that are due later', async () => {
    const { addDestination, now, store } = world;
    const [long, other] = [await addDestination('/due/long'), await addDestination('/due/other')];
    await queue(long.id, many);
    await queue(other.id, 1);
    await store.query(
      sql`update delivery_queue set next_attempt_at = ${now() - 1000}::bigint - (destination_id = ${long.id})::int
        where destination_id in (${long.id}, ${other.id})`,
    );
    const limits = { now: now(), busy: new Map(), limit: 100, mailLimit: 0, hasMail: false };
    const claimed = await claimDeliveries(store, limits);
    expect(claimed.filter(({ destinationId }) => destinationId === other.id)).toHaveLength(1);
    // A receiver that has never answered gets one at a time.
    expect(claimed.filter(({ destinationId }) => destinationId === long.id)).toHaveLength(1);
    await store.query(sql`delete from delivery_queue`);
  });

  it('a long queue of a disabled destination is dead-lettered without delaying other destinations', async () => {
    const gone = await world.addDestination('/gone');
    const well = await world.addDestination('/well');
    await queue(gone.id, many);
    world.sink.script('/gone', () => 410);
    await world.bind(gone.id, well.id);
    await world.push({});
    const worker = world.work();
    await until(async () => (await countOf(well.id, 'DELIVERED')) >= 1);
    await until(async () => (await countOf(gone.id, 'DEAD')) === many + 1);
    await worker.stop();
    const { status, data } = await world.deliveries(gone.id, 'size=2');
    expect(status).toBe('DISABLED');
    expect(data[1].lastError).toBe('The receiver no longer exists (410).');
    expect(world.errors).toEqual([]);
  });

  it('a long queue that was being dead-lettered when the process crashed is finished by the next one', async () => {
    const { id } = await world.addDestination('/half');
    await queue(id, 10);
    await world.store.query(
      sql`update destination set status = 'DISABLED', disabled_reason = 'Nothing got through.' where id = ${id}`,
    );
    const worker = world.work();
    await until(async () => (await countOf(id, 'DEAD')) === 10);
    await worker.stop();
  });

  it('a long queue of a deleted destination is dead-lettered, and old settled deliveries are purged', async () => {
    const deleted = await world.addDestination('/deleted');
    await queue(deleted.id, many);
    await world.ok('DELETE', `destination/${deleted.id}`);
    const old = await world.addDestination('/old');
    await queue(old.id, many, 91 * dayMs);
    for (let n = 0; n < 3; n++)
      await endDeliveries(world.store, 'DELIVERED', { destinationId: old.id, limit: 4000 });
    await purgeDeliveries(world.store, world.now());
    expect([await countOf(deleted.id, 'DEAD'), await countOf(old.id, 'DELIVERED')]).toEqual([many, 0]);
  });

  it('a long queue of events that no reader can resume from is purged', async () => {
    const at = world.now();
    for (const age of [8 * dayMs, 6 * dayMs])
      await world.store.query(
        sql`insert into alert_event (tenant_id, contract_id, alert_uid, alert_timestamp, type, at)
          select 99, 1, gen_random_uuid(), 1, 'raised', ${at - age} from generate_series(1, ${many})`,
      );
    await purgeAlertEvents(world.store, at - 7 * dayMs);
    const rows = await world.store.query<{ at: number; count: number }>(
      sql`select at, count(*) as count from alert_event where tenant_id = 99 group by at`,
    );
    expect(rows).toEqual([{ at: at - 6 * dayMs, count: many }]);
  });
});
