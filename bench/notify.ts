import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toEgress } from '../src/lib/egress.ts';
import { createNotifier } from '../src/notify/createNotifier.ts';
import { createRequestSender } from '../src/notify/createRequestSender.ts';
import { createNotifyOnAlerts } from '../src/notify/notifyOnAlerts.ts';
import { startDeliveryWorker } from '../src/notify/startDeliveryWorker.ts';
import { createAlertLinks } from '../src/services/alerts/createAlertLinks.ts';
import type { Store } from '../src/store/db/db.ts';
import { listen } from '../src/store/db/listen.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { openKeyring } from '../src/store/records/keyring.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { createHookTarget } from './support/createHookTarget.ts';
import { machine } from './support/machine.ts';
import { measureDecisions } from './support/measureDecisions.ts';
import { measureDeliveryStore } from './support/measureDeliveryStore.ts';
import { postBare } from './support/postBare.ts';
import { raiseNumberedAlerts } from './support/raiseNumberedAlerts.ts';
import type { Arrivals } from './support/receive.ts';
import { reportProgress } from './support/reportProgress.ts';
import { setRoutes, setSilences, spreadRoutes } from './support/setRules.ts';

/** How long alerts come at the steady rate; `npm run bench:notify -- 600` for ten minutes, `-- store` for the database alone, `-- silences` for deciding beside silences and routes. */
const seconds = Number(process.argv[3] ?? 30);
const perSecond = 200;
const backlog = 5000;
const destinations = 20;

const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
const embedded = await startWithSuperuser({ dataDir: folder });
const receiver = fork(fileURLToPath(new URL('./support/receive.js', import.meta.url)), [
  String(destinations),
]);
try {
  if (process.argv[3] === 'store') {
    await migrate(embedded.connection);
    console.log((await measureDeliveryStore(embedded.connection, embedded.dataFolder)).join('\n'));
  } else if (process.argv[3] === 'silences') {
    await migrate(embedded.connection);
    console.log((await measureDecisions(embedded.connection)).join('\n'));
  } else await measureSending();
} finally {
  receiver.kill();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureSending(): Promise<void> {
  const [ports] = (await once(receiver, 'message')) as [number[]];
  await migrate(embedded.connection);
  const store = openStore(embedded.connection, () => {});
  const rows = await measure(store, ports);
  await store.close();
  print(rows);
}

async function measure(store: Store, ports: readonly number[]): Promise<string[]> {
  const key = randomBytes(32);
  const keyring = await openKeyring(store, () => [key], Date.now());
  const allowNetworks = new BlockList();
  allowNetworks.addSubnet('127.0.0.0', 8);
  await createHookTarget(store, keyring, ports);
  const follow = createNotifyOnAlerts({ links: createAlertLinks(() => 'http://127.0.0.1'), now: Date.now });
  const errors: unknown[] = [];
  const worker = startDeliveryWorker({
    store,
    keyring,
    notifier: createNotifier({
      HTTP: createRequestSender({ egress: toEgress(allowNetworks), now: Date.now }),
    }),
    listen: (onMessage) => listen(embedded.connection, 'vigil_work', onMessage),
    onDelivered: () => {},
    now: Date.now,
    random: Math.random,
    onError: (error) => errors.push(error),
  });

  reportProgress(`${backlog} requests that are signed and sent, and nothing else`);
  const barePerSecond = await postBare(ports[0]!, backlog);
  await arrived(receiver, backlog);

  reportProgress(`A backlog of ${backlog} alerts, each to a healthy and a hanging destination`);
  const start = performance.now();
  for (let n = 0; n < backlog; n += 100) {
    await raiseNumberedAlerts(store, follow, { first: n, count: 100, members: toPlace });
  }
  await arrived(receiver, backlog);
  const deliveriesPerSecond = backlog / ((performance.now() - start) / 1000);

  let first = backlog;
  const steady = async (members: typeof toPlace) => {
    const memory: number[] = [];
    const startedAt = performance.now();
    for (let n = 0; n < seconds * 10; n++) {
      await raiseNumberedAlerts(store, follow, { first, count: perSecond / 10, members });
      first += perSecond / 10;
      if (n % 10 === 0) memory.push(process.memoryUsage().rss / 1e6);
      await sleep(Math.max(0, startedAt + (n + 1) * 100 - performance.now()));
    }
    const { delays } = await arrived(receiver, seconds * perSecond);
    delays.sort((a, b) => a - b);
    const at = (share: number) => delays[Math.floor((delays.length - 1) * share)]!.toFixed(0);
    return { memory, p50: at(0.5), p99: at(0.99) };
  };
  reportProgress(`${perSecond} alerts a second for ${seconds} s`);
  const plain = await steady(toPlace);
  reportProgress(`The same beside 1,000 routes and 1,000 silences of the tenant`);
  await setSilences(store, (n) => `name:maintenance${n} OR meta.reason:maintenance${n}`);
  await setRoutes(store, (n) => `detectorId:${1000 + n} AND name:large`, null, [1, 2]);
  await spreadRoutes(store, destinations / 2);
  const ruled = await steady(toPlace);
  await worker.stop();
  if (errors.length > 0) throw errors[0];
  return [
    `| deliveries a second to healthy destinations, half of all hanging | | ${deliveriesPerSecond.toFixed(0)} |`,
    `| the same without Vigil: a signed request each, nothing stored | | ${barePerSecond.toFixed(0)} |`,
    `| alert to first attempt at ${perSecond} alerts a second, p50 ms | | ${plain.p50} |`,
    `| the same, p99 ms | ≤ 1,000 | ${plain.p99} |`,
    `| beside 1,000 routes and 1,000 silences of the tenant, p50 ms | | ${ruled.p50} |`,
    `| the same, p99 ms | ≤ 1,000 | ${ruled.p99} |`,
    `| memory in each fifth of these ${seconds} s, MB | flat, < 512 | ${fifths(plain.memory).join(', ')} |`,
  ];
}

/** Each alert goes to one healthy destination and to one that never answers. */
function toPlace(number: number) {
  return { projectId: 1, contractId: 1, detectorId: 1 + (number % (destinations / 2)) };
}

/** The mean of each fifth: what is needed for good shows in the last, what is only collected late in none. */
function fifths(samples: readonly number[]): string[] {
  const size = samples.length / 5;
  return [0, 1, 2, 3, 4].map((n) => {
    const part = samples.slice(Math.floor(n * size), Math.floor((n + 1) * size));
    return (part.reduce((sum, each) => sum + each, 0) / part.length).toFixed(0);
  });
}

async function arrived(sink: ChildProcess, count: number): Promise<Arrivals> {
  sink.send({ count });
  const [arrivals] = (await once(sink, 'message')) as [Arrivals];
  return arrivals;
}

function print(rows: readonly string[]): void {
  console.log(
    [
      '',
      `${machine()}. ${destinations} HTTP destinations on loopback, each a host of its own, half of which never answer; every alert goes to one of each. Receiver, Vigil and PostgreSQL share the machine.`,
      '',
      '| notifications | goal | measured |',
      '|---|--:|--:|',
      ...rows,
    ].join('\n'),
  );
}
