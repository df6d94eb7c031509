/**
 * What one costs, as measured (docs/performance.md, docs/sizing.md): processor time in seconds, bytes at rest and of PostgreSQL's
 * log. Those of a cluster were measured on a coordinator with two workers.
 */
export const costs = {
  alert: { vigil: 0.13e-3, postgres: 0.19e-3, coordinator: 0.1e-3, worker: 0.29e-3 },
  alertBytes: 1300,
  alertLog: { single: 3100, coordinator: 300, worker: 3000 },
  delivery: { vigil: 1.56e-3, postgres: 0.14e-3, coordinator: 0.22e-3 },
  deliveryBytes: { row: 700, message: 2000 },
  // An alert that notifies, with its delivery: 5.5 kB on the coordinator.
  deliveryLog: { single: 2800, coordinator: 5200 },
  archived: { worker: 0.13e-3 },
  search: 10e-3,
  searchesPerTenant: 1 / 20,
  block: 15e-3,
  blocksPerChain: 20 / 32,
  /** One chain is one sequence of transactions. */
  alertsOfChain: 5000,
  /** Of one process. */
  deliveriesOfProcess: 1000,
  connectionsOfProcess: 51,
};

const secondsOfDay = 86_400;
/** Alerts are dropped by days where they are kept no longer than this, else by months: the oldest are as much older than they need be. */
const monthDays = 31;
const dropped = (/** @type {number} */ days) => days + (days <= monthDays ? 1 : monthDays);
const archivedAfterDays = 7;
/** Of a disk: the rest is for the log, for indexes that are rebuilt, and for a month that is dropped late. */
const usable = 0.8;
/** Of the cores: the rest is for bursts. */
const busy = 0.5;

export const defaults = {
  alerts: { value: 12, help: 'alerts a second, mean of all day' },
  deliveries: { value: 1, help: 'deliveries for each alert' },
  tenants: { value: 1000, help: 'tenants; one in 20 searches once a second at the busiest time' },
  chains: { value: 32, help: 'chains that are watched' },
  share: { value: 0.25, help: 'share of the busiest chain in all alerts' },
  days: { value: 30, help: 'days for which alerts are kept (VIGIL_RETENTION_DAYS)' },
  'delivery-days': { value: 90, help: 'days for which deliveries are kept (VIGIL_DELIVERY_DAYS)' },
  disk: { value: 10, help: 'TB of a database server' },
  cores: { value: 32, help: 'cores of a database server' },
  log: { value: 200, help: 'MB/s of log that disk and standbys take' },
};

/** @typedef {Record<keyof typeof defaults, number>} Rates */

/** What each limit allows, in alerts a second, the lowest first: of one server, and of the coordinator of a cluster. */
export function limitsOf(/** @type {Rates} */ rates) {
  const { deliveries, days, disk, cores, log, share } = rates;
  const deliveryDays = rates['delivery-days'];
  const bytes = disk * 1e12 * usable;
  const spare = cores * busy;
  const alertRest = costs.alertBytes * dropped(days) * secondsOfDay;
  const { row, message } = costs.deliveryBytes;
  const hereDays = Math.min(archivedAfterDays, deliveryDays);
  const chain = ['one chain, a sequence of transactions', costs.alertsOfChain / share];
  const single = [
    ['disk', bytes / (alertRest + deliveries * (row + message) * deliveryDays * secondsOfDay)],
    ['processor', spare / (costs.alert.postgres + deliveries * costs.delivery.postgres)],
    ['log', (log * 1e6) / (costs.alertLog.single + deliveries * costs.deliveryLog.single)],
    chain,
  ];
  const coordinator = [
    [
      'disk of the coordinator (deliveries)',
      bytes / (deliveries * secondsOfDay * (row * deliveryDays + message * hereDays)),
    ],
    [
      'processor of the coordinator',
      spare / (costs.alert.coordinator + deliveries * costs.delivery.coordinator),
    ],
    [
      'log of the coordinator',
      (log * 1e6) / (costs.alertLog.coordinator + deliveries * costs.deliveryLog.coordinator),
    ],
    chain,
  ];
  const worker = [
    [
      'disk of a worker',
      bytes /
        (alertRest + deliveries * message * Math.max(0, deliveryDays - archivedAfterDays) * secondsOfDay),
    ],
    ['processor of a worker', spare / (costs.alert.worker + deliveries * costs.archived.worker)],
    ['log of a worker', (log * 1e6) / costs.alertLog.worker],
  ];
  const sorted = (/** @type {[string, number][]} */ limits) => limits.toSorted(([, a], [, b]) => a - b);
  return { single: sorted(single), coordinator: sorted(coordinator), worker: sorted(worker) };
}

