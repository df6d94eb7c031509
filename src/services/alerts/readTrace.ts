import type { ChainClient } from '../../chains/chainClient.ts';
import { type ChainUid, getChain } from '../../chains/chains.ts';
import { describeFrame } from '../../chains/evm/traces/describeFrame.ts';
import { families } from '../../chains/families.ts';
import { transferTopic } from '../../codecs/evm/erc20Transfer.ts';
import { decimalsData } from '../../codecs/evm/tokenMetadata.ts';
import { type NetChange, netChanges } from '../../evidence/evm/netChanges.ts';
import { ambiguousTransfer, isUniqueToken, ownerData } from '../../evidence/evm/uniqueToken.ts';
import { canonicalHash } from '../../lib/canonicalHash.ts';
import { createBriefCache } from '../../lib/createBriefCache.ts';
import { formatDecimal, toDecimal } from '../../lib/decimal.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { settleWithin } from '../../lib/withTimeLimit.ts';
import { tracingOff } from '../../matching/matchInner.ts';
import type { Block, Frame, Log, Transaction } from '../../model/block.ts';
import { Problem } from '../../model/errors.ts';
import { NotTraced } from '../../model/traceState.ts';
import { findAlert } from '../../store/alerts/alertRecords.ts';
import { listContractAbis } from '../../store/contracts/listContractAbis.ts';
import { nameAddresses } from '../../store/labels/nameAddresses.ts';
import { visibleScope } from '../../store/search/documents/documentScopes.ts';
import type { Call } from '../call.ts';
import { noEndpoint } from '../contracts/noEndpoint.ts';
import { partiesOf } from './partiesOf.ts';
import { dataOf, readTokens, type TokenNaming } from './readTokens.ts';
import { showAmounts } from './showAmounts.ts';

const timeLimitMs = 30_000;
/** Rows of balance changes, and tokens whose symbol and decimals are read. */
const maxChanges = 200;
const maxTokens = 50;
const native = 'native';

/** The decoded call tree of an alert's transaction: a page of its frames, and what each party has more or less after it. */
export async function readTrace(call: Call, uid: string, { from, size }: { from: number; size: number }) {
  const { chainUid, txHash, blockNumber } = await findTransaction(call, uid);
  const client = tracingClient(call, chainUid);
  const readings = readingsOf(client);
  const { block, transaction, frames, changes } = await readings(`${blockNumber} ${txHash}`, async () => {
    const traced = await settleWithin(
      timeLimitMs,
      traceOrThrow(chainUid, () => trace(client, txHash, blockNumber)),
      () => {
        throw notNow(`The nodes of ${chainUid} did not give the trace within ${timeLimitMs / 1000} s.`);
      },
    );
    const unique = await findUnique(call, chainUid, client, traced.block, traced.transaction.logs);
    const isUnique = (log: Log) => unique.has(idKey(log));
    return { ...traced, changes: await netChanges(traced.transaction, traced.frames, isUnique) };
  });
  const page = frames.slice(from, from + size);
  const shownChanges = changes.slice(0, maxChanges);
  const addresses = [
    ...new Set([
      transaction.from,
      ...page.flatMap((frame) => (frame.to === '' ? [frame.from] : [frame.from, frame.to])),
      ...shownChanges.flatMap(({ party, asset }) => (asset === native ? [party] : [party, asset])),
    ]),
  ];
  const named = await nameAddresses(call.db, call.scope, chainUid, addresses);
  const abis = await listContractAbis(call.db, call.scope, chainUid, addresses);
  const moved = [...shownChanges.map(({ asset }) => asset), ...tokensIn(transaction.logs)];
  const tokens = await traceOrThrow(chainUid, () =>
    readTokens(
      call.services,
      client,
      block,
      [...new Set(moved)].filter((asset) => asset !== native).slice(0, maxTokens),
    ),
  );
  const leftOut = {
    before: Math.min(from, frames.length),
    after: Math.max(0, frames.length - from - page.length),
    changes: changes.length - shownChanges.length,
  };
  return {
    chainUid,
    txHash: transaction.hash,
    blockNumber: block.number,
    from: transaction.from,
    isReverted: frames[0]?.isReverted === true,
    total: frames.length,
    reverted: frames.reduce((count, { isReverted }) => count + Number(isReverted), 0),
    depth: frames.reduce((most, { depth }) => Math.max(most, depth), 0),
    frames: await describePage(page, from, chainUid, abis, tokens),
    changes: describeChanges(chainUid, tokens, shownChanges),
    parties: partiesOf(named),
    leftOut,
    note: noteOf(leftOut, from + page.length),
  };
}

