import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './freePort.ts';

export type Bitcoind = Awaited<ReturnType<typeof startBitcoind>>;

/** Where `.ci/bitcoind` unpacks Debian's package; its own loader lets it run on older systems. */
const cached = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'vigil', 'bitcoind', 'root');

/** The command that runs a node; undefined where there is none. */
export function findBitcoind(): string[] | undefined {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'bitcoind'));
  const own = [process.env.VIGIL_TEST_BITCOIND ?? '', ...inPath].find(
    (path) => path !== '' && existsSync(path),
  );
  if (own) return [own];
  const binary = join(cached, 'usr', 'bin', 'bitcoind');
  const libraries = join(cached, 'usr', 'lib', 'x86_64-linux-gnu');
  const loader = join(libraries, 'ld-linux-x86-64.so.2');
  return existsSync(binary) && existsSync(loader) ? [loader, '--library-path', libraries, binary] : undefined;
}

/** A real node with a network of its own (regtest) on loopback, and a wallet that can pay. */
export async function startBitcoind(command: readonly string[]) {
  const [program = '', ...first] = command;
  const folder = await mkdtemp(join(tmpdir(), 'vigil-bitcoind-'));
  const port = await freePort();
  const url = `http://vigil:secret@127.0.0.1:${port}/`;
  const child = spawn(
    program,
    [
      ...first,
      '-regtest',
      `-datadir=${folder}`,
      `-rpcport=${port}`,
      '-rpcbind=127.0.0.1',
      '-rpcallowip=127.0.0.1',
      '-rpcuser=vigil',
      '-rpcpassword=secret',
      '-listen=0',
      '-txindex=1',
      '-fallbackfee=0.0001',
    ],
    { stdio: 'ignore' },
  );
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);

  async function rpc<T = string>(method: string, ...params: unknown[]): Promise<T> {
    const reply = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('vigil:secret').toString('base64')}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer = (await reply.json()) as { result: T; error?: { message: string } };
    if (answer.error) throw new Error(`bitcoind refused ${method}: ${answer.error.message}`);
    return answer.result;
  }

  async function ready(): Promise<void> {
    for (let tries = 0; ; tries++) {
      if (child.exitCode !== null) throw new Error(`bitcoind ended with code ${child.exitCode}.`);
      try {
        await rpc('getblockcount');
        return;
      } catch (error) {
        if (tries > 300) throw error;
        await sleep(100);
      }
    }
  }

  async function stop(): Promise<void> {
    process.off('exit', kill);
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  }

  try {
    await ready();
    await rpc('createwallet', 'tests');
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    rpc,
    stop,
    address: () => rpc('getnewaddress', '', 'bech32'),
    /** Mines to an address of the wallet, another one each time: the same one would make the same block again after a fork. */
    async mine(blocks = 1): Promise<string[]> {
      return rpc<string[]>('generatetoaddress', blocks, await rpc('getnewaddress', '', 'bech32'));
    },
    /**
     * Pays these amounts in whole bitcoins, in one block. By name, because the wallet keeps a payment that the mempool did not take,
     * and any number of blocks then goes without it.
     */
    async pay(payments: readonly (readonly [address: string, amount: number])[]): Promise<void> {
      const signed: string[] = [];
      for (const [address, amount] of payments) {
        const { hex } = await rpc<{ hex: string }>(
          'gettransaction',
          await rpc('sendtoaddress', address, amount),
        );
        signed.push(hex);
      }
      await rpc('generateblock', await rpc('getnewaddress', '', 'bech32'), signed);
    },
    height: () => rpc<number>('getblockcount'),
  };
}
