import type { ChainClient } from '../chainClient.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcReply } from '../net/createRpc.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { resultOf } from '../net/replies.ts';
import { type BitcoinTransaction, decodeWaiting } from './decodeBlock.ts';
import { mainNetwork } from './networks.ts';

/** The list of all that waits can be large: it is not asked for more often, nor for more than a part of the time. */
const leastPauseMs = 900;
const pauseShare = 10;
/** Most transactions that are looked at after one list: the rest follows after the next ones, what is new first. */
const maxExamined = 1000;
const examinedAtOnce = 100;
const callsAtOnce = 500;
/** Addresses that no one asks for any more are forgotten. */
const forgetMs = 600_000;

/**
 * Finds waiting transactions that involve addresses of interest. Nodes have no index by address, so each transaction is
 * examined once while it waits; only a number is kept of the rest.
 */
export function createMempool(
  { request }: Pick<Endpoints, 'request'>,
  now: () => number,
  network = mainNetwork,
): NonNullable<ChainClient['findWaiting']> {
  const wanted = new Map<string, number>();
  /** The transactions of the last list, and the examined ones among them. */
  let listed = new Set<number>();
  let examined = new Set<number>();
  let touching = new Map<string, BitcoinTransaction>();
  let polled: Promise<void> | undefined;
  let nextAt = 0;

  async function poll(): Promise<void> {
    const startedAt = now();
    const ids = await request([{ method: 'getrawmempool', params: [] }], ([reply]) =>
      listOf(resultOf(reply), 'mempool').map((id) => textOf(id, 'txid')),
    );
    const keys = new Set(ids.map(toKey));
    const isNew = (id: string) => !listed.has(toKey(id));
    const unknown = ids.filter((id) => !examined.has(toKey(id)));
    const due = [...unknown.filter(isNew), ...unknown.filter((id) => !isNew(id))].slice(0, maxExamined);
    examined = new Set([...examined].filter((key) => keys.has(key)));
    const waiting = new Set(ids);
    touching = new Map([...touching].filter(([id, tx]) => waiting.has(id) && partiesOf(tx).some(isWanted)));
    listed = keys;
    for (const part of chunks(due, examinedAtOnce))
      for (const transaction of await examine(part)) {
        examined.add(toKey(transaction.hash));
        if (partiesOf(transaction).some(isWanted)) touching.set(transaction.hash, transaction);
      }
    nextAt = now() + Math.max(leastPauseMs, pauseShare * (now() - startedAt));
  }

  const isWanted = (address: string) => wanted.has(address);

  function want(addresses: readonly string[]): void {
    const time = now();
    for (const [address, askedAt] of wanted) if (askedAt < time - forgetMs) wanted.delete(address);
    // Examined transactions may involve the new address.
    if (!addresses.every(isWanted)) examined = new Set();
    for (const address of addresses) wanted.set(address, time);
  }

  /** One at a time, however many ask. */
  function pollIfDue(): Promise<void> {
    if (now() < nextAt) return polled ?? Promise.resolve();
    polled ??= poll().finally(() => {
      polled = undefined;
    });
    return polled;
  }

  /** The transactions with the outputs that they spend; without those that left the pool meanwhile. */
  async function examine(ids: readonly string[]): Promise<BitcoinTransaction[]> {
    const raws = await readTransactions(ids);
    const inputs = raws.flatMap(({ vin }) => listOf(vin, 'vin').map(toOutpoint));
    const outputs = await ask(
      inputs.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] })),
    );
    const spent = new Map<string, Raw>();
    const parents = new Set<string>();
    for (const [index, { txid, vout }] of inputs.entries()) {
      const output = resultOf(outputs[index]);
      if (output === null) parents.add(txid);
      else spent.set(`${txid}:${vout}`, recordOf(output));
    }
    // An output without a block was made by a waiting transaction.
    for (const { txid, vout } of await readTransactions([...parents]))
      for (const [index, output] of listOf(vout, 'vout').entries())
        spent.set(`${String(txid)}:${index}`, recordOf(output));
    return raws.flatMap((raw) => {
      const inputs = listOf(raw.vin, 'vin').map((input) => {
        const { txid, vout } = toOutpoint(input);
        return spent.get(`${txid}:${vout}`);
      });
      const known = inputs.filter((output) => output !== undefined);
      return known.length === inputs.length ? [decodeWaiting(raw, known, network)] : [];
    });
  }

  async function readTransactions(ids: readonly string[]): Promise<Raw[]> {
    const replies = await ask(ids.map((id) => ({ method: 'getrawtransaction', params: [id, 1] })));
    return replies.flatMap((reply) => ('result' in reply ? [recordOf(reply.result)] : []));
  }

  async function ask(calls: readonly RpcCall[]): Promise<RpcReply[]> {
    const replies: RpcReply[] = [];
    for (const part of chunks(calls, callsAtOnce))
      replies.push(...(await request(part, (answered) => [...answered])));
    return replies;
  }

  /** The ids of the transactions of the pool that spend these, by input. */
  async function findSpenders(inputs: readonly string[]): Promise<Map<string, string>> {
    const spenders = new Map<string, string>();
    const outpoints = inputs.map((input) => {
      const [txid = '', vout = ''] = input.split(':');
      return { txid, vout: Number(vout) };
    });
    for (const part of chunks(outpoints, callsAtOnce)) {
      const call = { method: 'gettxspendingprevout', params: [part] };
      const outputs = await request([call], ([reply]) => listOf(resultOf(reply), 'outputs').map(recordOf));
      for (const { txid, vout, spendingtxid } of outputs)
        if (typeof spendingtxid === 'string') spenders.set(`${String(txid)}:${String(vout)}`, spendingtxid);
    }
    return spenders;
  }

  return async (queries) => {
    want(queries.map(({ address }) => address));
    await pollIfDue();
    const spenders = await findSpenders([...new Set(queries.flatMap(({ inputs }) => inputs))]);
    const rest = new Set([...spenders.values()].filter((id) => !touching.has(id)));
    const examinedOthers = await examine([...rest]);
    const cache = new Map([
      ...touching,
      ...examinedOthers.map((transaction) => [transaction.hash, transaction] as const),
    ]);
    return queries.map(({ address, inputs }) => {
      const found = new Set(
        [...cache.values()].filter((transaction) => partiesOf(transaction).includes(address)),
      );
      for (const input of inputs) {
        const spender = cache.get(spenders.get(input) ?? '');
        if (spender) found.add(spender);
      }
      return [...found];
    });
  };
}

/** Enough of an id to tell it from some hundred thousand others, at a tenth of the memory. */
function toKey(id: string): number {
  return Number.parseInt(id.slice(0, 13), 16);
}

function partiesOf({ parties: { senders, recipients } }: BitcoinTransaction): string[] {
  return [...senders, ...recipients];
}

function toOutpoint(input: unknown): { txid: string; vout: number } {
  const { txid, vout } = recordOf(input);
  return { txid: textOf(txid, 'txid'), vout: numberOf(vout, 'vout') };
}

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
