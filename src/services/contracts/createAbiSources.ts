import { request } from 'undici';
import { type ChainUid, getChain } from '../../chains/chains.ts';
import { createGuardedAgents } from '../../lib/createGuardedAgents.ts';
import type { Resolve } from '../../lib/createResolve.ts';
import { type Egress, webhookFault } from '../../lib/egress.ts';
import { messageOf } from '../../lib/messageOf.ts';
import { findCachedAbi, saveCachedAbi } from '../../store/contracts/abiCache.ts';
import type { Db } from '../../store/db/db.ts';

/** A server that knows the ABIs of verified contracts. */
export type AbiSource = { readonly kind: 'sourcify' | 'etherscan'; readonly url: string };

type FoundAbi = { abi: readonly unknown[]; source: string };

export type AbiSources = {
  /** The ABI of a verified contract; undefined when no source has it, or none is configured, and on chains without a chain id. */
  find(chainUid: ChainUid, address: string): Promise<FoundAbi | undefined>;
  close(): Promise<void>;
};

type Options = {
  db: Db;
  sources: readonly AbiSource[];
  egress: Egress;
  now: () => number;
  log: (fields: object, message: string) => void;
  resolve?: Resolve;
};

const timeoutMs = 3000;

/**
 * Asks the sources in turn and keeps what they say, also that they have nothing. A source that does not respond is asked
 * again the next time.
 */
export function createAbiSources({ db, sources, egress, now, log, resolve }: Options): AbiSources {
  const agents = createGuardedAgents(egress, resolve);

  async function ask(source: AbiSource, chainId: number, address: string): Promise<unknown[] | null> {
    const url = addressOf(source, chainId, address);
    const fault = webhookFault(url, 0, egress);
    if (fault) throw new Error(`its address ${fault}`);
    const { statusCode, body } = await request(url, {
      dispatcher: agents.agentOf(0),
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await body.text();
    if (statusCode === 404) return null;
    if (statusCode !== 200) throw new Error(`it answers with status ${statusCode}`);
    return readers[source.kind](JSON.parse(text));
  }

  return {
    async find(chainUid, shown) {
      const address = shown.toLowerCase();
      const { chainId } = getChain(chainUid);
      if (sources.length === 0 || chainId === undefined) return undefined;
      const cached = await findCachedAbi(db, chainUid, address, now());
      if (cached) return cached.abi === null ? undefined : { abi: cached.abi, source: cached.source };
      let isComplete = true;
      for (const source of sources) {
        const { host } = new URL(source.url);
        try {
          const abi = await ask(source, chainId, address);
          if (!abi) continue;
          await saveCachedAbi(db, { chainUid, address, abi, source: host }, now());
          return { abi, source: host };
        } catch (error) {
          isComplete = false;
          log(
            { source: host, chain: chainUid, error: messageOf(error) },
            'ABI source failed; trying the next one',
          );
        }
      }
      if (isComplete) await saveCachedAbi(db, { chainUid, address, abi: null, source: '' }, now());
      return undefined;
    },
    close: () => agents.close(),
  };
}

function addressOf({ kind, url }: AbiSource, chainId: number, address: string): string {
  const base = new URL(url);
  if (kind === 'sourcify') {
    base.pathname = `${base.pathname.replace(/\/+$/, '')}/v2/contract/${chainId}/${address}`;
    base.searchParams.set('fields', 'abi');
    return base.href;
  }
  for (const [name, value] of Object.entries({
    chainid: chainId,
    module: 'contract',
    action: 'getabi',
    address,
  }))
    base.searchParams.set(name, String(value));
  return base.href;
}

/** Null: the source does not know the contract. */
const readers: Record<AbiSource['kind'], (answer: unknown) => unknown[] | null> = {
  sourcify: (answer) => {
    const abi = memberOf(answer, 'abi');
    if (abi === undefined || abi === null) return null;
    return toAbi(abi);
  },
  etherscan: (answer) => {
    const result = memberOf(answer, 'result');
    if (memberOf(answer, 'status') === '1' && typeof result === 'string') return toAbi(JSON.parse(result));
    // A wrong key or too many requests is no answer about the contract.
    if (typeof result === 'string' && /not verified/i.test(result)) return null;
    throw new Error(`it answers ${JSON.stringify(result ?? null).slice(0, 100)}`);
  },
};

function toAbi(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error('its ABI is no list');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
