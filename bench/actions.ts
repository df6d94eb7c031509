import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { createFireOnAlerts } from '../src/actions/fireOnAlerts.ts';
import type { AlertHook } from '../src/alerts/raiseAlerts.ts';
import { chains } from '../src/chains/chains.ts';
import { buildTransaction } from '../src/chains/evm/buildTransaction.ts';
import { createEvmClient } from '../src/chains/evm/createEvmClient.ts';
import { sql } from '../src/lib/sql.ts';
import type { Severity } from '../src/model/alert.ts';
import type { Keyring } from '../src/model/keyring.ts';
import { startActions } from '../src/runtime/startActions.ts';
import { createSandbox } from '../src/scripts/sandbox.ts';
import type { Store } from '../src/store/db/db.ts';
import { listen } from '../src/store/db/listen.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { openStore } from '../src/store/db/openStore.ts';
import { openKeyring } from '../src/store/records/keyring.ts';
import { openSigner } from '../src/wallets/openSigner.ts';
import { signTransaction } from '../src/wallets/signTransaction.ts';
import { type Anvil, startAnvil } from '../testing/startAnvil.ts';
import { startWithSuperuser } from '../testing/startWithSuperuser.ts';
import { createArmedTenant, guard } from './support/createArmedTenant.ts';
import { machine } from './support/machine.ts';
import { raiseNumberedAlerts } from './support/raiseNumberedAlerts.ts';
import { reportProgress } from './support/reportProgress.ts';

const single = 300;
const burst = 1000;
const urgentSamples = 100;
const filters = 200_000;
let raised = 1;

type Bench = { store: Store; keyring: Keyring; anvil: Anvil; client: ReturnType<typeof createEvmClient> };

const folder = join(tmpdir(), `vigil-bench-${randomUUID()}`);
const embedded = await startWithSuperuser({ dataDir: folder });
const anvil = await startAnvil();
const sandbox = createSandbox();
const client = createEvmClient({ chain: chains.anvil, urls: [anvil.url], now: Date.now, onCall: () => {} });
try {
  await migrate(embedded.connection);
  const store = openStore(embedded.connection, () => {});
  const key = randomBytes(32);
  const keyring = await openKeyring(store, () => [key], Date.now());
  const rows = await measure({ store, keyring, anvil, client });
  await store.close();
  print(rows);
} finally {
  await sandbox.close();
  await client.close();
  await anvil.stop();
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(bench: Bench): Promise<string[]> {
  const { store, keyring } = bench;
  const wallets = await createArmedTenant(store, keyring);
  for (const { address } of wallets) await anvil.setBalance(address, 10n ** 24n);
  const hook = createFireOnAlerts({ now: Date.now });
  const acting = startActions({
    store,
    keyring,
    hsm: undefined,
    runScripts: sandbox.run,
    chains: { isConfigured: () => true, client: () => client },
    confirmations: () => 0,
    alertHooks: [],
    listen: (onMessage) => listen(embedded.connection, 'vigil_action', onMessage),
    now: Date.now,
    log: pino({ level: 'error' }),
  });
  await raiseFor(store, hook, 1, 20);
  await sent(store, 20);

  reportProgress(`${single} alerts, one after the other`);
  for (let n = 0; n < single; n++) {
    await raiseFor(store, hook, 1, 1);
    await sleep(30);
  }
  await sent(store, 20 + single);
  const delays = await store.query<{ ms: number }>(
    sql`select a.broadcast_at - i.created_at as ms from action_intent i
      join action_transaction a on a.tenant_id = i.tenant_id and a.intent_id = i.id and a.attempt = 1
      order by i.id offset 20`,
  );
  const bare = await sendAlone(bench, wallets[2]!, single);

  reportProgress(`${burst} alerts at once, all with the same wallet`);
  const start = performance.now();
  for (let n = 0; n < burst; n += 100) await raiseFor(store, hook, 2, 100);
  await sent(store, 20 + single + burst);
  const perSecond = burst / ((performance.now() - start) / 1000);

  reportProgress(`${urgentSamples} urgent alerts beside ${burst} others that wait`);
  const beside = await urgentBeside(store, hook);
  await acting.stop();

  reportProgress(`${filters} filters over one event`);
  const { inSandbox, asFunctions } = await runFilters();
  const bareRate = 1000 / (bare.reduce((sum, ms) => sum + ms, 0) / bare.length);
  const times = delays.map(({ ms }) => ms);
  return [
    `| alert to broadcast, p50 ms | | ${at(times, 0.5)} | ${at(bare, 0.5)} (sign and send, nothing stored or checked) |`,
    `| the same, p99 ms | ≤ 300 | ${at(times, 0.99)} | ${at(bare, 0.99)} |`,
    `| fires a second on one wallet | | ${perSecond.toFixed(0)} | ${bareRate.toFixed(0)} |`,
    `| urgent intent to broadcast while ${burst} others of its tenant wait, p50 ms | | ${at(beside, 0.5)} | |`,
    `| the same, p99 ms | ≤ 1,000 | ${at(beside, 0.99)} | |`,
    `| filters a second, the event loaded once | ≥ 100,000 | ${inSandbox.toFixed(0)} | ${asFunctions.toFixed(0)} (functions of Node itself, no sandbox) |`,
  ];
}

/** From the intent to the broadcast of urgent calls of one wallet, while so many others of another wait all the time. */
async function urgentBeside(store: Store, hook: AlertHook): Promise<number[]> {
  const [last] = await store.query<{ id: number }>(sql`select max(id) as id from action_intent`);
  for (let n = 0; n < urgentSamples; n++) {
    const [row] = await store.query<{ waiting: number }>(
      sql`select count(*)::int as waiting from action_intent where state = 'WAITING'`,
    );
    for (let left = burst - row!.waiting; left > 0; left -= 100) await raiseFor(store, hook, 2, 100, 'LOW');
    await raiseFor(store, hook, 1, 1, 'CRITICAL');
    await sleep(30);
  }
  const delays = () =>
    store.query<{ ms: number }>(
      sql`select a.broadcast_at - i.created_at as ms from action_intent i
        join action_transaction a on a.tenant_id = i.tenant_id and a.intent_id = i.id and a.attempt = 1
        where i.id > ${last!.id} and i.urgent and a.broadcast_at is not null`,
    );
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(50))
    if ((await delays()).length === urgentSamples) return (await delays()).map(({ ms }) => ms);
  throw new Error('Not every urgent call was sent within a minute.');
}

