import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distributedTables } from '../src/store/db/citus/distributedTables.ts';
import type { Store } from '../src/store/db/db.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { defaultShards, distribute } from '../src/store/db/shards/distribute.ts';
import { type Citus, startCitus, whyNoCitus } from '../testing/startCitus.ts';
import { machine } from './support/machine.ts';
import { type Compared, measureBlocks, measureQuestions } from './support/measureCluster.ts';
import { readPostgresCpu } from './support/readPostgresCpu.ts';
import { reportProgress } from './support/reportProgress.ts';
import { createAlertWorld, fillAlerts, seedContracts } from './support/seedAlerts.ts';

/**
 * `npm run bench:cluster` takes 60,000 alerts; `npm run bench:cluster -- 1000000` a million, with `blocks` writes only, with `all 64`
 * 64 shards.
 */
const count = Number(process.argv[3] ?? 60_000);
const isBlocksOnly = process.argv[4] === 'blocks';
const shards = Number(process.argv[5] ?? defaultShards);

const missing = await whyNoCitus();
if (missing) {
  console.error(`NOT MEASURED: ${missing}`);
  process.exit(0);
}
const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
await mkdir(folder);
await chmod(folder, 0o755);
const opened: Store[] = [];
let citus: Citus | undefined;
const cleanUp = async () => {
  for (const node of citus ? [citus.coordinator, ...citus.workers, citus.plain] : []) {
    await node?.kill();
    if (node) await rm(node.connection.host, { recursive: true, force: true });
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
try {
  reportProgress('Starting four servers');
  citus = await startCitus((name) => join(folder, name), { isBeside: true });
  await compare(citus);
} finally {
  for (const store of opened) await store.close();
  await cleanUp();
}

async function compare({ coordinator, workers, plain }: Citus): Promise<void> {
  if (!plain) throw new Error('There is no plain server.');
  const open = async (node: typeof plain): Promise<Store> => {
    await migrate(node.connection);
    const store = openStore({ ...node.connection, statement_timeout: 0 }, () => {});
    opened.push(store);
    await seedContracts(store);
    // The same alerts in both.
    await fillAlerts(store, createAlertWorld(Date.UTC(2026, 10, 15), count, 0), count, reportProgress);
    return store;
  };
  const single = await open(plain);
  await open(coordinator);
  reportProgress('Distributing');
  await distribute(coordinator.connection, reportProgress, shards);
  const cluster = openStore({ ...coordinator.connection, statement_timeout: 0 }, () => {});
  opened.push(cluster);
  for (const node of [plain, coordinator]) await node.ask('vacuum analyze');
  for (const table of distributedTables) await coordinator.ask(`vacuum analyze ${table}`);
  const sides: Compared = {
    plain: { store: single, read: () => readPostgresCpu(plain.dataFolder), coordinator: async () => 0 },
    cluster: {
      store: cluster,
      read: async () => {
        const all = await Promise.all(
          [coordinator, ...workers].map(({ dataFolder }) => readPostgresCpu(dataFolder)),
        );
        return all.reduce((sum, us) => sum + us, 0);
      },
      coordinator: () => readPostgresCpu(coordinator.dataFolder),
    },
  };
  console.log(
    `${count.toLocaleString('en')} alerts, 50 tenants, 12 months; a coordinator and ${workers.length} workers with ${shards} shards against one plain ` +
      `server of the same PostgreSQL, all on this machine. ${machine()}.\n`,
  );
  const world = createAlertWorld(Date.UTC(2026, 10, 15), count, count);
  if (!isBlocksOnly) await measureQuestions(sides, world);
  await measureBlocks(sides, world);
}