type Place = { chainUid: ChainUid; txHash: string; blockNumber: number | null };

async function findTransaction(call: Call, uid: string): Promise<Place> {
  const names = ['chainUid', 'txHash', 'blockNumber'];
  const alert = await findAlert(call.db, await visibleScope(call.db, call.scope), uid, names);
  if (!alert) throw new Problem('not-found', 'There is no such alert.');
  // Read by these names from columns of these types.
  const { chainUid, txHash, blockNumber } = alert as { [K in keyof Place]: Place[K] | null };
  if (chainUid === null || txHash === null)
    throw new Problem('conflict', 'The alert is not about a transaction, so that there is nothing to trace.');
  return { chainUid, txHash, blockNumber };
}

type TracingClient = ChainClient & Required<Pick<ChainClient, 'tracer'>>;

function tracingClient({ services }: Call, uid: ChainUid): TracingClient {
  const { nodes } = families[getChain(uid).family];
  if (!nodes?.areTraced)
    throw new Problem(
      'conflict',
      `Nodes of ${getChain(uid).name} do not trace calls: only chains of the EVM have call trees.`,
    );
  const client = services.chains.client(uid);
  if (!client) throw new Problem('conflict', `Transactions cannot be traced. ${noEndpoint(uid)}`);
  if (!isTracing(client)) throw new Problem('conflict', tracingOff(uid));
  return client;
}

const isTracing = (client: ChainClient): client is TracingClient => client.tracer !== undefined;

type Traced = { block: Block; transaction: Transaction; frames: readonly Frame[] };
type Reading = Traced & { changes: readonly NetChange[] };
type Readings = ReturnType<typeof createBriefCache<Reading>>;

/** The pages of a tree are read one after the other: its block is fetched, and its changes are summed, once for all of them. */
const keptMs = 20_000;
const maxKept = 4;
const maxKeptFrames = 200_000;
const readingsByClient = new WeakMap<ChainClient, Readings>();

function readingsOf(client: ChainClient): Readings {
  const limit = { weigh: ({ frames }: Reading) => frames.length, max: maxKeptFrames };
  const readings =
    readingsByClient.get(client) ?? createBriefCache<Reading>(keptMs, maxKept, undefined, limit);
  readingsByClient.set(client, readings);
  return readings;
}

/** In the block of the alert, or in the one that the transaction is in since a reorganisation. */
async function trace(client: TracingClient, txHash: string, blockNumber: number | null): Promise<Traced> {
  const hash = canonicalHash(txHash);
  const findIn = async (number: number | null) => {
    const block = number === null ? null : await client.block(number);
    const transaction = block?.transactions.find((candidate) => candidate.hash === hash);
    return block && transaction && { block, transaction };
  };
  const found = (await findIn(blockNumber)) ?? (await findIn(await client.blockOfTransaction(hash)));
  if (!found)
    throw new Problem(
      'not-found',
      'The chain has no such transaction any more, or it is not in a block yet.',
    );
  return { ...found, frames: await client.tracer.transaction(found.block, found.transaction) };
}

async function traceOrThrow<T>(uid: ChainUid, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    if (!(cause instanceof NotTraced))
      throw notNow(`The nodes of ${uid} do not respond at the moment.`, cause);
    if (cause.reason === 'unsupported')
      throw new Problem(
        'conflict',
        `No endpoint of ${uid} gives traces. An administrator adds one that knows debug_traceTransaction or trace_transaction, by ` +
          `VIGIL_RPC_${uid.toUpperCase().replaceAll('-', '_')} or POST /chain/${uid}/endpoint.`,
      );
    if (cause.reason === 'too large')
      throw new Problem(
        'conflict',
        'The trace of the transaction is larger than 64 MiB, which Vigil does not read.',
      );
    throw notNow(
      cause.reason === 'wrong'
        ? `The nodes of ${uid} gave a trace that does not fit the transaction.`
        : `The nodes of ${uid} did not give the trace.`,
      cause,
    );
  }
}

