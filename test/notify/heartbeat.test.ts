import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChain } from '../../src/chains/chains.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type Sql, sql } from '../../src/lib/sql.ts';
import { startHeartbeat } from '../../src/runtime/startHeartbeat.ts';
import { judgeVitals } from '../../src/services/telemetry/judgeVitals.ts';
import type { Store } from '../../src/store/db/db.ts';
import { queueCanary } from '../../src/store/destinations/canary.ts';
import { readHeartbeat } from '../../src/store/telemetry/heartbeat.ts';
import { notePass, readVitals } from '../../src/store/telemetry/vitals.ts';
import { until } from '../../testing/until.ts';
import { type NotifyWorld, startNotifyWorld } from './support/notifyWorld.ts';

let world: NotifyWorld;
beforeAll(async () => {
  world = await startNotifyWorld();
});
afterAll(() => world?.stop());

const minute = 60_000;
const ago = (ms: number) => Date.now() - ms;
const endpoint = (state: string, head: number) => ({ endpoint: 'https://node.example.com', state, head });

/** An Ethereum that is followed, queues that move and a canary that came through a moment ago. */
const wellChain = {
  lease: 5,
  head: 1000,
  processed: 1000,
  processedAt: 10_000,
  movedAt: 5000,
  endpoints: [endpoint('ok', 1000)],
};

function chainRow(changes: Partial<typeof wellChain> & { uid?: string } = {}): Sql {
  const {
    uid = 'ethereum',
    lease,
    head,
    processed,
    processedAt,
    movedAt,
    endpoints,
  } = { ...wellChain, ...changes };
  return sql`insert into chain_cursor (chain_uid, holder, lease_until, head, processed, processed_at, confirmed, final,
      updated_at, endpoints)
    values (${uid}, 'process', clock_timestamp() + ${lease} * interval '1 s', ${head}, ${processed}, ${ago(processedAt)},
      0, 0, ${ago(movedAt)}, ${JSON.stringify(endpoints)}::jsonb)
    on conflict (chain_uid) do update set lease_until = excluded.lease_until, head = excluded.head,
      processed = excluded.processed, processed_at = excluded.processed_at, updated_at = excluded.updated_at,
      endpoints = excluded.endpoints, holder = excluded.holder`;
}

const passRow = (queue: string, ms: number) =>
  sql`insert into worker_pass (queue, at) values (${queue}, ${ago(ms)}) on conflict (queue) do update set at = excluded.at`;

const canaryRow = (ms: number) =>
  sql`insert into delivery (tenant_id, id, uid, destination_id, type, data, state, delivered_at, next_attempt_at,
      created_at, updated_at)
    values (0, 0, gen_random_uuid(), 0, 'canary', '{}', 'DELIVERED', ${ago(ms)}, 0, 0, 0)
    on conflict (tenant_id, id) do update set delivered_at = excluded.delivered_at`;

const healthy = () => [chainRow(), passRow('intents', 2000), passRow('scores', 2000), canaryRow(3000)];

function intentRow(changes: {
  dueMs: number;
  lease?: number;
  movedMs?: number;
  block?: number;
  wallet?: number;
}): Sql {
  const { dueMs, lease = null, movedMs = dueMs, block = null, wallet = 1 } = changes;
  return sql`insert into action_intent (tenant_id, action_id, binding, contract_id, wallet_id, chain_uid, severity,
      fire_at, block_number, created_at, updated_at, next_attempt_at, lease_until)
    values (${world.tenantId}, 1, 'manual', 1, ${wallet}, 'ethereum', 'HIGH', 'confirmed', ${block}::bigint,
      ${ago(dueMs)}, ${ago(movedMs)}, ${ago(dueMs)}, clock_timestamp() + ${lease}::int * interval '1 s')`;
}

