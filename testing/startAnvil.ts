import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'ox';
import type { Receipt, Transaction } from './anvilTransaction.ts';
import { type Artifact, artifacts, MULTICALL3_ADDRESS } from './contracts/artifacts.ts';
import { type Contract, createContract, encodeDeployment } from './createContract.ts';

export type Anvil = Awaited<ReturnType<typeof startAnvil>>;

/**
 * A real chain of our own on loopback. Each transaction makes a block, unless `blockTime` (s) is given or automine is
 * off.
 */
export async function startAnvil(
  options: {
    blockTime?: number;
    port?: number;
    order?: 'fifo' | 'fees';
    args?: string[];
    program?: string;
  } = {},
) {
  const { child, origin } = await launch(options);
  const url = `http://${origin}`;
  let automine = options.blockTime === undefined;
  let requests = 0;

  async function rpc<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    requests++;
    const body = JSON.stringify({ jsonrpc: '2.0', id: requests, method, params });
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const answer = (await reply.json()) as { result: T; error?: { message: string } };
    if (answer.error) throw new Error(`anvil refused ${method}: ${answer.error.message}`);
    return answer.result;
  }

  const accounts = await rpc<Hex.Hex[]>('eth_accounts');
  const [deployer] = accounts;
  if (!deployer) throw new Error('anvil has no accounts: do not start it with --accounts 0.');

  const toRequest = ({ from = deployer, to, data, value = 0n, gas = 5_000_000n }: Transaction) => ({
    from,
    ...(to && { to }),
    ...(data && { data }),
    value: toHex(value),
    gas: toHex(gas),
  });

  /** Mines `blocks` blocks now, whatever the mining mode. */
  const mine = async (blocks = 1) => {
    for (let block = 0; block < blocks; block++) await rpc('evm_mine');
  };

  /** Puts a transaction into the pool; with automine off it stays there until `mine()`. */
  const submit = (tx: Transaction) => rpc<Hex.Hex>('eth_sendTransaction', toRequest(tx));

  /** Waits for the receipt of a transaction that is mined or about to be. */
  async function receipt(hash: Hex.Hex): Promise<Receipt> {
    for (const deadline = performance.now() + 30_000; performance.now() < deadline; await sleep(2)) {
      const raw = await rpc<RawReceipt | null>('eth_getTransactionReceipt', hash);
      if (raw) return toReceipt(raw);
    }
    throw new Error(`anvil has not mined ${hash} within 30 s.`);
  }

  /** Sends and mines one transaction; a revert is reported in `status`, not thrown. */
  async function send(tx: Transaction): Promise<Receipt> {
    const hash = await submit(tx);
    if (!automine && options.blockTime === undefined) await mine();
    return receipt(hash);
  }

  async function setAutomine(on: boolean) {
    await rpc('evm_setAutomine', on);
    automine = on;
  }

  /** Mines all of these in one block, in this order. */
  async function sendTogether(txs: readonly Transaction[]): Promise<Receipt[]> {
    const before = automine;
    await setAutomine(false);
    const hashes: Hex.Hex[] = [];
    for (const tx of txs) hashes.push(await submit(tx));
    await mine();
    await setAutomine(before);
    return Promise.all(hashes.map(receipt));
  }

  const at = (address: Hex.Hex, abi: Artifact['abi']): Contract =>
    createContract({ rpc, send }, address, abi);

  return {
    url,
    wsUrl: `ws://${origin}`,
    pid: child.pid,
    /** Ten accounts with 10,000 coins each, whose transactions need no signature; the first one deploys. */
    accounts: accounts as [Hex.Hex, Hex.Hex, Hex.Hex, Hex.Hex, Hex.Hex, Hex.Hex, ...Hex.Hex[]],
    rpc,
    mine,
    submit,
    receipt,
    send,
    sendTogether,
    setAutomine,

    /** Deploys by the first account; throws when the constructor reverts. */
    async deploy(artifact: Artifact, ...args: unknown[]): Promise<Contract> {
      const { contractAddress, status } = await send({ data: encodeDeployment(artifact, args) });
      if (status !== 'success' || !contractAddress) throw new Error('The constructor reverted.');
      return at(contractAddress, artifact.abi);
    },

    /** A contract that is there already, e.g. a vault behind a proxy. */
    at,

    /** Puts Multicall3 where public chains have it. */
    async deployMulticall(): Promise<Contract> {
      const { abi, bytecode } = artifacts.Multicall3;
      const code = await rpc('eth_call', { data: bytecode }, 'latest');
      await rpc('anvil_setCode', MULTICALL3_ADDRESS, code);
      return at(MULTICALL3_ADDRESS, abi);
    },

    blockNumber: async () => BigInt(await rpc<Hex.Hex>('eth_blockNumber')),
    block: (number: bigint | 'latest' = 'latest') =>
      rpc<{
        number: Hex.Hex;
        hash: Hex.Hex;
        parentHash: Hex.Hex;
        timestamp: Hex.Hex;
        transactions: Hex.Hex[];
      }>('eth_getBlockByNumber', typeof number === 'bigint' ? toHex(number) : number, false),
    balance: async (address: string) => BigInt(await rpc<Hex.Hex>('eth_getBalance', address, 'latest')),

    /** Replaces the newest `depth` blocks by as many others, which hold `txs` (block 0 is the oldest of them). */
    reorg: (depth: number, txs: readonly { tx: Transaction; block: number }[] = []) =>
      rpc(
        'anvil_reorg',
        depth,
        txs.map(({ tx, block }) => [toRequest(tx), block]),
      ),

    /** The timestamp (s) of the next block. */
    setTime: (seconds: number | bigint) => rpc('evm_setNextBlockTimestamp', Number(seconds)),
    increaseTime: (seconds: number) => rpc('evm_increaseTime', seconds),
    setBalance: (address: string, amount: bigint) => rpc('anvil_setBalance', address, toHex(amount)),
    setStorage: (address: string, slot: Hex.Hex | bigint, value: Hex.Hex | bigint) =>
      rpc('anvil_setStorageAt', address, toWord(slot), toWord(value)),
    setCode: (address: string, code: string) => rpc('anvil_setCode', address, code),
    /** From now on `from: address` needs no signature. */
    impersonate: (address: string) => rpc('anvil_impersonateAccount', address),

    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

type RawReceipt = Omit<Receipt, 'blockNumber' | 'gasUsed' | 'status'> & {
  blockNumber: Hex.Hex;
  gasUsed: Hex.Hex;
  status: Hex.Hex;
};

async function launch({
  blockTime,
  port = 0,
  order = 'fifo',
  args = [],
  program = findAnvil(),
}: {
  blockTime?: number;
  port?: number;
  order?: 'fifo' | 'fees';
  args?: string[];
  program?: string;
}) {
  const child = spawn(
    program,
    [
      '--host=127.0.0.1',
      `--port=${port}`,
      `--order=${order}`,
      ...(blockTime === undefined ? [] : [`--block-time=${blockTime}`]),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  // A test that exits without stop() must not leave a chain running.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return { child, origin: await readOrigin(child) };
}

/** The anvil that npm installed for this machine, from a file that may import it. */
export function findAnvil(from: string = import.meta.url): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  return createRequire(from).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/${name}`);
}

/** Anvil takes a free port by itself and prints it once it listens. */
function readOrigin(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (text: string) => {
      output += text;
      const origin = /Listening on (\S+)/.exec(output)?.[1];
      if (!origin) return;
      resolve(origin);
      child.stdout.off('data', read).resume();
      child.stderr.off('data', read).resume();
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`anvil ended with code ${code} before it listened:\n${output}`)),
    );
  });
}

function toReceipt(raw: RawReceipt): Receipt {
  return {
    ...raw,
    blockNumber: BigInt(raw.blockNumber),
    gasUsed: BigInt(raw.gasUsed),
    status: raw.status === '0x1' ? 'success' : 'reverted',
  };
}

const toHex = (value: bigint): Hex.Hex => `0x${value.toString(16)}`;
const toWord = (value: Hex.Hex | bigint): Hex.Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
