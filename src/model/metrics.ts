type Metric = { kind: 'counter' | 'gauge'; labels: readonly string[]; help: string };

/** Everything that Vigil counts and measures of itself. Every series also belongs to a tenant or to the platform. */
export const metrics = {
  api_requests: {
    kind: 'counter',
    labels: ['type'],
    help: 'API requests that were let in; type is the HTTP method. Those of the platform are all of them.',
  },
  blocks: { kind: 'counter', labels: ['chain'], help: 'Blocks processed.' },
  transactions: { kind: 'counter', labels: ['chain'], help: 'Transactions processed.' },
  events: { kind: 'counter', labels: ['chain'], help: 'Events of transactions processed.' },
  evaluations: {
    kind: 'counter',
    labels: ['chain', 'type'],
    help: 'Evaluations of detectors and triggers; type says which.',
  },
  alerts: {
    kind: 'counter',
    labels: ['chain', 'type'],
    help: 'Alerts raised; type is the kind: detector, trigger or action.',
  },
  deliveries: {
    kind: 'counter',
    labels: ['type'],
    help: 'Notifications delivered; type is that of the destination.',
  },
  actions: { kind: 'counter', labels: ['chain', 'type'], help: 'Steps of actions; type is the outcome.' },
  score_changes: {
    kind: 'counter',
    labels: ['type'],
    help: 'Changes of scores; type is what made them: alert, tick or retraction.',
  },
  rpc_calls: { kind: 'counter', labels: ['chain', 'type'], help: 'Calls to nodes; type is the RPC method.' },
  pending_transactions: {
    kind: 'counter',
    labels: ['chain', 'type'],
    help: 'Pending transactions; type is seen, simulated or dropped (not looked at, because there were too many).',
  },
  head_lag: {
    kind: 'gauge',
    labels: ['chain'],
    help: 'Blocks between the head of the chain and the newest block processed.',
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;

export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(metrics, name);
}

/** Made once and kept: the recorder identifies a series by its object. */
export type Series = { readonly metric: MetricName; readonly labels: Readonly<Record<string, string>> };

/** Makes each series with these labels, and perhaps a `type`, once. */
export function createSeriesCache(labels: Series['labels'] = {}) {
  const cached = new Map<string, Series>();
  return (metric: MetricName, type?: string): Series => {
    const key = `${metric} ${type ?? ''}`;
    let series = cached.get(key);
    if (!series) {
      series = { metric, labels: type === undefined ? labels : { ...labels, type } };
      cached.set(key, series);
    }
    return series;
  };
}

/** The tenant of what the platform counts for itself. */
export const platformTenant = 0;

/** Sum over one series of one tenant within one minute. */
export type Sample = {
  tenantId: number;
  metric: MetricName;
  labels: Readonly<Record<string, string>>;
  /** Start of the minute in epoch milliseconds. */
  minute: number;
  /** Sum of what was added. */
  value: number;
  /** Number of additions. */
  count: number;
  min: number;
  max: number;
  last: number;
};

export type MetricRecorder = {
  /** Only notes the value in memory, so that it may stand on the way of every request. */
  add(series: Series, tenantId: number, value: number): void;
  /** Writes everything that was added before; what cannot be written is kept for the next time. */
  flush(): Promise<void>;
};
