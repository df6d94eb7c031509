import { randomBytes } from 'node:crypto';
import { createNotifyOnAlerts } from '../../src/notify/notifyOnAlerts.ts';
import { createAlertLinks } from '../../src/services/alerts/createAlertLinks.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';
import { createHookTarget } from './createHookTarget.ts';
import { raiseNumberedAlerts } from './raiseNumberedAlerts.ts';
import { setRoutes, setSilences } from './setRules.ts';

const perTransaction = 20;
const transactions = 50;
const rounds = 6;

type Kind = { silence?: (n: number) => string; route?: (n: number) => string; repeatSeconds?: number };
const ofDetector = (n: number) => `detectorId:${1000 + n} AND contractId:${n + 2}`;
const ofWord = (n: number) => `name:maintenance${n}`;
const ofEvidence = (n: number) => `meta.reason:maintenance${n}`;
const anywhere = (n: number) => `maintenance${n}`;

/** Queries that find none of the alerts; `n` tells them apart. With routes, the root takes them. */
const kinds: Readonly<Record<string, Kind>> = {
  'no silence and no route': {},
  '1,000 silences, each of a detector of its own': { silence: ofDetector },
  '1,000 silences, each for a word of the name': { silence: ofWord },
  '1,000 silences, each for a member of the evidence': { silence: ofEvidence },
  '1,000 silences, each for a word anywhere': { silence: anywhere },
  '1,000 routes, each of a detector of its own': { route: ofDetector },
  'the same beside 1,000 such silences': { route: ofDetector, silence: ofDetector },
  'the same with repeats': { route: ofDetector, repeatSeconds: 900 },
  '1,000 routes, each for a word of the name': { route: ofWord },
};

/** What raising and deciding an alert costs beside rules of its tenant, by turns, so that all kinds meet the same machine. */
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
    for (const [kind, { silence, route, repeatSeconds = null }] of Object.entries(kinds)) {
      await setSilences(store, silence);
      await setRoutes(store, route, repeatSeconds);
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
