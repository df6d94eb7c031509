import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createBriefCache } from '../../lib/createBriefCache.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { type HeartbeatState, heartbeatParts } from '../../model/heartbeat.ts';
import type { Backlog } from '../../store/telemetry/readBacklog.ts';
import { addLoopLag, neverMs } from './addLoopLag.ts';
import { toOpenMetrics } from './toOpenMetrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of this process. No label carries a tenant, an id or anything else a caller chose. */
export function createMetrics(
  poolStats: () => { total: number; idle: number; waiting: number },
  replicaAges: () => readonly (number | undefined)[] = () => [],
  readBacklog?: () => Promise<Backlog>,
  readHeartbeat?: () => Promise<HeartbeatState>,
) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs });
  addLoopLag(registry);
  // Gauges with the ending of counters, which checkers of metrics refuse; the same figures stand by kind beside them.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const requests = new Histogram({
    name: 'vigil_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'vigil_store_connections',
    help: 'Connections to PostgreSQL by state; waiting counts requests that want one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(poolStats())) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'vigil_replica_age_seconds',
    help: 'How old answers of a read replica may be, in the order of DATABASE_REPLICA_URLS; +Inf while that is unknown.',
    labelNames: ['replica'],
    registers: [registry],
    collect() {
      for (const [i, ageMs] of replicaAges().entries())
        this.set({ replica: String(i + 1) }, ageMs === undefined ? Number.POSITIVE_INFINITY : ageMs / 1000);
    },
  });
  if (readBacklog) addBacklog(registry, readBacklog);
  if (readHeartbeat) addHeartbeat(registry, readHeartbeat);
  return {
    observeRequest: (method: string, route: string, status: number, seconds: number) =>
      requests.observe({ method, route, status }, seconds),
    /** In the form that the reader asks for. */
    read: async (accept = '') => {
      const text = await registry.metrics();
      return accept.includes('application/openmetrics-text')
        ? { contentType: Registry.OPENMETRICS_CONTENT_TYPE, text: toOpenMetrics(text) }
        : { contentType: Registry.PROMETHEUS_CONTENT_TYPE, text };
    },
  };
}

/** However often it is scraped, the database is asked at most this often. */
const storedTtlMs = 5000;
/** A busy database must not keep the other metrics from being read. */
const storedWaitMs = 1000;

/** Undefined while the database does not answer. */
function createStoredReader<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  const cache = createBriefCache<T>(storedTtlMs, 1);
  return () =>
    settleWithin(
      storedWaitMs,
      cache('', read).catch(() => undefined),
      () => undefined,
    );
}

/** The same from every process; without the database nothing is known to work. */
function addHeartbeat(registry: Registry, readHeartbeat: () => Promise<HeartbeatState>): void {
  const read = createStoredReader(readHeartbeat);
  new Gauge({
    name: 'vigil_heartbeat_ok',
    help: 'Whether chains are followed and queues move, as far as any process knows; VIGIL_HEARTBEAT_URL is called only while it is 1.',
    registers: [registry],
    async collect() {
      this.set(Number((await read())?.isOk ?? false));
    },
  });
  new Gauge({
    name: 'vigil_heartbeat_fault',
    help: 'Whether a part keeps the heartbeat from being sent.',
    labelNames: ['reason'],
    registers: [registry],
    async collect() {
      const state = await read();
      const broken = new Set(state ? state.faults.map(({ part }) => part) : ['database']);
      for (const part of heartbeatParts) this.set({ reason: part }, Number(broken.has(part)));
    },
  });
  new Gauge({
    name: 'vigil_heartbeat_age_seconds',
    help: 'Since when no address of VIGIL_HEARTBEAT_URL was called; missing before the first call.',
    registers: [registry],
    async collect() {
      this.reset();
      const sentAt = (await read())?.sentAt ?? null;
      if (sentAt !== null) this.set(Math.max(0, Date.now() - sentAt) / 1000);
    },
  });
}

/**
 * Waiting work in the database, the same from every process; missing while the database does not answer, which has a
 * metric too.
 */
function addBacklog(registry: Registry, readBacklog: () => Promise<Backlog>): void {
  const read = createStoredReader(readBacklog);
  new Gauge({
    name: 'vigil_backlog_readable',
    help: 'Whether the database said in time what waits; the metrics of queues and chains are missing while it is 0.',
    registers: [registry],
    async collect() {
      this.set(Number((await read()) !== undefined));
    },
  });
  const gauge = (
    name: string,
    help: string,
    label: string,
    values: (backlog: Backlog) => [string, number][],
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        this.reset();
        const backlog = await read();
        if (backlog) for (const [key, value] of values(backlog)) this.set({ [label]: key }, value);
      },
    });
  gauge(
    'vigil_queue_length',
    'What is due and not yet done, of all processes, up to 100,000: deliveries, intents, scores, and alerts of a shard group that is down.',
    'queue',
    ({ queues }) => queues.map(({ queue, count }) => [queue, count]),
  );
  gauge('vigil_queue_age_seconds', 'Since when the oldest of them is due.', 'queue', ({ queues }) =>
    queues.map(({ queue, since }) => [queue, since === null ? 0 : Math.max(0, Date.now() - since) / 1000]),
  );
  gauge(
    'vigil_unwritten_tenants',
    'Tenants whose findings wait for a database worker that cannot be written.',
    'worker',
    ({ unwritten }) => unwritten.map(({ worker, tenants }) => [String(worker), tenants]),
  );
  gauge(
    'vigil_unwritten_bytes',
    'Size of the findings that wait for it on the coordinator; a chain stops at VIGIL_MAX_UNWRITTEN_MIB.',
    'worker',
    ({ unwritten }) => unwritten.map(({ worker, bytes }) => [String(worker), bytes]),
  );
  gauge(
    'vigil_chain_lag_blocks',
    'Blocks between the head of a chain and the newest block processed.',
    'chain',
    ({ chains }) => chains.map(({ chainUid, lag }) => [chainUid, lag]),
  );
  gauge('vigil_chain_followed', 'Whether any process follows the chain.', 'chain', ({ chains }) =>
    chains.map(({ chainUid, isFollowed }) => [chainUid, Number(isFollowed)]),
  );
}
