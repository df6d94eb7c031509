import { bytesToHex } from '@noble/hashes/utils.js';
import { showAccount } from '../../codecs/icp/accounts.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import { InvalidResponse, resultOf } from '../net/replies.ts';
import { certifiedCall, isAbsent, queryCall, type Tip } from './createIcpRpc.ts';
import {
  type GetBlocks,
  type IcpBlock,
  type LedgerValue,
  ledgerTypes,
  type QueryBlocks,
} from './ledgerTypes.ts';
import { loadIcp } from './loadIcp.ts';

/** One entry of a ledger: what it moves or allows. Accounts are those of ICRC-1, or account identifiers on the ledger of ICP. */
export type LedgerEntry = {
  readonly index: number;
  /** Nanoseconds since 1970; they never run back within a ledger. */
  readonly at: bigint;
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
  readonly fee: bigint;
  /** Account that spends for the sender, or is allowed to by an approval, which moves nothing. */
  readonly spender: string | null;
  readonly isApproval: boolean;
  /** Creation time and memo that the maker states, by which the entry is found again. */
  readonly createdAt: bigint | null;
  readonly memo: string | null;
};

/** Answers of ledgers. */
type Answers = {
  query_blocks: QueryBlocks;
  archived_blocks: { Ok?: { blocks: IcpBlock[] } };
  icrc3_get_blocks: GetBlocks;
  icrc3_get_tip_certificate: [{ certificate: Uint8Array; hash_tree: Uint8Array }?];
};

export type Ledger = ReturnType<typeof createLedger>;

/** The ledger of ICP on every network that has one. */
export const icpLedgerId = 'ryjl3-tyaaa-aaaaa-aaaba-cai';

const second = 1_000_000_000n;
/** Entries that are read at once; ledgers send no more than some thousand, archives less. */
const pageSize = 500;
const maxPages = 64;
/** Between two looks at how far a ledger is. */
export const pollMs = 2000;
/** A canister that is no ledger may become one with its next code. */
const recheckMs = 600_000;
/** Greatest distance between an uncertified answer and the state behind it. */
const uncertainNs = 10n * second;

/**
 * The entries of a ledger by second. The subnet certifies the time of a state with its number of entries: once that
 * time lies beyond a second, the second is complete, whatever node answered.
 */
