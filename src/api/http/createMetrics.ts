import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of this process. No label carries a tenant, an id or anything else a caller chose. */
export function createMetrics(
  poolStats: () => { total: number; idle: number; waiting: number },
  replicaAges: () => readonly (number | undefined)[] = () => [],
) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  return {
    observeRequest: (method: string, route: string, status: number, seconds: number) =>
      requests.observe({ method, route, status }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
