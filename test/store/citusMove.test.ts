import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/lib/sql.ts';
import { distributedTables } from '../../src/store/db/citus/distributedTables.ts';
import { migrate } from '../../src/store/db/migrate.ts';
import { distribute } from '../../src/store/db/shards/distribute.ts';
import { readCluster } from '../../src/store/db/shards/readCluster.ts';
import { verifyRollups } from '../../src/store/search/rollups/rollups.ts';
import { createRandom } from '../../testing/createRandom.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { nodeFlags } from '../../testing/nodeFlags.ts';
import { type Citus, startCitus, whyNoCitus } from '../../testing/startCitus.ts';
import { type Json, startTestApi, type TestApi } from '../../testing/startTestApi.ts';
import { until } from '../../testing/until.ts';
import { createWorld, type World } from '../support/createWorld.ts';

const missing = await whyNoCitus();
if (missing) console.warn(`NOT PROVEN on a cluster: ${missing}`);
const program = `${import.meta.dirname}/../../dist/bin/vigil.js`;
const shards = 4;
const longAgo = Date.UTC(2025, 5);

describe('moving tables to workers beside traffic', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let citus: Citus;
  let api: TestApi;
  let worlds: World[];
  const random = createRandom('move');

  beforeEach(async ({ skip }) => {
    skip(missing !== undefined, missing);
    workspace = await createWorkspace();
    citus = await startCitus(workspace.folder);
    const { connection } = citus.coordinator;
    await migrate(connection);
    api = await startTestApi({ database: { config: connection, drop: async () => {} } });
    await api.store.query(sql`update plan set detector_rate_limit = 1000000000`);
    worlds = [];
    for (let n = 0; n < 4; n++) {
      const world = await createWorld(api);
      await api.ok('PUT', `detector/${world.detector.id}`, { source: 'EXTERNAL' });
      worlds.push(world);
    }
  });

  afterEach(async () => {
    await api?.stop();
    await workspace?.remove();
  });

  /** What was acknowledged, and every status that came instead. */
  type Ledger = { pushed: Map<string, string>; changed: Map<string, string>; refused: Map<string, number> };

  /** Pushes alerts, changes each with two members at once, and reads, until it is stopped. */
  function startTraffic(): { ledger: Ledger; stop(): Promise<void> } {
    const ledger: Ledger = { pushed: new Map(), changed: new Map(), refused: new Map() };
    const stopping = new AbortController();
    async function send(method: string, path: string, body: Json, token: string): Promise<Json | undefined> {
      const answer = await api.call(method, path, body, { token });
      if (answer.status < 300) return answer.body;
      const waits = answer.headers.get('retry-after') === null ? 'without Retry-After' : 'with Retry-After';
      const kind = `${answer.status} ${waits}`;
      ledger.refused.set(kind, (ledger.refused.get(kind) ?? 0) + 1);
      await sleep(50);
      return undefined;
    }
    const loops = worlds.flatMap(({ tenant, detector }, n) =>
      [0, 1, 2].map(async (loop) => {
        const token = await api.token(tenant.id, 'tenant-manager');
        for (let i = 0; !stopping.signal.aborted; i++) {
          const eid = `${n}-${loop}-${i}`;
          const pushed = await send(
            'POST',
            `detector/${detector.id}/alert`,
            { alerts: [{ eid, message: 'Found' }] },
            token,
          );
          const uid = pushed?.results[0].uid;
          if (uid === undefined) continue;
          ledger.pushed.set(uid, eid);
          const tag = `tag-${i}`;
          if (await send('PUT', `alert/${uid}`, { status: 'RESOLVED', tags: [tag] }, token))
            ledger.changed.set(uid, tag);
          await send('POST', 'alert/search', { query: 'message:found' }, token);
          await sleep(random.integer(1, 20));
        }
      }),
    );
    return {
      ledger,
      async stop() {
        stopping.abort();
        await Promise.all(loops);
      },
    };
  }

  async function expectNothingLost({ pushed, changed }: Ledger): Promise<void> {
    const rows = await api.store.query<{ uid: string; eid: string; resolved: boolean; tags: string[] }>(
      sql`select uid::text, eid_rest as eid, is_resolved as resolved, tags from alert`,
    );
    const stored = new Map(rows.map((row) => [row.uid, row]));
    expect(stored.size).toBe(rows.length);
    expect([...pushed.keys()].filter((uid) => !stored.has(uid))).toEqual([]);
    const halves = [...changed].filter(([uid, tag]) => {
      const row = stored.get(uid);
      return !row?.resolved || row.tags.join() !== tag;
    });
    expect(halves).toEqual([]);
    const events = await api.store.query<{ uid: string; count: number }>(
      sql`select unnest(alert_uids)::text as uid, count(*) from alert_event where type = 'resolved' group by 1`,
    );
    const told = new Map(events.map(({ uid, count }) => [uid, count]));
    expect([...changed.keys()].filter((uid) => told.get(uid) !== 1)).toEqual([]);
    const faults = await verifyRollups(api.store);
    // Those of `fillMonth` have none.
    expect(faults.filter(({ start }) => start > longAgo)).toEqual([]);
    const workers = await readCluster(citus.url);
    expect(workers?.faults).toEqual([]);
    const left = await citus.coordinator.ask(
      "select nspname from pg_namespace where nspname in ('vigil_next', 'vigil_old')",
    );
    expect(left).toEqual([]);
  }

  it('loses nothing that was acknowledged, and refuses only with 503 for a moment', async () => {
    const { ledger, stop } = startTraffic();
    await until(() => ledger.changed.size > 100);
    const lines: string[] = [];
    await distribute(citus.coordinator.connection, (line) => lines.push(line), shards);
    const before = ledger.changed.size;
    await until(() => ledger.changed.size > before + 100);
    await stop();
    console.log(
      `${ledger.pushed.size} pushed, ${ledger.changed.size} changed`,
      [...ledger.refused],
      lines.slice(-2),
    );
    expect([...ledger.refused.keys()].filter((kind) => kind !== '503 with Retry-After')).toEqual([]);
    await expectNothingLost(ledger);
    expect(await api.store.isDistributed()).toBe(true);
  });

  it('goes on after it died at any step', async () => {
    await fillMonth(25_000);
    const { ledger, stop } = startTraffic();
    await until(() => ledger.changed.size > 30);
    const steps = new Set<string>();
    for (;;) {
      let diedAt: string | undefined;
      await distribute(
        citus.coordinator.connection,
        (line) => {
          const step = line.replaceAll(/\d[\d,.]*/g, 'n');
          if (steps.has(step)) return;
          steps.add(step);
          diedAt = line;
          throw new Error('died');
        },
        shards,
      ).catch((error: Error) => expect(error.message).toBe('died'));
      if (diedAt === undefined) break;
    }
    expect(steps.size).toBeGreaterThan(distributedTables.length);
    await stop();
    expect([...ledger.refused.keys()].filter((kind) => kind !== '503 with Retry-After')).toEqual([]);
    const [old] = await api.store.query<{ count: number; uids: number }>(
      sql`select count(*), count(distinct uid) as uids from alert where timestamp < ${longAgo}`,
    );
    expect(old).toEqual({ count: 25_000, uids: 25_000 });
    await expectNothingLost(ledger);
  });

  it('goes on after kill -9 of the command at any time', async () => {
    await fillMonth(40_000);
    const { ledger, stop } = startTraffic();
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      VIGIL_DATA_DIR: workspace.folder('command'),
      DATABASE_URL: citus.url,
    };
    let kills = 0;
    for (let linesBefore = 1; ; linesBefore += random.integer(1, 4)) {
      const child = spawn(
        process.execPath,
        [...nodeFlags, program, 'migrate', '--citus', '--shards', `${shards}`],
        { env },
      );
      let printed = '';
      child.stdout.on('data', (text) => {
        printed += text;
        // The first line says which database it is.
        if (printed.split('\n').length > linesBefore + 1)
          setTimeout(() => child.kill('SIGKILL'), random.integer(0, 300));
      });
      let failed = '';
      child.stderr.on('data', (text) => (failed += text));
      const [code] = await once(child, 'close');
      if (code === 0) break;
      expect(code, failed).toBe(null);
      kills++;
    }
    expect(kills).toBeGreaterThan(2);
    await stop();
    console.log(`${kills} kills, ${ledger.pushed.size} pushed, ${ledger.changed.size} changed`, [
      ...ledger.refused,
    ]);
    expect([...ledger.refused.keys()].filter((kind) => kind !== '503 with Retry-After')).toEqual([]);
    const [old] = await api.store.query<{ count: number }>(
      sql`select count(*) from alert where timestamp < ${longAgo}`,
    );
    expect(old?.count).toBe(40_000);
    await expectNothingLost(ledger);
  });

  /** Alerts of a month long ago, without roll-ups. */
  async function fillMonth(count: number): Promise<void> {
    await citus.coordinator.ask(
      `create table alert_2025_03 partition of alert for values from (${Date.UTC(2025, 2)}) to (${Date.UTC(2025, 3)})`,
    );
    const { tenant, project } = worlds[0]!;
    await citus.coordinator.ask(`insert into alert (tenant_id, timestamp, contract_id, project_id, uid, numeric_severity,
        kind, alert_group, name, message, terms, suppressed)
      select ${tenant.id}, ${Date.UTC(2025, 2)} + n, 0, ${project.id}, gen_random_uuid(), 1, 'detector', 'SECURITY', 'old',
        'Number ' || n, array[n % 50], true from generate_series(1, ${count}) n`);
  }
});
