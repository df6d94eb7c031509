import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from '../../src/lib/sql.ts';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import { createAlertLinks } from '../../src/services/alerts/createAlertLinks.ts';
import type { Store } from '../../src/store/db/db.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { claimDeliveries } from '../../src/store/destinations/claimDeliveries.ts';
import { insertDeliveries, type NewMessage } from '../../src/store/destinations/insertDeliveries.ts';
import { settleDeliveries } from '../../src/store/destinations/settleDeliveries.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';
import { createHookTarget } from './createHookTarget.ts';
import { raiseNumberedAlerts } from './raiseNumberedAlerts.ts';
import { readPostgresCpu } from './readPostgresCpu.ts';

const alerts = 100_000;
const perTransaction = 100;
/** Receivers of each alert. */
const receivers = 2;
const destinations = 20;

type Usage = { nodeUs: number; postgresUs: number; log: number };

/** What storing, claiming and settling a delivery cost the database, without sending it, and the bytes that stay. */
export async function measureDeliveryStore(connection: Connection, dataFolder: string): Promise<string[]> {
  const store = openStore({ ...connection, statement_timeout: 0 }, () => {});
  const message = await createSample(store);
  await store.query(sql`update destination set last_sent_at = 1`);
  const count = alerts * receivers;
  const rows = ['| per delivery | node µs | PostgreSQL µs | log bytes |', '|---|--:|--:|--:|'];
  const measure = async (name: string, work: () => Promise<void>) => {
    const before = await readUsage(store, dataFolder);
    await work();
    const after = await readUsage(store, dataFolder);
    const per = (key: keyof Usage) => Math.round((after[key] - before[key]) / count).toLocaleString('en');
    rows.push(`| ${name} | ${per('nodeUs')} | ${per('postgresUs')} | ${per('log')} |`);
  };
  const now = Date.now();
  await measure('stored', async () => {
    for (let n = 0; n < alerts; n += perTransaction)
      await store.transaction((tx) =>
        insertDeliveries(
          tx,
          Array.from({ length: perTransaction }, (_, k) => vary(message, n + k)),
          now,
        ),
      );
  });
  await measure('claimed and settled', async () => {
    for (let done = 0; done < count; ) {
      const claimed = await claimDeliveries(store, {
        now: now + 1,
        busy: new Map(),
        limit: 1000,
        mailLimit: 0,
        hasMail: false,
      });
      if (claimed.length === 0) throw new Error(`${done} of ${count} deliveries could be claimed.`);
      done += claimed.length;
      await store.transaction((tx) =>
        settleDeliveries(
          tx,
          claimed.map(({ tenantId, sequence: id, destinationId }) => ({
            tenantId,
            id,
            destinationId,
            at: now,
            durationMs: 12,
            isDelivered: true,
            isStep: true,
            status: 200,
            error: null,
            nextAttemptAt: null,
          })),
          now,
        ),
      );
    }
  });
  const sizes = await readSizes(store, count);
  await store.close();
  return [...rows, '', ...sizes];
}

/** The message of an alert that a detector raised, as the hook writes it. */
async function createSample(store: Store): Promise<NewMessage> {
  const key = randomBytes(32);
  const keyring = await openKeyring(store, () => [key], Date.now());
  const ports = Array.from({ length: destinations }, () => 1);
  await createHookTarget(store, keyring, ports);
  const hook = createNotifyOnAlerts({
    links: createAlertLinks(() => 'https://vigil.example.com'),
    now: Date.now,
  });
  const address = () => `0x${randomBytes(20).toString('hex')}`;
  const members = () => ({
    projectId: 1,
    contractId: 1,
    detectorId: 1,
    chainUid: 'ethereum',
    blockNumber: 21_000_000,
    blockHash: `0x${randomBytes(32).toString('hex')}`,
    txHash: `0x${randomBytes(32).toString('hex')}`,
    meta: { from: address(), to: address(), token: address(), amount: '1250000.5', symbol: 'USDC' },
  });
  await raiseNumberedAlerts(store, hook, { first: 0, count: 1, members });
  const [row] = await store.query<{ data: NewMessage['data'] }>(
    sql`select data from delivery_message limit 1`,
  );
  await store.query(sql`truncate delivery, delivery_queue, delivery_message`);
  if (!row) throw new Error('No message was written.');
  return { tenantId: 1, type: 'alert.detector.raised', data: row.data, destinationIds: [] };
}

function vary(message: NewMessage, number: number): NewMessage {
  const uid = randomUUID();
  const txHash = `0x${randomBytes(32).toString('hex')}`;
  const first = 1 + (number % (destinations / receivers)) * receivers;
  return {
    ...message,
    data: { ...message.data, uid, eid: `bench-${number}`, txHash },
    destinationIds: Array.from({ length: receivers }, (_, n) => first + n),
    alertUid: uid,
  };
}

async function readUsage(store: Store, dataFolder: string): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  const [row] = await store.query<{ log: number }>(
    sql`select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as log`,
  );
  return { nodeUs: user + system, postgresUs: await readPostgresCpu(dataFolder), log: row?.log ?? 0 };
}

/** By table and index, after the database has had the time to clean up. */
async function readSizes(store: Store, count: number): Promise<string[]> {
  await store.query(sql`vacuum`);
  const rows = await store.query<{ name: string; bytes: number }>(
    sql`select c.relname as name, pg_relation_size(c.oid)::float8 as bytes from pg_class c
      where c.relname like 'delivery%' and c.relkind in ('r', 'i') and pg_relation_size(c.oid) >= ${count}
      order by 2 desc`,
  );
  const lines = rows.map(({ name, bytes }) => `| ${name} | ${Math.round(bytes / count)} |`);
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    '| table or index | bytes a delivery |',
    '|---|--:|',
    ...lines,
    `| all | ${Math.round(all / count)} |`,
  ];
}
