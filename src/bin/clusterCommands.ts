import { addWorker, drainWorker, printCluster, rebalance } from '../store/db/shards/manageCluster.ts';
import type { CommandInput } from './parseCommand.ts';
import { refuse } from './refuse.ts';
import { withStore } from './withStore.ts';

const report = (line: string) => void process.stdout.write(`${line}\n`);

export async function clusterStatus(): Promise<number> {
  return withStore({ isNamed: false }, async (_store, _config, owner) => {
    await printCluster(owner, report);
    return 0;
  });
}

export async function clusterRebalance(): Promise<number> {
  return withStore({ isNamed: true }, async (_store, _config, owner) => {
    await rebalance(owner, report);
    return 0;
  });
}

export async function clusterAdd([text = '']: CommandInput['words']): Promise<number> {
  return withAddress(text, addWorker);
}

export async function clusterDrain([text = '']: CommandInput['words']): Promise<number> {
  return withAddress(text, drainWorker);
}

async function withAddress(text: string, change: typeof addWorker): Promise<number> {
  const address = toAddress(text);
  if (!address) return refuse(`"${text}" is no address of a server, such as db4:5432.`);
  return withStore({ isNamed: true }, async (_store, _config, owner) => {
    await change(owner, address, report);
    return 0;
  });
}

const defaultPort = 5432;
const maxPort = 65_535;

/** `host`, `host:port`, or the folder of a socket with a port. */
function toAddress(text: string): { host: string; port: number } | undefined {
  const [, host = '', digits] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === '' || port < 1 || port > maxPort) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port };
}
