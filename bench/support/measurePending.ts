import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Address, Secp256k1 } from 'ox';
import { sql } from '../../src/lib/sql.ts';
import type { Store } from '../../src/store/db/db.ts';
import type { Connection } from '../../src/store/db/openClient.ts';
import { openStore } from '../../src/store/db/openStore.ts';
import { openKeyring } from '../../src/store/records/keyring.ts';
import { privateKeyRef } from '../../src/wallets/walletKey.ts';
import { seedDetectors } from './seedDetectors.ts';
import type { PoolOrder, PoolRun, PoolTimes, ServedPool } from './servePool.ts';
import type { PendingOrder, PendingTimes } from './watchPending.ts';

const vault = `0x${'5a'.repeat(20)}`;
const detectors = 10_000;
const rates = [0, 1000, 5000];
const run = { seconds: 20, attacksPerSecond: 10, blockMs: 250 };

/** Rows of a table: a pool of so many transactions a second, ten of which drain a watched vault and fire an action. */
export async function measurePending(connection: Connection): Promise<string[]> {
  const store = openStore(connection, () => {});
  const masterKey = randomBytes(32).toString('hex');
  const guardian = await seed(store, masterKey);
  const node = start('servePool');
  const vigil = start('watchPending');
  try {
    node.send({ vault, guardian } satisfies PoolOrder);
    const { url, wsUrl } = await answer<ServedPool>(node);
    vigil.send({ connection, urls: [wsUrl, url], masterKey } satisfies PendingOrder);
    await answer(vigil);
    await seenBy(store);
    // What is compiled on first use.
    await play(node, vigil, { ...run, perSecond: 1000, seconds: 5 });
    const rows: string[] = [];
    for (const perSecond of rates) {
      const before = await seenBy(store);
      const figures = await play(node, vigil, { ...run, perSecond });
      rows.push(toRow(perSecond, (await seenBy(store)) - before, figures));
    }
    return rows;
  } finally {
    vigil.kill();
    node.kill();
    await store.close();
  }
}

type Played = { pool: PoolTimes; watched: PendingTimes };

async function play(node: ChildProcess, vigil: ChildProcess, order: PoolRun): Promise<Played> {
  vigil.send('times');
  await answer(vigil);
  node.send(order);
  const pool = await answer<PoolTimes>(node);
  vigil.send('times');
  return { pool, watched: await answer<PendingTimes>(vigil) };
}

function toRow(perSecond: number, seen: number, { pool, watched }: Played): string {
  const raisedAt = new Map(watched.attacks);
  const answeredAt = new Map(pool.answers.toReversed());
  const storedAt = new Map(watched.blocks);
  const toAlert = delays(pool.attacks, raisedAt);
  const toCall = delays([...raisedAt], answeredAt);
  const whole = delays(pool.attacks, answeredAt);
  const blocks = delays(pool.blocks, storedAt);
  const share = ((watched.cpuMs / (run.seconds * 1000 + 3000)) * 100).toFixed(0);
  const both = (values: readonly number[]) => `${at(values, 0.5)} | ${at(values, 0.99)}`;
  return `| ${perSecond.toLocaleString('en')} | ${Math.round(seen / run.seconds).toLocaleString('en')} | ${both(toAlert)} | ${both(toCall)} | ${both(whole)} | ${both(blocks)} | ${share} | ${watched.rssMb.toFixed(0)} |`;
}

/** Fails when something never came. */
function delays(from: readonly (readonly [unknown, number])[], to: ReadonlyMap<unknown, number>): number[] {
  return from.map(([key, at]) => {
    const end = to.get(key);
    if (end === undefined)
      throw new Error(`Nothing came of ${String(key)}; ${to.size} of ${from.length} did.`);
    return end - at;
  });
}

function at(values: readonly number[], share: number): string {
  return values.toSorted((x, y) => x - y)[Math.floor((values.length - 1) * share)]!.toFixed(0);
}

function start(name: string): ChildProcess {
  return fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)));
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const [message] = (await once(child, 'message')) as [T];
  return message;
}

/** How many pending transactions were looked at, once the pool is followed. */
async function seenBy(store: Store): Promise<number> {
  for (let n = 0; n < 600; n++) {
    const [row] = await store.query<{ state: string | null; seen: number }>(
      sql`select pending ->> 'state' as state, (pending ->> 'seen')::int as seen from chain_cursor
        where chain_uid = 'ethereum'`,
    );
    if (row?.state === 'ok') return row.seen;
    await sleep(100);
  }
  throw new Error('Vigil does not follow the pool.');
}

/** Many contracts whose detectors look at pending transactions; the first has one more that fires an action. */
async function seed(store: Store, masterKey: string): Promise<string> {
  await seedDetectors(store, detectors, [vault]);
  await store.query(sql`update detector set config = config || '{"pending": true}'`);
  const keyring = await openKeyring(store, () => [Buffer.from(masterKey, 'hex')], Date.now());
  const key = Secp256k1.randomPrivateKey();
  const address = Address.checksum(Address.fromPublicKey(Secp256k1.getPublicKey({ privateKey: key })));
  const sealed = keyring.seal(privateKeyRef({ tenantId: 1, walletId: 1 }), key.slice(2));
  await store.query(
    sql`insert into wallet (id, tenant_id, created_at, updated_at, chain_uid, address, name, type, sealed_key)
      values (1, 1, 1, 1, 'ethereum', ${address}, 'Guardian', 'DEFAULT', ${sealed})`,
  );
  await store.query(
    sql`insert into detector (id, tenant_id, contract_id, schema_id, created_at, updated_at, name, source, config)
      select 1000000, 1, c.id, s.id, 1, 1, 'Drain', 'PLATFORM', '{}' from contract c, detector_schema s
      where c.address = ${vault} and s.name = 'drain'`,
  );
  const inputs = [{ type: 'bytes32', name: 'attack' }];
  const abi = { type: 'function', name: 'pause', inputs, outputs: [], stateMutability: 'nonpayable' };
  await store.query(
    sql`insert into action (id, tenant_id, contract_id, wallet_id, created_at, updated_at, name, func_signature, func_abi, fire_at)
      select 1, 1, c.id, 1, 1, 1, 'Pause', 'pause(bytes32 attack)', ${JSON.stringify(abi)}, 'pending' from contract c
      where c.address = ${vault}`,
  );
  await store.query(
    sql`insert into action_detector (tenant_id, action_id, detector_id, created_at, updated_at, script_params)
      values (1, 1, 1000000, 1, 1, ${JSON.stringify({ attack: 'e.txHash' })})`,
  );
  return address.toLowerCase();
}
