import { randomBytes } from 'node:crypto';
import { sql } from '../../src/lib/sql.ts';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import { createAlertLinks } from '../../src/services/alerts/createAlertLinks.ts';
import type { Store } from '../../src/store/db/db.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';
import { createHookTarget } from './createHookTarget.ts';
import { raiseNumberedAlerts } from './raiseNumberedAlerts.ts';

const silences = 1000;
const perTransaction = 20;
const transactions = 50;
const rounds = 6;

/** Queries of silences that hide none of the alerts; `n` tells them apart. */
const kinds = {
  'no silence': undefined,
  '1,000 silences, each of a detector of its own': (n: number) =>
    `detectorId:${1000 + n} AND contractId:${n + 2}`,
  '1,000 silences, each for a word of the name': (n: number) => `name:maintenance${n}`,
} as const;

/** What raising and deciding an alert costs beside silences of its tenant, by turns, so that all kinds meet the same machine. */
export async function measureDecisions(connection: Connection): Promise<string[]> {
  const store = openStore(connection, () => {});
  const key = randomBytes(32);
  const keyring = await openKeyring(store, () => [key], Date.now());
  await createHookTarget(store, keyring, [1, 2]);
  const hook = createNotifyOnAlerts({ links: createAlertLinks(() => 'http://127.0.0.1'), now: Date.now });
  const members = () => ({ projectId: 1, contractId: 1, detectorId: 1 });
  let first = 0;
  const raise = async (count: number) => {
    for (let n = 0; n < count; n++, first += perTransaction)
      await raiseNumberedAlerts(store, hook, { first, count: perTransaction, members });
  };
  const times = new Map<string, { wall: number; node: number }>();
  for (let round = 0; round <= rounds; round++)
    for (const [kind, query] of Object.entries(kinds)) {
      await setSilences(store, query);
      // What was compiled before stays compiled, as it does between two changes.
      await raise(5);
      const cpu = process.cpuUsage();
      const start = performance.now();
      await raise(transactions);
      const { user, system } = process.cpuUsage(cpu);
      const { wall, node } = times.get(kind) ?? { wall: 0, node: 0 };
      // The first round warms up.
      if (round > 0) times.set(kind, { wall: wall + performance.now() - start, node: node + user + system });
    }
  await store.close();
  const alerts = rounds * transactions * perTransaction;
  return [
    '| per alert, raised in transactions of 20 | ms | node µs |',
    '|---|--:|--:|',
    ...Array.from(
      times,
      ([kind, { wall, node }]) =>
        `| ${kind} | ${(wall / alerts).toFixed(3)} | ${(node / alerts).toFixed(0)} |`,
    ),
  ];
}

async function setSilences(store: Store, query: ((n: number) => string) | undefined): Promise<void> {
  await store.query(sql`update silence set ends_at = starts_at + 1 where ends_at > starts_at + 1`);
  if (!query) return;
  const queries = Array.from({ length: silences }, (_, n) => query(n));
  await store.query(
    sql`insert into silence (tenant_id, created_at, updated_at, query, starts_at, ends_at, include_critical, reason,
        author, cost)
      select 1, 1, 1, q, 1, ${Date.now() + 86_400_000}, false, 'bench', 'bench', 4
      from unnest(${queries}::text[]) q`,
  );
}
