import { encodeCall, eventTopic, parseFunction } from '../../codecs/evm/abi.ts';
import { transferTopic } from '../../codecs/evm/transferTopic.ts';
import { addressTopic } from '../../codecs/evm/words.ts';
import { membersOf } from '../../lib/isRecord.ts';
import { zip } from '../../lib/zip.ts';
import type { BlockRef } from '../../model/block.ts';
import type { Origin, OriginAccount, OriginQuery } from '../../model/origin.ts';
import { type Endpoints, EndpointsFailed } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { NotAvailableYet } from '../net/replies.ts';
import { createdAddress } from './createdAddress.ts';
import { toRevert } from './toRevert.ts';
import { toHex } from './toRpcCall.ts';

const dayMs = 86_400_000;
/** Most nodes answer for so many blocks at once; the shorter windows are for the others. */
const windows = [10_000, 1_000, 100];

/**
 * Senders of what a holder got of a token, by its logs within a day or what nodes show of it. Logs name any giver, so
 * only who signed the transaction counts.
 */
export async function findOrigin(
  endpoints: Pick<Endpoints, 'request'>,
  blockTimeMs: number,
  { number: newest }: BlockRef,
  query: OriginQuery,
): Promise<Origin> {
  const longest = Math.ceil(dayMs / blockTimeMs);
  const starts = windows.map((blocks) => Math.max(0, newest - Math.min(blocks, longest)));
  const { start, gifts } = await firstAnswer(starts, async (start) => ({
    start,
    gifts: await findGifts(endpoints, query, start, newest),
  }));
  const givers = await sendersOf(endpoints, gifts);
  const senders = query.senders.filter((sender) => !givers.includes(sender));
  const people = [...givers, ...senders];
  const [before, nonces] = await Promise.all([
    stateBefore(endpoints, query, people, [...new Set([start, Math.max(0, newest - windows.at(-1)!)])]),
    ask(
      endpoints,
      people.map((person) => ({ method: 'eth_getTransactionCount', params: [person, toHex(newest)] })),
    ),
  ]);
  const described = new Map(
    people.map((address, index): [string, OriginAccount] => [
      address,
      {
        address,
        hadCoins: before?.hadCoins?.[index],
        made: madeBy(address, Number(resultAt(nonces, index)), query.accounts),
      },
    ]),
  );
  const personOf = (address: string) => described.get(address) ?? [];
  return {
    wasHeld: before?.wasHeld,
    givers: givers.flatMap(personOf),
    senders: query.senders.flatMap(personOf),
  };
}

type Gift = { hash: string; block: number; amount: bigint };

const multiTopics = [
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
].map(eventTopic);

/** Transactions by whose logs the holder got the token, or that it reports itself about the token; oldest first. */
async function findGifts(
  endpoints: Pick<Endpoints, 'request'>,
  { token, holder }: OriginQuery,
  start: number,
  end: number,
): Promise<Gift[]> {
  const window = { fromBlock: toHex(start), toBlock: toHex(end) };
  const [to, subject] = [addressTopic(holder), addressTopic(token)];
  const filters = [
    { address: token, topics: [transferTopic, null, to] },
    { address: token, topics: [multiTopics, null, null, to] },
    // Some tokens report nothing: a contract that keeps books for its users does.
    { address: holder, topics: [null, subject] },
    { address: holder, topics: [null, null, subject] },
  ];
  const replies = await ask(
    endpoints,
    filters.map((filter) => ({ method: 'eth_getLogs', params: [{ ...window, ...filter }] })),
  );
  return filters
    .flatMap((_, index): unknown[] => {
      const logs = resultAt(replies, index);
      return Array.isArray(logs) ? logs : [];
    })
    .flatMap((log) => {
      const { address, transactionHash, blockNumber, data } = membersOf(log);
      if (typeof transactionHash !== 'string') return [];
      const isAmount =
        String(address).toLowerCase() === token && typeof data === 'string' && /^0x[0-9a-f]{64}/i.test(data);
      const amount = isAmount ? BigInt(data.slice(0, 66)) : 0n;
      return [{ hash: transactionHash, block: Number(blockNumber), amount }];
    })
    .sort((a, b) => a.block - b.block);
}