const scoreRows = (
  dueMs: number,
  { lease = null, fault = null }: { lease?: number | null; fault?: string | null } = {},
) => [
  sql`insert into license_instance (tenant_id, id, license_id, organisation_id, project_id, license_status, created_at,
      updated_at, status) values (${world.tenantId}, 1, 1, 1, 1, 'LICENCED', 0, 0, 'ACTIVE')`,
  sql`insert into score_lane (tenant_id, license_instance_id, lease_until, fault)
    values (${world.tenantId}, 1, clock_timestamp() + ${lease}::int * interval '1 s', ${fault}::jsonb)`,
  sql`insert into score_work (tenant_id, license_instance_id, type, at, created_at, data)
    values (${world.tenantId}, 1, 'tick', 0, ${ago(dueMs)}, '{}')`,
];

/** The parts that do not work when the database has these rows, on one connection, undone afterwards. */
async function partsWith(rows: readonly Sql[], now = Date.now()): Promise<string[]> {
  const undone = new Error('Undone.');
  let parts: string[] = [];
  await world.store
    .transaction(async (tx) => {
      // What is planted refers to records that no one made.
      await tx.query(sql`set local session_replication_role = replica`);
      for (const row of [...healthy(), ...rows]) await tx.query(row);
      const vitals = await readVitals(tx, { now, limitMs: minute, configured: ['ethereum'] });
      const faults = judgeVitals({ now, limitMs: minute, vitals, findChain });
      parts = faults.map(({ part, chainUid }) => (chainUid ? `${part} ${chainUid}` : part));
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return parts;
}

describe('The heartbeat stops when', () => {
  it.each<[string, () => Sql[], string[], number?]>([
    ['no process follows a chain', () => [chainRow({ lease: -1 })], ['chain ethereum']],
    ['no block of a chain was ever processed', () => [sql`delete from chain_cursor`], ['chain ethereum']],
    [
      'a follower of a chain hangs while nodes have new blocks',
      () => [chainRow({ movedAt: 70_000, endpoints: [endpoint('ok', 1006)] })],
      ['chain ethereum'],
    ],
    [
      'no node of a chain answers',
      () => [chainRow({ movedAt: 70_000, endpoints: [endpoint('failing', 1000), endpoint('stale', 900)] })],
      ['chain ethereum'],
    ],
    [
      'a chain is caught up with, and is far behind',
      () => [chainRow({ head: 2000, processedAt: 60 * minute, movedAt: 100 })],
      ['chain ethereum'],
    ],
    [
      'a chain without endpoints here is left by the process that followed it',
      () => [
        sql`insert into contract (tenant_id, id, project_id, chain_uid, address, canonical_address, name, address_type,
            created_at, updated_at, status)
          select tenant_id, 1000, project_id, 'base', address, canonical_address, name, address_type, 0, 0, 'ACTIVE'
          from contract limit 1`,
        chainRow({ uid: 'base', lease: -1 }),
      ],
      ['chain base'],
    ],
    ['the queue of deliveries is stuck', () => [canaryRow(61_000)], ['deliveries']],
    ['no canary was ever delivered', () => [sql`delete from delivery`], ['deliveries']],
    ['the workers that fire actions hang', () => [passRow('intents', 61_000)], ['intents']],
    ['a call of an action is due and no one takes it', () => [intentRow({ dueMs: 61_000 })], ['intents']],
    ['no process works', () => [sql`delete from worker_pass`], ['intents', 'scores']],
    ['the scoring workers hang', () => [passRow('scores', 61_000)], ['scores']],
    ['a score is due and no one takes it', () => scoreRows(61_000), ['scores']],
    [
      'alerts wait for a server of a distributed database',
      () => [
        sql`insert into group_write (chain_uid, shard_group, findings, at, writes, retracts)
          values ('ethereum', 1, 1, ${ago(61_000)}, '{}', false)`,
      ],
      ['alerts'],
    ],
    ['the clock of the process is ahead of that of the database', () => [], ['clock'], Date.now() + 40_000],
    ['the clock of the process is behind that of the database', () => [], ['clock'], Date.now() - 40_000],
  ])('%s', async (_name, rows, parts, now) => {
    expect(await partsWith(rows(), now)).toEqual(parts);
  });
});

describe('The heartbeat goes on while', () => {
  it.each<[string, () => Sql[]]>([
    ['all is well', () => []],
    [
      'a chain makes blocks slowly, within its limits',
      () => [chainRow({ processedAt: 50_000, movedAt: 50_000 })],
    ],
    [
      'a chain makes no blocks at all, which its tenants are alerted of',
      () => [chainRow({ processedAt: 60 * minute, movedAt: 60 * minute })],
    ],
    [
      'a reorganisation takes a chain back by some blocks',
      () => [chainRow({ processed: 997, movedAt: 100 })],
    ],
    [
      'a burst of blocks waits for a moment',
      () => [chainRow({ head: 1040, processedAt: 40_000, movedAt: 100 })],
    ],
    [
      'one of several nodes fails',
      () => [chainRow({ endpoints: [endpoint('failing', 900), endpoint('ok', 1000)] })],
    ],
    [
      'all nodes fail for a moment',
      () => [chainRow({ movedAt: 20_000, endpoints: [endpoint('failing', 1000)] })],
    ],
    [
      'the administrator removed the endpoints of a chain, and its follower gave it back',
      () => [
        chainRow({ uid: 'base', lease: -1 }),
        sql`update chain_cursor set holder = null where chain_uid = 'base'`,
      ],
    ],
    [
      'a receiver has failed for a day, and messages for it are due',
      () => [
        sql`insert into delivery_queue (tenant_id, id, destination_id, next_attempt_at)
          select ${world.tenantId}, n, 77, ${ago(24 * 60 * minute)} from generate_series(1, 100) n`,
      ],
    ],
    [
      'many calls of a wallet wait for their turn, and one is under way',
      () => [intentRow({ dueMs: 70_000 }), intentRow({ dueMs: 80_000, lease: 10 })],
    ],
    [
      'the call of an action waits for confirmations of its block',
      () => [intentRow({ dueMs: 70_000, block: 990 })],
    ],
    [
      'the tenant of a call that is due has halted its actions',
      () => [intentRow({ dueMs: 70_000 }), sql`update tenant set halted_at = 1, halt_count = 1`],
    ],
    ['a slow instance is scored for longer', () => scoreRows(61_000, { lease: 10 })],
    ['an instance is stopped by the fault of its script', () => scoreRows(61_000, { fault: '{}' })],
  ])('%s', async (_name, rows) => {
    expect(await partsWith(rows())).toEqual([]);
  });
});

/** A watchdog that counts its calls. */
async function startWatchdog() {
  const calls: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    answer: (next: number) => {
      status = next;
    },
    address: new Secret(`http://127.0.0.1:${port}/ping/secret-key`),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

it('calls every address once for each interval of all processes, and stops within two when the queue or the database does', async () => {
  const watchdog = await startWatchdog();
  const second = await startWatchdog();
  const everyMs = 500;
  let isGone = false;
  const store: Store = {
    ...world.store,
    query: (statement, onText) =>
      isGone ? Promise.reject(new Error('gone')) : world.store.query(statement, onText),
  };
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  await world.store.query(chainRow({ lease: 600, movedAt: 0, processedAt: 0 }));
  const passing = setInterval(() => {
    for (const queue of ['intents', 'scores'] as const)
      notePass(world.store, queue, Date.now()).catch(() => undefined);
  }, 100);
  let worker = world.work();
  let skew = 0;
  const now = () => Date.now() + skew;
  const start = () =>
    startHeartbeat({
      store,
      addresses: [watchdog.address, second.address],
      everyMs,
      configuredChains: () => ['ethereum'],
      now,
      log,
    });
  const processes = [start(), start()];
  const goesOn = async () => {
    const from = watchdog.calls.length;
    await until(() => watchdog.calls.length >= from + 2);
  };
  /** At most the call of each of the two intervals in which it may notice. */
  const stops = async (isNoticed: () => Promise<unknown>) => {
    const from = watchdog.calls.length;
    await until(isNoticed);
    const noticed = watchdog.calls.length;
    expect(noticed - from).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, 2 * everyMs));
    expect(watchdog.calls.length).toBeLessThanOrEqual(noticed + 1);
  };
  const judged = (part: string) => async () =>
    (await readHeartbeat(world.store, Date.now())).faults.some((fault) => fault.part === part);
  try {
    const startedAt = performance.now();
    await goesOn();
    await goesOn();
    // However many processes there are, each interval has one call.
    const intervals = (performance.now() - startedAt) / (everyMs * 0.8);
    expect(watchdog.calls.length).toBeLessThanOrEqual(Math.ceil(intervals) + 1);
    await until(() => second.calls.length >= watchdog.calls.length - 1);
    expect(new Set(watchdog.calls)).toEqual(new Set(['GET /ping/secret-key']));

    await worker.stop();
    await stops(judged('deliveries'));
    // Each change is logged once by each process.
    expect(lines.filter((line) => line.includes('No canary has come through'))).toHaveLength(
      processes.length,
    );
    worker = world.work();
    await goesOn();

    // What a full disk answers to every write.
    await world.store.query(
      sql`create function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file' using errcode = '53100'; end $$`,
    );
    await world.store.query(
      sql`create trigger refuse before insert or update on delivery for each statement execute function refuse()`,
    );
    const refused = (word: string) => async () => lines.some((line) => line.includes(word));
    await stops(refused('disk of the database is full'));
    await world.store.query(sql`drop trigger refuse on delivery`);
    await goesOn();

    isGone = true;
    await stops(refused('gone'));
    isGone = false;
    await goesOn();

    second.answer(500);
    await until(async () =>
      (await readHeartbeat(world.store, Date.now())).sendFault?.includes('answered 500'),
    );
    second.answer(200);
    await until(async () => (await readHeartbeat(world.store, Date.now())).sendFault === null);

    skew = 3_600_000;
    await stops(judged('clock'));
    expect(lines.join('')).not.toContain('secret-key');
  } finally {
    clearInterval(passing);
    await Promise.all(processes.map((process) => process.stop()));
    await worker.stop();
    await watchdog.close();
    await second.close();
  }
}, 60_000);

it('goes on through a burst of deliveries, a receiver that hangs and one that fails, and no tenant sees the canary', async () => {
  const { sink, store, tenantId } = world;
  sink.script('/hangs', () => 'hang');
  sink.script('/fails', () => 500);
  const made = await Promise.all(['/hangs', '/fails', '/takes'].map((path) => world.addDestination(path)));
  await world.bind(...made.map(({ id }) => id));
  const worker = world.work();
  try {
    for (let i = 0; i < 4; i++)
      await world.push(...Array.from({ length: 100 }, () => ({ severity: 'HIGH' })));
    for (let i = 0; i < 3; i++) {
      const at = Date.now();
      await queueCanary(store, at);
      const canaryAt = await until(async () => {
        const vitals = await readVitals(store, { now: Date.now(), limitMs: minute, configured: [] });
        return vitals.canaryAt !== null && vitals.canaryAt >= at ? vitals.canaryAt : undefined;
      });
      expect(canaryAt - at).toBeLessThan(minute);
    }
  } finally {
    await worker.stop();
  }
  const kept = await store.query<{ kept: number }>(
    sql`select (select count(*) from delivery where tenant_id = 0) + (select count(*) from delivery_attempt
        where tenant_id = 0) as kept`,
  );
  expect(kept[0]?.kept).toBeLessThanOrEqual(2);
  const samples = await store.query<{ tenantId: number; labels: unknown }>(
    sql`select tenant_id as "tenantId", labels from metric_sample where metric = 'deliveries'`,
  );
  expect(samples.filter((sample) => JSON.stringify(sample.labels).includes('CANARY'))).toEqual([]);
  expect(world.delivered).not.toContain('CANARY');
  const { data } = await world.ok('POST', 'tenant/telemetry', {
    metric: 'deliveries',
    start: '-1h',
    end: 'now',
  });
  expect(JSON.stringify(data)).not.toContain('canary');
  expect(tenantId).toBeGreaterThan(0);
}, 60_000);
