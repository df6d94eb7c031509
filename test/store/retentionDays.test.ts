import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareRaise, raiseAlerts } from '../../src/alerts/raiseAlerts.ts';
import { sql } from '../../src/lib/sql.ts';
import { runHousekeeping } from '../../src/runtime/startHousekeeping.ts';
import type { Store } from '../../src/store/db/db.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { ensurePartitionsAhead } from '../../src/store/search/months/partitions.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createTestDatabase } from '../../testing/createTestDatabase.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { randomFinding } from '../support/randomAlerts.ts';

const missing = await whyNoCitus();
const dayMs = 86_400_000;
const days = 6;
const owner = { tenantId: 1, projectId: 1, contractId: 1 };

async function openPlain() {
  const database = await createTestDatabase('migrated');
  const store = openStore(database.config, () => {});
  return {
    store,
    async close() {
      await store.close();
      await database.drop();
    },
  };
}

async function openCluster() {
  const workspace = await createWorkspace();
  const { coordinator } = await startCitus(workspace.folder);
  await migrate(coordinator.connection);
  await distribute(coordinator.connection, () => {}, 4);
  const store = openStore(coordinator.connection, () => {});
  return {
    store,
    async close() {
      await store.close();
      await workspace.remove();
    },
  };
}

describe.each([
  ['one server', openPlain, undefined],
  ['a cluster', openCluster, missing],
])('a retention of six days on %s', (_, open, reason) => {
  let opened: Awaited<ReturnType<typeof openPlain>>;
  let store: Store;
  const random = createRandom('retention');
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  let count = 0;

  beforeAll(async () => {
    if (reason !== undefined) return;
    opened = await open();
    store = opened.store;
    await store.query(sql`insert into tenant (id, created_at, updated_at, name) values (1, 0, 0, 'Tenant')`);
  });
  afterAll(() => opened?.close());

  const tidy = (at: number, retentionDays: number | undefined = days) =>
    runHousekeeping(
      {
        store,
        chains: { isConfigured: () => false, client: () => undefined },
        hsm: undefined,
        retentionDays,
        now: () => at,
        log,
      },
      new AbortController().signal,
    );

  async function raiseOn(day: number): Promise<void> {
    const findings = Array.from({ length: 3 }, () =>
      randomFinding(random, owner, ++count, day, day + dayMs - 1),
    );
    await prepareRaise(store, findings);
    expect(await store.transaction((tx) => raiseAlerts(tx, findings))).toHaveLength(3);
  }

  const kept = async (): Promise<number[]> => {
    const rows = await store.query<{ day: number }>(
      sql`select distinct timestamp / ${dayMs} as day from alert order by 1`,
    );
    return rows.map(({ day }) => day * dayMs);
  };
  const partitions = async (): Promise<string[]> => {
    const rows = await store.query<{ name: string }>(
      sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'alert'::regclass order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('holds from the month after it was set, day by day, with the roll-ups, and months come back when it is taken away', async ({
    skip,
  }) => {
    skip(reason !== undefined, reason);
    const start = Date.UTC(2040, 0, 30);
    await ensurePartitionsAhead(store, start);
    await raiseOn(start);
    await tidy(start);
    // The month under way is whole; those to come have their first day only.
    expect((await partitions()).filter((name) => name.startsWith('alert_2040'))).toEqual(
      expect.arrayContaining(['alert_2040_01', 'alert_2040_02_01', 'alert_2040_03_01']),
    );
    for (let at = start + dayMs; at < Date.UTC(2040, 2, 5); at += dayMs) {
      await raiseOn(at);
      if (new Date(at).getUTCDate() % 5 !== 0) continue;
      await tidy(at);
      const oldest = at - days * dayMs;
      // January goes as a whole, when its last day is too old.
      const from = oldest < Date.UTC(2040, 1) ? start : oldest;
      const expected: number[] = [];
      for (let day = from; day <= at; day += dayMs) expected.push(day);
      expect(await kept()).toEqual(expected);
      expect(await verifyRollups(store)).toEqual([]);
    }
    // What comes late makes a day of its own, which is dropped again.
    await raiseOn(Date.UTC(2040, 1, 20));
    expect(await partitions()).toContain('alert_2040_02_20');
    await tidy(Date.UTC(2040, 2, 4));
    expect(await partitions()).not.toContain('alert_2040_02_20');

    // Those that were divided stay so.
    await tidy(Date.UTC(2040, 3, 2), 90);
    expect(await partitions()).toEqual(
      expect.arrayContaining(['alert_2040_04_08', 'alert_2040_05_01', 'alert_2040_06']),
    );
    expect(await verifyRollups(store)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('leaves a month to come that has alerts already', async ({ skip }) => {
    skip(reason !== undefined, reason);
    const now = Date.UTC(2041, 5, 10);
    await ensurePartitionsAhead(store, now);
    await raiseOn(Date.UTC(2041, 6, 3));
    await tidy(now);
    const names = await partitions();
    expect(names).toEqual(expect.arrayContaining(['alert_2041_06', 'alert_2041_07', 'alert_2041_08_01']));
    expect(names).not.toContain('alert_2041_08');
    expect(warnings).toEqual([]);
  });
});
