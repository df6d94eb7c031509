import { BlockList } from 'node:net';
import type { HostQueues } from '../../../src/lib/createHostQueues.ts';
import type { Resolve } from '../../../src/lib/createResolve.ts';
import { type Egress, toEgress } from '../../../src/lib/egress.ts';
import { sql } from '../../../src/lib/sql.ts';
import type { Target } from '../../../src/model/notification.ts';
import type { Sender } from '../../../src/notify/createNotifier.ts';
import { createNotifier } from '../../../src/notify/createNotifier.ts';
import { createRequestSender } from '../../../src/notify/createRequestSender.ts';
import { createNotifyOnAlerts } from '../../../src/notify/notifyOnAlerts.ts';
import { startDeliveryWorker } from '../../../src/notify/startDeliveryWorker.ts';
import { createActionLinks } from '../../../src/services/alerts/createActionLinks.ts';
import { createAlertLinks } from '../../../src/services/alerts/createAlertLinks.ts';
import { listen } from '../../../src/store/db/listen.ts';
import { addSource } from '../../../testing/addSource.ts';
import { requestSenders } from '../../../testing/requestSenders.ts';
import { type Json, startTestApi, type TestApi } from '../../../testing/startTestApi.ts';
import { type HttpSink, startHttpSink } from './httpSink.ts';

export type NotifyWorld = TestApi & {
  sink: HttpSink;
  tenantId: number;
  detectorId: number;
  contractId: number;
  now: () => number;
  errors: unknown[];
  /** Messages that got through, as they were counted. */
  delivered: string[];
  /** Starts one more process that sends. */
  work(): { wake(): void; stop(): Promise<void> };
  /** A destination at a path of the sink, with its secret. */
  addDestination(path: string, members?: Json): Promise<{ id: number; secret: string }>;
  /** The detector's destinations become these. */
  bind(...items: (number | Json)[]): Promise<void>;
  /** Confirms every e-mail address. */
  confirmAll(): Promise<void>;
  push(...alerts: Json[]): Promise<string[]>;
  deliveries(destinationId: number, query?: string): Promise<Json>;
};

type Options = {
  timeLimitMs?: number;
  resolve?: Resolve;
  random?: () => number;
  senders?: Partial<Record<Target['type'], Sender>>;
  egress?: Egress;
  hosts?: HostQueues;
  /** Whether new alerts carry links by which readers act. */
  hasActionLinks?: boolean;
  /** The built console, to be served too. */
  consoleFolder?: URL;
};

/** A tenant with a detector that alerts are pushed into, and a receiver for them. */
export async function startNotifyWorld(options: Options = {}): Promise<NotifyWorld> {
  const sink = await startHttpSink();
  const egress = options.egress ?? toEgress(loopback());
  let now = Date.now;
  const sender = createRequestSender({
    egress,
    ...(options.hosts ? { hosts: options.hosts } : {}),
    now: () => now(),
    timeLimitMs: options.timeLimitMs ?? 2000,
    ...(options.resolve ? { resolve: options.resolve } : {}),
  });
  const notifier = createNotifier({ ...requestSenders(sender), ...options.senders });
  const links = createAlertLinks(() => 'https://vigil.example.com');
  const api = await startTestApi({
    egress,
    notifier,
    alertHooks: [createNotifyOnAlerts({ links, now: () => now() })],
    ...(options.consoleFolder ? { consoleFolder: options.consoleFolder } : {}),
  });
  now = api.services.now;
  const started = new Set<{ stop(): Promise<void> }>();
  const errors: unknown[] = [];
  const delivered: string[] = [];

  const tenant = await api.ok('POST', 'tenant', { name: 'Receivers' });
  const source = await addSource(api, tenant.id);
  let count = 0;

  return {
    ...api,
    sink,
    ...source,
    now: () => now(),
    errors,
    delivered,
    work() {
      let wake = () => {};
      const worker = startDeliveryWorker({
        store: api.store,
        keyring: api.services.keyring,
        notifier,
        listen: (onNotify) => {
          wake = onNotify;
          return listen(api.connection, 'vigil_work', onNotify);
        },
        ...(options.hasActionLinks
          ? { addLinks: createActionLinks(api.services.keyring.audit, () => api.url) }
          : {}),
        onDelivered: (type) => delivered.push(type),
        now: () => now(),
        random: options.random ?? Math.random,
        onError: (error) => errors.push(error),
      });
      const handle = {
        wake: () => wake(),
        stop: async () => {
          started.delete(handle);
          await worker.stop();
        },
      };
      started.add(handle);
      return handle;
    },
    async addDestination(path, members = {}) {
      const answer = await api.call('POST', 'destination', {
        tenantId: tenant.id,
        type: 'HTTP',
        uri: `${sink.url}${path}`,
        ...members,
      });
      if (answer.status !== 201) throw new Error(answer.text);
      return { id: answer.body.id, secret: answer.headers.get('x-webhook-secret') ?? '' };
    },
    async bind(...items) {
      const destinations = items.map((item) =>
        typeof item === 'number' ? { tenantDestinationId: item } : item,
      );
      await api.ok('PUT', `detector/${source.detectorId}`, { destinations });
    },
    async confirmAll() {
      await api.store.query(sql`update destination set confirmed_at = 1 where type = 'EMAIL'`);
    },
    async push(...alerts) {
      const whole = alerts.map((alert) => ({ eid: `finding ${++count}`, message: 'Found.', ...alert }));
      const { results } = await api.ok('POST', `detector/${source.detectorId}/alert`, { alerts: whole });
      return results.map(({ uid }: Json) => uid);
    },
    deliveries: (destinationId, query = 'size=1000') =>
      api.ok('GET', `destination/${destinationId}/delivery?${query}`),
    stop: async () => {
      await Promise.all([...started].map((handle) => handle.stop()));
      await notifier.close();
      await api.stop();
      await sink.close();
    },
  };
}

export function loopback(): BlockList {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8, 'ipv4');
  return list;
}
