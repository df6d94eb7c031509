import { type LookupAddress, type LookupAllOptions, lookup, promises } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isLocalName } from './egress.ts';

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Options = {
  /** Name servers in place of the machine's. */
  servers?: readonly string[];
  hostsFile?: string;
};

const lookUp = promisify(lookup);

/**
 * Resolves names that tenants choose. The system's resolver has few threads, which unresponsive name servers would
 * block; it is used only for names that need no foreign name server.
 */
export function createResolve({ servers, hostsFile = '/etc/hosts' }: Options = {}): Resolve {
  async function resolve(hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
    const name = hostname.replace(/\.$/, '').toLowerCase();
    if (!name.includes('.') || isLocalName(name) || (await isInFile(hostsFile, name)))
      return lookUp(hostname, { ...options, all: true });
    return ask(name);
  }

  async function ask(name: string): Promise<LookupAddress[]> {
    // A new one each time knows the present name servers of the machine, and costs next to nothing.
    const resolver = new promises.Resolver({ timeout: 1000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0) return addresses;
    const isUnknown = [v4, v6].every((answer) => answer.status === 'rejected' && isNoName(answer.reason));
    throw Object.assign(new Error(`${name} does not resolve`), {
      code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN',
    });
  }

  return (hostname, options, callback) => {
    resolve(hostname, options).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

function isNoName(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
  );
}

async function isInFile(file: string, name: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').some((line) => {
    const [, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return names.includes(name);
  });
}