/** Bounds the reads. The oldest gifts cannot be pushed out by later ones, nor the largest by dust. */
const maxOldest = 8;
const maxLargest = 4;

async function sendersOf(endpoints: Pick<Endpoints, 'request'>, gifts: readonly Gift[]): Promise<string[]> {
  const largest = gifts.toSorted((a, b) => (a.amount < b.amount ? 1 : -1)).slice(0, maxLargest);
  const hashes = [...new Set([...gifts.slice(0, maxOldest), ...largest].map(({ hash }) => hash))];
  const replies = await ask(
    endpoints,
    hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
  );
  const senders = hashes.flatMap((_, index) => {
    const { from } = membersOf(resultAt(replies, index));
    return typeof from === 'string' ? [from.toLowerCase()] : [];
  });
  return [...new Set(senders)];
}

const balanceOf = parseFunction('balanceOf(address)(uint256)');

/** State at the earliest of these blocks that nodes still have. */
async function stateBefore(
  endpoints: Pick<Endpoints, 'request'>,
  { token, holder }: OriginQuery,
  people: readonly string[],
  starts: readonly number[],
): Promise<{ wasHeld: boolean | undefined; hadCoins: boolean[] | undefined } | undefined> {
  const data = encodeCall(balanceOf, [holder]);
  return firstAnswer(starts, async (start) => {
    const tag = toHex(start);
    const replies = await ask(endpoints, [
      { method: 'eth_getBlockByNumber', params: [tag, false] },
      { method: 'eth_getCode', params: [token, tag] },
      { method: 'eth_call', params: [{ to: token, data }, tag] },
      ...people.map((person) => ({ method: 'eth_getBalance', params: [person, tag] })),
    ]);
    const [block, code, held, ...balances] = replies.map((_, index) => resultAt(replies, index));
    if (typeof block !== 'object' || block === null) throw new NotAvailableYet();
    const amount = typeof held === 'string' && held.length >= 66 ? BigInt(held.slice(0, 66)) : undefined;
    return {
      wasHeld: code === '0x' ? false : amount === undefined ? undefined : amount > 0n,
      // A chain that is younger than the window has no past to compare with.
      hadCoins: start === 0 ? undefined : balances.map((balance) => BigInt(String(balance)) > 0n),
    };
  }).catch((error: unknown) => {
    if (error instanceof NotAvailableYet || error instanceof EndpointsFailed) return undefined;
    throw error;
  });
}

/** Nodes refuse what is too much for them, each in its own way, so that less is asked of them next. */
async function firstAnswer<T>(starts: readonly number[], work: (start: number) => Promise<T>): Promise<T> {
  const [start = 0, ...rest] = starts;
  try {
    return await work(start);
  } catch (error) {
    if (rest.length === 0) throw error;
    return firstAnswer(rest, work);
  }
}

/** A call that reverts has its answer; any other error is asked of the next node. */
function ask(endpoints: Pick<Endpoints, 'request'>, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
  if (calls.length === 0) return Promise.resolve([]);
  return endpoints.request(calls, (replies) => {
    const isRefused = zip(calls, replies).some(([, reply]) => 'error' in reply && !toRevert(reply.error));
    if (isRefused) throw new NotAvailableYet();
    return replies;
  });
}

function resultAt(replies: readonly RpcReply[], index: number): unknown {
  const reply = replies[index];
  return reply && 'result' in reply ? reply.result : undefined;
}

/** Bounds the hashing: an account that makes contracts makes them among its first or its latest transactions. */
const maxNonces = 300;

/** Those of the contracts that transactions of the account created. */
function madeBy(address: string, nonce: number, accounts: readonly string[]): string[] {
  const wanted = new Set(accounts);
  const made: string[] = [];
  const last = Number.isSafeInteger(nonce) ? nonce : 0;
  for (let used = 0; used < last; used++) {
    if (used === maxNonces) used = Math.max(used, last - maxNonces);
    const created = createdAddress(address, used);
    if (wanted.has(created)) made.push(created);
  }
  return made;
}
