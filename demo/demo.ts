import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../sdk/src/index.ts';
import { type Anvil, startAnvil } from '../testing/startAnvil.ts';
import { deploy, units } from './deploy.ts';
import { drive } from './drive.ts';
import { findPort } from './findPort.ts';
import { guardVault } from './guardVault.ts';
import { driveOther, type OtherUid, otherUids, startOther } from './others.ts';
import { greeting, printAlerts } from './print.ts';
import { provideAnvil } from './provideAnvil.ts';
import { setUp } from './setUp.ts';
import { startVigil } from './startVigil.ts';

export type DemoFlags = { port?: string; data?: string; for?: string; chains?: string };

const stopping = new AbortController();

/** Goes on until it is stopped; returns the exit code. */
export async function runDemo(flags: DemoFlags): Promise<number> {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  // A reader such as `head` that has seen enough ends the demo.
  process.stdout.on('error', () => stopping.abort());
  try {
    await demo(readOptions(flags));
    return 0;
  } catch (error) {
    process.stderr.write(
      `The demo cannot go on. ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return 1;
  }
}

type Options = {
  port: number | undefined;
  dataDir: string;
  isKept: boolean;
  seconds: number | undefined;
  others: readonly OtherUid[];
};

async function demo({ port: wanted, dataDir, isKept, seconds, others: uids }: Options): Promise<void> {
  const { signal } = stopping;
  const port = await findPort(wanted);
  process.stdout.write('Starting a chain and Vigil …\n');
  const anvil = await startChain();
  const others = await Promise.all(uids.map(startOther));
  const vigil = startVigil({ port, dataDir, rpcUrls: [anvil.url, anvil.wsUrl], others });
  const stopped = new Promise<void>((done) => signal.addEventListener('abort', () => done()));
  try {
    await Promise.race([play(), vigil.failed, stopped]);
  } catch (error) {
    // Ctrl-C ends anvil at the same moment as it reaches us, so that its loss may be noticed first.
    await sleep(200);
    if (!signal.aborted) throw error;
  } finally {
    stopping.abort();
    const chains = others.length === 0 ? 'its chain' : `${others.length + 1} chains`;
    process.stdout.write(`\nStopping Vigil and ${chains} …\n`);
    await vigil.stop();
    await Promise.all([anvil.stop(), ...others.map((other) => other.stop())]);
    if (isKept) process.stdout.write(`The data is kept: VIGIL_DATA_DIR=${dataDir} npx vigil serve\n`);
    else await vigil.removeData();
  }

  async function play(): Promise<void> {
    const [world, { url, adminToken }] = await Promise.all([deploy(anvil), vigil.ready()]);
    const tenant = await setUp(url, adminToken, world, others);
    // With the next block the guardian may pause the pool.
    await anvil.setBalance(tenant.guardian, units(10));
    const data = world.pool.encode('initialize', tenant.guardian);
    await anvil.submit({ to: world.pool.address, data });
    const client = createClient({ url, token: tenant.token });
    const guarded = await guardVault(anvil, client, tenant);
    process.stdout.write(greeting(url, tenant, others));
    if (seconds !== undefined) setTimeout(() => stopping.abort(), seconds * 1000).unref();
    const reached = (block: bigint) => waitForBlock(client, block, signal);
    await Promise.all([
      drive({ anvil, world, guarded, reached, signal }),
      printAlerts(client, signal),
      ...others.map((other) => driveOther(other, signal)),
    ]);
  }
}

/** Old states are thrown away, so that a demo can run for days. */
async function startChain(): Promise<Anvil> {
  return startAnvil({
    program: await provideAnvil(),
    order: 'fees',
    args: ['--prune-history=200', '--transaction-block-keeper=2000'],
  });
}

async function waitForBlock(client: Client, block: bigint, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { data } = await client.get('/chain');
    const processed = data.find(({ chainUid }) => chainUid === 'anvil')?.processed ?? -1;
    if (processed >= block) return;
    await sleep(100);
  }
}

function readOptions({
  port = process.env.VIGIL_PORT || undefined,
  data,
  for: time,
  chains = 'ethereum',
}: DemoFlags): Options {
  if (data !== undefined && existsSync(data))
    throw new Error(
      `The folder ${data} is there already: the demo begins with a new chain and needs a new one.`,
    );
  return {
    port: toNumber('--port or VIGIL_PORT', port, 65_535),
    dataDir: resolve(data ?? join(tmpdir(), `vigil-demo-${randomUUID()}`)),
    isKept: data !== undefined,
    seconds: toNumber('--for', time, 1_000_000),
    others: toChains(chains),
  };
}

/** The chain of Ethereum is always there: most of what the demo shows happens on it. */
function toChains(list: string): OtherUid[] {
  const named = [...new Set(list.split(',').map((name) => name.trim()))].filter(
    (name) => name !== 'ethereum',
  );
  const unknown = named.find((name) => !otherUids.some((uid) => uid === name));
  if (unknown !== undefined)
    throw new Error(`--chains has "${unknown}" but may have ethereum, ${otherUids.join(', ')}.`);
  return otherUids.filter((uid) => named.includes(uid));
}

function toNumber(name: string, value: string | undefined, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,7}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= most) return number;
  throw new Error(`${name} is "${value}" but must be a whole number from 1 to ${most}.`);
}
