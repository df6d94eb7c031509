import { setTimeout as sleep } from 'node:timers/promises';
import { isCanister } from '../../codecs/icp/accounts.ts';
import { getOrThrow } from '../../lib/getOrThrow.ts';
import type { Block } from '../../model/block.ts';
import { BlockUnavailable, type ClientOptions, type ConnectedClient, type Watched } from '../chainClient.ts';
import { createEndpoints } from '../net/createEndpoints.ts';
import { resultOf } from '../net/replies.ts';
import { certifiedMethod } from './createIcpRpc.ts';
import { createLedger, icpLedgerId, type Ledger, pollMs } from './createLedger.ts';
import { createStateReader, readCandid } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { createWatchedAccounts, headerAt, toBlock, type WatchedAccounts } from './decodeBlock.ts';
import { icpProtocol } from './icpProtocol.ts';

/** Seconds within which a block is being followed, and not looked at again. */
const recent = 60;
/** For so long a ledger that is behind is waited for before the nodes are asked again from the start. */
const maxWaitMs = 20_000;

/** The watched addresses of this chain, cached while they stay the same. */
type Focus = { version: number; accounts: WatchedAccounts; ledgers: readonly string[] };

/**
 * Follows the Internet Computer through its ledgers, as it has no public blocks: a block is one second with the entries
 * of all followed ledgers. Subnets certify everything, so no second ever changes.
 */
export function createIcpClient({ chain, urls, now, onCall }: ClientOptions): ConnectedClient {
  const endpoints = createEndpoints({
    ...icpProtocol(chain),
    urls,
    blockTimeMs: chain.blockTimeMs,
    now,
    // Certificates that came with an answer are checked here, and not by a node.
    onCall: (method) => {
      if (method !== certifiedMethod) onCall(method);
    },
  });
  const ledgers = new Map<string, Ledger>();
  const focuses = new WeakMap<Watched, Focus>();
  /** The ledgers of what is followed, with the last block that needed them. */
  const live = new Map<string, number>();

  function ledgerOf(id: string): Ledger {
    if (!ledgers.has(id)) ledgers.set(id, createLedger(id, endpoints, now));
    return getOrThrow(ledgers, id);
  }

  /** The last second that is over, and complete in all ledgers that were followed of late. */
  function head(): number {
    const clock = Math.floor(now() / 1000) - 1;
    const complete = followedLately(clock).map((ledger) => ledger.completeUntil());
    return Math.min(clock, ...complete);
  }

  function followedLately(clock: number): Ledger[] {
    for (const [id, number] of live) if (number < clock - recent) live.delete(id);
    return [...live.keys()].map(ledgerOf).filter((ledger) => !ledger.isAbsent());
  }

  /** Looks how far ledgers are, each once in a while at most. */
  async function refresh(number: number): Promise<void> {
    const behind = followedLately(Math.floor(now() / 1000)).filter(
      (ledger) => ledger.completeUntil() < number,
    );
    await Promise.all(behind.map((ledger) => ledger.refresh()));
  }

  function focusOf(watched: Watched): Focus {
    const cached = focuses.get(watched);
    const version = watched.version();
    if (cached?.version === version) return cached;
    const addresses = [...watched.addresses()];
    const focus = {
      version,
      accounts: createWatchedAccounts(addresses, watched.has),
      ledgers: [...new Set([icpLedgerId, ...addresses.filter(isCanister)])],
    };
    focuses.set(watched, focus);
    return focus;
  }

  /** The entries of a second, once it is complete. */
  async function readSlice(id: string, number: number) {
    const ledger = ledgerOf(id);
    const until = now() + maxWaitMs;
    if (ledger.isAbsent()) return [];
    while (ledger.completeUntil() < number) {
      if (!(await ledger.refresh())) return [];
      if (ledger.completeUntil() >= number) break;
      if (now() > until)
        throw new BlockUnavailable(`The ledger ${id} is behind second ${number} for too long.`);
      await sleep(pollMs / 4);
    }
    return ledger.slice(number);
  }

  const shell = (number: number): Block => toBlock(chain.uid, number, now(), [], noAccounts);

  return {
    chainUid: chain.uid,
    keepsHistory: false,
    async block(number) {
      if (number > Math.floor(now() / 1000) - 1) return null;
      await refresh(number);
      return number <= head() ? shell(number) : null;
    },
    async detail({ number, receivedAt }, watched) {
      const { ledgers: ids, accounts } = focusOf(watched);
      if (number > Math.floor(now() / 1000) - recent) for (const id of ids) live.set(id, number);
      const followed = await Promise.all(
        ids.map(async (ledger) => ({ ledger, entries: await readSlice(ledger, number) })),
      );
      return toBlock(chain.uid, number, receivedAt, followed, accounts);
    },
    async header(which) {
      if (typeof which === 'number') return which <= head() ? headerAt(which) : null;
      await refresh(Math.floor(now() / 1000) - 1);
      return headerAt(head());
    },
    readState: createStateReader(endpoints),
    findImplementation: async () => null,
    findInterface: (address) => readCandid(endpoints, address),
    async blockOfTransaction(hash) {
      const [, id = '', index] = /^([a-z0-9-]+)_(\d+)$/.exec(hash) ?? [];
      if (!isCanister(id)) return null;
      const entry = await ledgerOf(id).entry(Number(index));
      return entry ? Number(entry.at / 1_000_000_000n) : null;
    },
    transactor: createTransactor(endpoints, now, ledgerOf),
    // Nothing announces what ledgers do.
    onHead: () => ({ appeared: () => {}, stop: () => {} }),
    head,
    checkEndpoints: (which) => {
      const { call, read } = icpProtocol(chain).newest;
      return endpoints.checkAll(which, { calls: [call], accept: ([reply]) => read(resultOf(reply)) });
    },
    health: endpoints.health,
    setUrls: endpoints.setUrls,
    close: endpoints.close,
  };
}

const noAccounts: WatchedAccounts = { shownFor: () => [] };