/** The failing node and its failure are for the operator, who finds them among the chains. */
function notNow(detail: string, cause?: unknown): Problem {
  return new Problem('unavailable', detail, { retryAfterSeconds: 5 }, { cause });
}

async function describePage(
  page: readonly Frame[],
  first: number,
  uid: ChainUid,
  abis: ReadonlyMap<string, readonly unknown[]>,
  tokens: ReadonlyMap<string, TokenNaming>,
) {
  const { decimals } = getChain(uid).currency;
  const described = [];
  for (const [index, frame] of page.entries()) {
    await yieldToEventLoop();
    const { type, depth, parent, from, to, value, input, inputLength = input.length, isReverted } = frame;
    // The code of an implementation is known by the ABI of its proxy.
    const abi = abis.get(to) ?? (type === 'DELEGATECALL' ? abis.get(from) : undefined) ?? [];
    described.push({
      position: first + index,
      parent: parent === -1 ? null : parent,
      depth,
      type,
      from,
      to: to === '' ? null : to,
      value: String(value),
      amount: formatDecimal(toDecimal(value, decimals)),
      ...showAmounts(frame, describeFrame(frame, abi), tokens),
      inputBytes: Math.max(0, (inputLength - 2) >> 1),
      isReverted,
    });
  }
  return described;
}

function describeChanges(
  uid: ChainUid,
  tokens: ReadonlyMap<string, TokenNaming>,
  changes: readonly NetChange[],
) {
  const { symbol, decimals } = getChain(uid).currency;
  const facts = new Map<string, Pick<TokenNaming, 'symbol' | 'decimals'>>(tokens);
  facts.set(native, { symbol, decimals });
  return changes.map(({ party, asset, tokenId, amount }) => {
    const { symbol = null, decimals = 0 } = facts.get(asset) ?? {};
    return {
      address: party,
      asset,
      symbol,
      tokenId: tokenId === null ? null : String(tokenId),
      value: String(amount),
      // Pieces are counted whole.
      amount: formatDecimal(toDecimal(amount, tokenId === null ? decimals : 0)),
    };
  });
}

/** Contracts that report a transfer: what other calls name as amounts are amounts of these. */
function tokensIn(logs: readonly Log[]): string[] {
  return logs.filter(({ key }) => key === transferTopic).map(({ address }) => address);
}

/** Logs that may report an amount or the id of a unique token; anyone can write a log. */
const maxAmbiguous = 100;

/** The logs that report the id of a unique token without indexing it, by `idKey`. */
async function findUnique(
  call: Call,
  uid: ChainUid,
  client: ChainClient,
  block: Block,
  logs: readonly Log[],
): Promise<ReadonlySet<string>> {
  const ambiguous = new Map<string, { token: string; tokenId: bigint }>();
  for (const log of logs) {
    const transfer = ambiguous.size < maxAmbiguous ? ambiguousTransfer(log) : undefined;
    if (transfer) ambiguous.set(idKey(log), { token: log.address, tokenId: transfer.amount });
  }
  if (ambiguous.size === 0) return new Set();
  const fetch = call.services.fetchFor(uid, client);
  const ask = (questions: readonly { token: string; data: string }[]) =>
    fetch(
      questions.map(({ token: to, data }) => ({
        type: 'chain',
        at: block,
        question: { type: 'call', to, data },
      })),
    );
  const asked = [...ambiguous.values()];
  const [decimals, owners] = await traceOrThrow(uid, () =>
    Promise.all([
      ask(asked.map(({ token }) => ({ token, data: decimalsData }))),
      ask(asked.map(({ token, tokenId }) => ({ token, data: ownerData(tokenId) }))),
    ]),
  );
  return new Set(
    [...ambiguous.keys()].filter((_, index) => isUniqueToken(dataOf(decimals[index]), dataOf(owners[index]))),
  );
}

/** The id that a log may report is in its data, with the two ends. */
function idKey({ address, data }: Log): string {
  return `${address} ${data}`;
}

function noteOf(leftOut: { before: number; after: number; changes: number }, next: number): string | null {
  const parts = [
    leftOut.before > 0 ? `${leftOut.before} frames before these` : '',
    leftOut.after > 0 ? `${leftOut.after} frames after these (ask with from=${next})` : '',
    leftOut.changes > 0 ? `${leftOut.changes} balance changes` : '',
  ].filter(Boolean);
  return parts.length === 0 ? null : `Left out: ${parts.join(', ')}.`;
}