export function createLedger(id: string, { request }: Pick<Endpoints, 'request'>, now: () => number) {
  const isIcp = id === icpLedgerId;
  /** Full pages stay as they are; the last one grows. */
  const pages = createBoundedMap<number, LedgerEntry[]>(maxPages);
  let length = 0;
  let certainUntil = 0n;
  let polledAt = Number.NEGATIVE_INFINITY;
  let absentUntil = 0;
  let work: Promise<unknown> = Promise.resolve();

  /** One after the other, so that nothing is fetched twice. */
  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = work.then(task, task);
    work = turn.catch(() => undefined);
    return turn;
  }

  async function ask<M extends keyof Answers>(
    method: M,
    canister: string,
    args: unknown[],
    name: string = method,
  ) {
    const { IDL } = await loadIcp();
    const { args: types, results } = ledgerTypes(IDL)[method];
    const call = queryCall(canister, name, IDL.encode(types, args));
    return request([call], ([reply]): { value: Answers[M] } | { isAbsent: boolean } => {
      if (reply && 'error' in reply) return { isAbsent: isAbsent(reply.error) };
      return { value: IDL.decode(results, resultOf(reply) as Uint8Array)[0] as unknown as Answers[M] };
    });
  }

  /** Reads an answer that must exist, because the ledger itself said so. */
  async function need<M extends keyof Answers>(
    method: M,
    canister: string,
    args: unknown[],
    name?: string,
  ): Promise<Answers[M]> {
    const answer = await ask(method, canister, args, name);
    if ('value' in answer) return answer.value;
    throw new InvalidResponse(`${canister} does not answer ${name ?? method} at the moment`);
  }

  /** Reads the ledger's progress; false if there is no ledger. */
  async function poll(): Promise<boolean> {
    if (now() < absentUntil) return false;
    polledAt = now();
    const startedAt = BigInt(now()) * 1_000_000n;
    const length = isIcp ? await pollIcp() : await pollIcrc();
    if ('isAbsent' in length && length.isAbsent) absentUntil = now() + recheckMs;
    // One that is stopped makes no entries meanwhile, and what it makes later has a later time.
    else reach('value' in length && length.value !== undefined ? length.value : startedAt - uncertainNs);
    return absentUntil <= now();
  }

  /** The certified time. */
  async function pollIcp() {
    const [start, wanted] = nextRange();
    const asked = await ask('query_blocks', id, [{ start: BigInt(start), length: BigInt(wanted) }]);
    if (!('value' in asked)) return asked;
    const answer = asked.value;
    const [certificate] = answer.certificate;
    const { time } = certificate ? await prove(certificate) : { time: undefined };
    length = Math.max(length, Number(answer.chain_length));
    if (answer.archived_blocks.length === 0 && Number(answer.first_block_index) === start)
      store(
        start,
        answer.blocks.map((block, index) => fromIcp(start + index, block)),
      );
    return { value: time };
  }

  async function pollIcrc() {
    const answer = await ask('icrc3_get_tip_certificate', id, []);
    if (!('value' in answer)) return answer;
    const [tip] = answer.value;
    const { time, lastIndex } = tip
      ? await prove(tip.certificate, tip.hash_tree)
      : { time: undefined, lastIndex: undefined };
    if (lastIndex === undefined) length = Math.max(length, Number((await readIcrc(length, 1)).log_length));
    else length = Math.max(length, Number(lastIndex) + 1);
    return { value: time };
  }

  const prove = (certificate: Uint8Array, tree?: Uint8Array) =>
    request([certifiedCall(id, certificate, tree)], ([reply]) => resultOf(reply) as Tip);

  function reach(time: bigint): void {
    if (time > certainUntil) certainUntil = time;
  }

  /** The missing part of the last page, or the page after it: new entries come with the answer. */
  function nextRange(): [start: number, count: number] {
    const last = pages.get(Math.floor(length / pageSize));
    const start = last ? Math.floor(length / pageSize) * pageSize + last.length : length;
    return [start, pageSize - (start % pageSize)];
  }

  function store(start: number, entries: readonly LedgerEntry[]): void {
    const number = Math.floor(start / pageSize);
    const page = pages.get(number) ?? [];
    if (number * pageSize + page.length !== start) return;
    pages.set(number, [...page, ...entries].slice(0, pageSize));
  }

  async function entryAt(index: number): Promise<LedgerEntry> {
    const number = Math.floor(index / pageSize);
    while ((pages.get(number)?.length ?? 0) <= index - number * pageSize) {
      const start = number * pageSize + (pages.get(number)?.length ?? 0);
      const entries = await readEntries(start, Math.min(length, (number + 1) * pageSize) - start);
      if (entries.length === 0)
        throw new InvalidResponse(`the ledger ${id} does not send its entry ${start}`);
      store(start, entries);
    }
    return pages.get(number)![index - number * pageSize]!;
  }

  async function readEntries(start: number, count: number): Promise<LedgerEntry[]> {
    if (!isIcp) {
      const { blocks, archived_blocks: archives } = await readIcrc(start, count);
      const [archive] = archives;
      const answer =
        archive && blocks.every(({ id: index }) => Number(index) !== start)
          ? (await readIcrc(start, Number(archive.args[0]?.length ?? count), archive.callback)).blocks
          : blocks;
      return inOrder(
        start,
        answer.map(({ id: index, block }) => fromValue(Number(index), block)),
      );
    }
    const range = { start: BigInt(start), length: BigInt(count) };
    const answer = await need('query_blocks', id, [range]);
    const archive = answer.archived_blocks.find(
      (archive) => archive.start <= range.start && range.start < archive.start + archive.length,
    );
    if (!archive) {
      if (Number(answer.first_block_index) !== start)
        throw new InvalidResponse('the ledger sent other entries');
      return answer.blocks.map((block, index) => fromIcp(start + index, block));
    }
    const left = Number(archive.start + archive.length) - start;
    const asked = { start: range.start, length: BigInt(Math.min(left, count)) };
    const [canister, method] = archive.callback;
    const old = await need('archived_blocks', canister.toText(), [asked], method);
    return (old.Ok?.blocks ?? []).map((block, index) => fromIcp(start + index, block));
  }

  async function readIcrc(
    start: number,
    count: number,
    [archive, method]: [archive?: { toText(): string }, method?: string] = [],
  ) {
    const range = [{ start: BigInt(start), length: BigInt(count) }];
    return need('icrc3_get_blocks', archive?.toText() ?? id, [range], method);
  }

  /** The first entry that was made at this time or later. */
  async function indexAt(time: bigint): Promise<number> {
    let [low, high] = [0, length];
    for (const [number, page] of pages) {
      const [oldest, newest] = [page[0], page.at(-1)];
      const start = number * pageSize;
      if (oldest && oldest.at < time)
        low = Math.max(low, newest && newest.at < time ? start + page.length : start + 1);
      if (newest && newest.at >= time)
        high = Math.min(high, oldest && oldest.at >= time ? start : start + page.length);
    }
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await entryAt(middle)).at < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    id,
    /** The last whole second whose entries are known to be complete. */
    completeUntil: () => Number(certainUntil / second) - 1,
    /** Looks how far the ledger is, but for one that was looked at a moment ago. False where the canister is no ledger. */
    refresh: () => inTurn(async () => (now() < polledAt + pollMs ? now() >= absentUntil : poll())),
    isAbsent: () => now() < absentUntil,
    /** The entries of a second that is complete. */
    slice: (number: number) =>
      inTurn(async () => {
        const entries: LedgerEntry[] = [];
        const end = BigInt(number + 1) * second;
        for (let index = await indexAt(BigInt(number) * second); index < length; index++) {
          const entry = await entryAt(index);
          if (entry.at >= end) break;
          entries.push(entry);
        }
        return entries;
      }),
    /** Undefined where the ledger has no such entry. */
    entry: (index: number) =>
      inTurn(async () => {
        if (index >= length) await poll();
        return index < length ? entryAt(index) : undefined;
      }),
  };
}