/** The least that it takes: sign with the same key, send, wait for the answer. */
async function sendAlone(
  { store, keyring }: Bench,
  { id, address }: { id: number; address: string },
  count: number,
) {
  const signer = await openSigner(
    { db: store, keyring, hsm: undefined },
    { tenantId: 1, walletId: id },
    address,
  );
  const price = { maxFee: 10_000_000_000n, tip: 1_000_000_000n };
  const times: number[] = [];
  for (let nonce = 0; nonce < count; nonce++) {
    const startedAt = performance.now();
    const call = { to: guard, data: '0x8456cb59' };
    const order = { from: address, call, units: 60_000n, price, place: { nonce } };
    const { raw } = await signTransaction(signer, buildTransaction(chains.anvil, order));
    await client.transactor.broadcast([raw]);
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Alerts of the detector that fires the action of wallet `n`. */
async function raiseFor(
  store: Store,
  hook: AlertHook,
  n: number,
  count: number,
  severity: Severity = 'HIGH',
) {
  const members = (number: number) => ({
    severity,
    projectId: 1,
    contractId: 1,
    detectorId: n,
    meta: { amount: String(number), from: guard },
  });
  await raiseNumberedAlerts(store, hook, { first: raised, count, members });
  raised += count;
}

async function sent(store: Store, count: number): Promise<void> {
  for (const until = performance.now() + 120_000; performance.now() < until; await sleep(5)) {
    const [row] = await store.query<{ count: number; failed: string | null }>(
      sql`select count(a.*) as count, (select min(reason) from action_intent where state = 'FAILED') as failed
        from action_transaction a where a.broadcast_at is not null and a.attempt = 1`,
    );
    if (row?.failed) throw new Error(`An action failed: ${row.failed}`);
    if ((row?.count ?? 0) >= count) return;
  }
  throw new Error(`Not all of ${count} were sent within two minutes.`);
}

/** Different filters over one alert, as every binding has its own. */
async function runFilters() {
  const e = { numericSeverity: 90, name: 'Drain', meta: { amount: '1000', from: guard }, tags: ['a', 'b'] };
  const a = { name: 'Pause', params: {} };
  const sources = Array.from({ length: 200 }, (_, n) => `e.numericSeverity >= ${n} && e.meta.amount > ${n}`);
  const batch = Array.from({ length: 10_000 }, (_, n) => sources[n % sources.length]!);
  await sandbox.run(1, { e, a }, batch);
  const startedAt = performance.now();
  for (let n = 0; n < filters; n += batch.length) await sandbox.run(1, { e, a }, batch);
  const inSandbox = filters / ((performance.now() - startedAt) / 1000);
  const limits = Array.from({ length: 200 }, (_, n) => n);
  const functions = limits.map(
    (n) => (alert: typeof e) => alert.numericSeverity >= n && Number(alert.meta.amount) > n,
  );
  const start = performance.now();
  let passed = 0;
  for (let n = 0; n < filters; n++) if (functions[n % functions.length]!(e)) passed++;
  const asFunctions = filters / ((performance.now() - start) / 1000);
  if (passed === 0) throw new Error('No filter passed.');
  return { inSandbox, asFunctions };
}

function at(values: readonly number[], share: number): string {
  return values.toSorted((x, y) => x - y)[Math.floor((values.length - 1) * share)]!.toFixed(0);
}

function print(rows: readonly string[]): void {
  console.log(
    [
      '',
      `${machine()}. anvil on loopback, a block for each transaction. anvil, Vigil and PostgreSQL share the machine.`,
      '',
      '| actions | goal | measured | beside it |',
      '|---|--:|--:|--:|',
      ...rows,
    ].join('\n'),
  );
}
