import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { Block, Header } from '../../model/block.ts';
import { BlocksGone, type ClientOptions, type ConnectedClient } from '../chainClient.ts';
import { type Accept, createEndpoints, EndpointsFailed } from '../net/createEndpoints.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, recordOf } from '../net/members.ts';
import { InvalidResponse, NodeRefusal, NotAvailableYet, orNull, resultOf } from '../net/replies.ts';
import { textIn } from '../readTraits.ts';
import { createStateReader } from './createStateReader.ts';
import { createTransactor } from './createTransactor.ts';
import { decodeBlock, decodeHeader } from './decodeBlock.ts';
import { createNetwork } from './network.ts';
import { passphraseOf, stellarProtocol } from './stellarProtocol.ts';

/** Headers that are kept: closed ledgers never change, and a header cannot be had without the whole ledger. */
const maxHeaders = 1000;

/** While an endpoint does not answer at all, it may have what all others have forgotten; after so long it is not waited for. */
const maxSilenceMs = 600_000;

/** Follows a chain through Stellar RPC, with one call for each ledger. */
export function createStellarClient({ chain, urls, now, onCall }: ClientOptions): ConnectedClient {
  const endpoints = createEndpoints({
    ...stellarProtocol(chain),
    urls,
    blockTimeMs: chain.blockTimeMs,
    now,
    onCall,
  });
  const { request } = endpoints;
  const network = createNetwork(passphraseOf(chain));
  const headers = createBoundedMap<number, Header>(maxHeaders);
  let silentSince: number | undefined;

  function remember<T extends Header>(block: T): T {
    const { number, hash, parentHash, timestamp } = block;
    headers.set(number, { number, hash, parentHash, timestamp });
    return block;
  }

  const ledgerCall = (number: number) => ({
    method: 'getLedgers',
    params: { startLedger: number, pagination: { limit: 1 }, xdrFormat: 'base64' },
  });

  async function readBlock(number: number, parentHash?: string): Promise<Block | null> {
    let fallback: Block | undefined;
    const fitting = await orNull(
      requestKept(number, async ([reply], has) => {
        const block = numbered(await decodeBlock(chain.uid, ledgerIn(reply, number), now(), network), number);
        has(number);
        // A block that continues ours is believed first when endpoints disagree.
        if (parentHash === undefined || block.parentHash === parentHash) return block;
        fallback ??= block;
        throw new NotAvailableYet();
      }),
    );
    const block = fitting ?? fallback;
    return block ? remember(block) : null;
  }

  /** Asks for a ledger; throws BlocksGone where it is too old for all nodes. */
  async function requestKept<T>(number: number, accept: Accept<T>): Promise<T> {
    try {
      const block = await request([ledgerCall(number)], accept);
      silentSince = undefined;
      return block;
    } catch (error) {
      const faults = error instanceof EndpointsFailed ? error.faults : [];
      const gone = faults.filter((fault) => fault instanceof LedgerGone);
      if (gone.length === 0) throw error;
      if (gone.length < faults.length) {
        silentSince ??= now();
        if (now() - silentSince < maxSilenceMs) throw error;
      }
      throw new BlocksGone(number, Math.min(...gone.map(({ oldest }) => oldest)));
    }
  }

  function readHeader(number: number): Promise<Header | null> {
    const cached = headers.get(number);
    if (cached) return Promise.resolve(cached);
    return orNull(
      request([ledgerCall(number)], ([reply], has) => {
        const header = numbered(decodeHeader(ledgerIn(reply, number)), number);
        has(number);
        return remember(header);
      }),
    );
  }

  async function hashOfLedger(number: number): Promise<string> {
    const header = await readHeader(number);
    if (!header) throw new Error(`No node has ledger ${number} at the moment.`);
    return header.hash;
  }

  const readState = createStateReader(endpoints, network);
  const readNewest = () =>
    request([{ method: 'getLatestLedger', params: {} }], ([reply], has) => {
      const number = numberOf(recordOf(resultOf(reply)).sequence, 'sequence');
      has(number);
      return number;
    });

  return {
    chainUid: chain.uid,
    keepsHistory: false,
    block: readBlock,
    // A closed ledger is final, so the newest is as well.
    header: async (which) => readHeader(typeof which === 'number' ? which : await readNewest()),
    readState,
    async findInterface(address) {
      const latest = { number: endpoints.head(), hash: '' };
      const [answer] = await readState(latest, [{ type: 'storage', address, key: 'interface' }]);
      const spec = textIn(answer);
      return spec === undefined ? undefined : (JSON.parse(spec) as readonly unknown[]);
    },
    // The code of a contract has a hash, and no address of its own.
    findImplementation: async () => null,
    blockOfTransaction: (hash) =>
      orNull(
        request([{ method: 'getTransaction', params: { hash } }], ([reply]) => {
          const { status, ledger } = recordOf(resultOf(reply));
          if (status === 'NOT_FOUND') throw new NotAvailableYet();
          return numberOf(ledger, 'ledger');
        }),
      ),
    transactor: createTransactor(endpoints, network, hashOfLedger, now),
    // Nodes announce nothing: ledgers are polled for when they are due.
    onHead: () => ({ appeared: () => {}, stop: () => {} }),
    head: endpoints.head,
    checkEndpoints(which) {
      const number = Math.max(2, endpoints.head());
      return endpoints.checkAll(which, {
        calls: [ledgerCall(number)],
        accept: ([reply]) => numbered(decodeHeader(ledgerIn(reply, number)), number),
      });
    },
    health: endpoints.health,
    setUrls: endpoints.setUrls,
    close: endpoints.close,
  };
}

/** The ledger in an answer. Nodes refuse a number before the oldest that they keep and one after the newest alike. */
function ledgerIn(reply: RpcReply | undefined, number: number): unknown {
  if (reply && 'error' in reply) {
    const range = /oldest ledger: (\d+) and the latest ledger: (\d+)/.exec(reply.error.message);
    if (range && number > Number(range[2])) throw new NotAvailableYet(number);
    if (range && number < Number(range[1])) throw new LedgerGone(number, Number(range[1]));
  }
  const [ledger] = listOf(recordOf(resultOf(reply)).ledgers, 'ledgers');
  if (ledger === undefined) throw new NotAvailableYet(number);
  return ledger;
}

function numbered<T extends Header>(block: T, number: number): T {
  if (block.number !== number) throw new InvalidResponse(`it sent ledger ${block.number} for ${number}`);
  return block;
}

class LedgerGone extends NodeRefusal {
  override readonly name = 'LedgerGone';
  readonly oldest: number;

  constructor(number: number, oldest: number) {
    super(
      `it keeps ledgers from ${oldest} on only, and ledger ${number} is gone: use a node that keeps more of them`,
    );
    this.oldest = oldest;
  }
}