/** Text with the machines for these rates: first as several installations, then as one cluster. */
export function describeSize(/** @type {Rates} */ rates) {
  const { alerts, deliveries, tenants, chains, share } = rates;
  const { single, coordinator, worker } = limitsOf(rates);
  // Of a chain there is one, however many servers there are.
  const ofChain = costs.alertsOfChain / share;
  const installations = Math.ceil(alerts / Math.min(...single.map(([, limit]) => limit)));
  const clusters = Math.ceil(alerts / Math.min(...coordinator.map(([, limit]) => limit)));
  const workers = Math.max(2, Math.ceil(alerts / clusters / worker[0][1]));
  const searches = tenants * costs.searchesPerTenant;
  const vigilCores =
    alerts * (costs.alert.vigil + deliveries * costs.delivery.vigil) +
    chains * costs.blocksPerChain * costs.block;
  const senders = Math.max(2, Math.ceil((alerts * deliveries) / costs.deliveriesOfProcess));
  const processes = senders + 2;
  const row = (/** @type {unknown[]} */ cells) => `| ${cells.join(' | ')} |`;
  const limits = (/** @type {[string, number][]} */ list) =>
    list.map(([name, limit]) => row([name, round(limit)]));
  return [
    `${round(alerts)} alerts a second, ${round(alerts * secondsOfDay)} a day; ${round(alerts * deliveries)} deliveries a second; ` +
      `${round(tenants)} tenants; ${chains} chains, the busiest with ${Math.round(share * 100)} % of the alerts.`,
    '',
    row(['what ends', 'at alerts a second']),
    row(['---', '--:']),
    row(['**one server**', '']),
    ...limits(single),
    row(['**the coordinator of a cluster**', '']),
    ...limits(coordinator),
    row(['**each worker**', '']),
    ...limits(worker),
    '',
    row(['', 'installations with a server each', 'clusters of Citus']),
    row(['---', '--:', '--:']),
    row(['how many', round(installations), round(clusters)]),
    row(['database servers, without standbys', round(installations), round(clusters * (1 + workers))]),
    row(['workers of each', 0, round(workers)]),
    row(['tenants of each', round(Math.ceil(tenants / installations)), round(Math.ceil(tenants / clusters))]),
    row([
      'TB a day, all together',
      terabytes(alerts * secondsOfDay * (costs.alertBytes + deliveries * 2700)),
      terabytes(alerts * secondsOfDay * (costs.alertBytes + deliveries * 2700)),
    ]),
    row([
      'cores for searches',
      round(Math.ceil(searches * costs.search)),
      round(Math.ceil(searches * costs.search * 1.5)),
    ]),
    row(['cores for Vigil', round(Math.ceil(vigilCores)), round(Math.ceil(vigilCores))]),
    row([
      'connections of each (`max_connections`)',
      round(Math.ceil(processes / installations + 1) * costs.connectionsOfProcess),
      round(Math.ceil(processes / clusters + 1) * costs.connectionsOfProcess),
    ]),
    ...(alerts > ofChain
      ? [
          '',
          `The busiest chain has ${round(alerts * share)} alerts a second, one process stores ${round(costs.alertsOfChain)}: it is behind unless installations divide its tenants.`,
        ]
      : []),
  ].join('\n');
}

function round(/** @type {number} */ value) {
  if (value < 10) return Number(value.toPrecision(2)).toLocaleString('en');
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return (value < 1000 ? Math.round(value) : Math.round(value / digits) * digits).toLocaleString('en');
}

const terabytes = (/** @type {number} */ bytes) => Number((bytes / 1e12).toPrecision(2)).toLocaleString('en');
