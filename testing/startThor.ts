import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { chains } from '../src/chains/chains.ts';
import { encodeTransaction, type VeChainClause } from '../src/chains/vechain/encodeTransaction.ts';
import { vechainRules } from '../src/chains/vechain/vechainRules.ts';
import { freePort } from './freePort.ts';
import type { Json } from './startTestApi.ts';
import { until } from './until.ts';

export type Thor = Awaited<ReturnType<typeof startThor>>;

/** Why tests that need a node are skipped, where there is none. */
export const noThor =
  'There is no thor (2.5 or later): VIGIL_TEST_THOR names the program, or it lies in the folder vigil/thor of the cache.';

/** The program of a node; undefined where there is none. */
export function findThor(): string | undefined {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'thor'));
  return [process.env.VIGIL_TEST_THOR ?? '', ...inPath, join(cache, 'vigil', 'thor', 'thor')].find(
    (path) => path !== '' && existsSync(path),
  );
}

/** Well-known keys that a node in solo mode gives coins to. */
export const thorKeys = [
  '99f0500549792796c14fed62011a51081dc5b5e68fe8bd8a13b86be829c4fd36',
  '7b067f53d350f1cf20ec13df416b7b73e88a1dc7331bc904b92108b1e76a08b1',
  'f4a1a17039216f535d42ec23732c79943ffb45a089fbb78a14daad0dae93e991',
] as const;

export const thorAddress = (key: string) =>
  vechainRules.deriveAddress(hexToBytes(key), chains.vechain).toLowerCase();

type Sent = { to?: string | null; value?: bigint; data?: string };
type Signing = { key?: string; payer?: string; gas?: bigint };

/** A real node with a network of its own (solo) on loopback, that makes a block of each transaction. */
export async function startThor(program: string) {
  const folder = await mkdtemp(join(tmpdir(), 'vigil-thor-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let nonce = 0n;
  const kill = () => child?.kill('SIGKILL');
  process.once('exit', kill);

  async function request<T = Json>(path: string, body?: unknown): Promise<T> {
    const reply = await fetch(url + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`thor answers ${path} with ${reply.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  async function start(): Promise<void> {
    const args = ['solo', '--on-demand', '--api-addr', `127.0.0.1:${port}`, '--data-dir', folder];
    const started = spawn(program, [...args, '--cache', '64', '--verbosity', '0'], { stdio: 'ignore' });
    child = started;
    for (let tries = 0; ; tries++) {
      if (started.exitCode !== null) throw new Error(`thor ended with code ${started.exitCode}.`);
      // The first block sets the price of gas.
      const first = await request('/blocks/1').catch(() => null);
      if (first) return;
      if (tries > 600) throw new Error('thor does not start.');
      await sleep(50);
    }
  }

  async function end(): Promise<void> {
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Signs and sends one transaction of these clauses; its receipt, once it is in a block. */
  async function send(
    clauses: readonly Sent[],
    { key = thorKeys[0], payer, gas = 5_000_000n }: Signing = {},
  ) {
    const [genesis, best] = await Promise.all([request('/blocks/0'), request('/blocks/best')]);
    const encoded = encodeTransaction({
      chainTag: Number(`0x${genesis.id.slice(-2)}`),
      blockRef: best.id.slice(0, 18),
      expiration: 32,
      clauses: clauses.map(({ to = null, value = 0n, data = '0x' }): VeChainClause => ({ to, value, data })),
      maxPriorityFeePerGas: 10n ** 12n,
      maxFeePerGas: BigInt(best.baseFeePerGas) * 2n + 10n ** 12n,
      gas,
      nonce: ++nonce,
      isDelegated: payer !== undefined,
    });
    const origin = thorAddress(key);
    const signatures = [sign(encoded.payload, key)];
    if (payer !== undefined) signatures.push(sign(encoded.payerPayload(origin), payer));
    const { id, raw } = encoded.finish(origin, concatBytes(...signatures));
    const answer = await request('/transactions', { raw });
    if (answer.id !== id) throw new Error(`thor names the transaction ${answer.id} and not ${id}.`);
    return until(() => request(`/transactions/${id}/receipt`));
  }

  try {
    await start();
  } catch (error) {
    await end();
    throw error;
  }
  const { id: genesis } = await request('/blocks/0');
  return {
    url,
    /** The id of the first block, which is the same each time. */
    genesis: String(genesis),
    request,
    send,
    height: async (): Promise<number> => (await request('/blocks/best')).number,
    /** Another chain from the same first block on. */
    async startAgain(): Promise<void> {
      await end();
      await start();
    },
    async stop(): Promise<void> {
      process.off('exit', kill);
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function sign(payload: Uint8Array, key: string): Uint8Array {
  const options = { prehash: false, lowS: true, format: 'recovered' } as const;
  const [recovery = 0, ...rest] = secp256k1.sign(payload, hexToBytes(key), options);
  return Uint8Array.from([...rest, recovery]);
}