function inOrder(start: number, entries: readonly LedgerEntry[]): LedgerEntry[] {
  const sorted = entries.toSorted((a, b) => a.index - b.index);
  if (sorted.some(({ index }, offset) => index !== start + offset))
    throw new InvalidResponse('the ledger sent other entries');
  return sorted;
}

function fromIcp(index: number, { transaction, timestamp }: IcpBlock): LedgerEntry {
  const [operation] = transaction.operation;
  const [memo] = transaction.icrc1_memo;
  const common = {
    index,
    at: timestamp.timestamp_nanos,
    createdAt: transaction.created_at_time.timestamp_nanos,
    memo: memo ? bytesToHex(memo) : null,
    from: null,
    to: null,
    spender: null,
    amount: 0n,
    fee: 0n,
    isApproval: false,
  };
  if (!operation) return common;
  if ('Mint' in operation)
    return { ...common, to: bytesToHex(operation.Mint.to), amount: operation.Mint.amount.e8s };
  if ('Burn' in operation)
    return { ...common, from: bytesToHex(operation.Burn.from), amount: operation.Burn.amount.e8s };
  if ('Approve' in operation) {
    const { from, spender } = operation.Approve;
    return { ...common, from: bytesToHex(from), spender: bytesToHex(spender), isApproval: true };
  }
  const { from, to, amount, fee, spender } = operation.Transfer;
  return {
    ...common,
    from: bytesToHex(from),
    to: bytesToHex(to),
    amount: amount.e8s,
    fee: fee.e8s,
    spender: spender[0] ? bytesToHex(spender[0]) : null,
  };
}

/** A block of ICRC-3, whose members ledgers may add to; those of standards not known here move nothing. */
function fromValue(index: number, value: LedgerValue): LedgerEntry {
  const block = mapOf(value);
  const tx = mapOf(block.get('tx'));
  const kind = textIn(block.get('btype')) ?? textIn(tx.get('op')) ?? '';
  const isApproval = kind.endsWith('approve');
  const memo = tx.get('memo');
  const created = tx.get('ts');
  return {
    index,
    at: natIn(block.get('ts')) ?? 0n,
    from: accountIn(tx.get('from')),
    to: isApproval ? null : accountIn(tx.get('to')),
    spender: accountIn(tx.get('spender')),
    amount: isApproval ? 0n : (natIn(tx.get('amt')) ?? 0n),
    fee: natIn(tx.get('fee')) ?? natIn(block.get('fee')) ?? 0n,
    isApproval,
    createdAt: natIn(created) ?? null,
    memo: memo && 'Blob' in memo ? bytesToHex(Uint8Array.from(memo.Blob)) : null,
  };
}

function mapOf(value: LedgerValue | undefined): ReadonlyMap<string, LedgerValue> {
  return new Map(value && 'Map' in value ? value.Map : []);
}

function textIn(value: LedgerValue | undefined): string | undefined {
  return value && 'Text' in value ? value.Text : undefined;
}

function natIn(value: LedgerValue | undefined): bigint | undefined {
  if (!value) return undefined;
  return 'Nat' in value ? value.Nat : 'Int' in value ? value.Int : undefined;
}

function accountIn(value: LedgerValue | undefined): string | null {
  if (!value || !('Array' in value)) return null;
  const [owner, subaccount] = value.Array;
  if (!owner || !('Blob' in owner)) return null;
  return showAccount({
    owner: Uint8Array.from(owner.Blob),
    ...(subaccount && 'Blob' in subaccount && { subaccount: Uint8Array.from(subaccount.Blob) }),
  });
}
