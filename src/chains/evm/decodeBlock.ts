import { codeConstants } from '../../codecs/evm/codeConstants.ts';
import { EvmLog } from '../../codecs/evm/evmLog.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { isRecord } from '../../lib/isRecord.ts';
import type { Block, Header, Log, Payment, Receipt, Transaction, Transfer } from '../../model/block.ts';
import { InvalidResponse, WrongForm } from '../net/replies.ts';
import { createdAddress } from './createdAddress.ts';
import { countedLogs, type LogsFault } from './createLogsCheck.ts';
import { evmPayments } from './evmPayments.ts';
import { addToBloom } from './logsBloom.ts';
import { upgradedAddresses } from './upgradedAddresses.ts';

type Raw = Readonly<Record<string, unknown>>;

export function decodeHeader(raw: unknown): Header {
  const block = record(raw, 'block');
  return {
    number: quantity(block, 'number'),
    hash: text(block, 'hash'),
    parentHash: text(block, 'parentHash'),
    timestamp: quantity(block, 'timestamp') * 1000,
  };
}

/** A whole block. Its logs must be those of this very block and complete, which their numbering and the bloom prove. */
export function decodeBlock(
  chainUid: string,
  raw: unknown,
  rawLogs: unknown,
  receivedAt: number,
  logsFault: LogsFault,
): Block {
  const { hash } = decodeHeader(raw);
  const logs = list(rawLogs, 'logs').map((item) => decodeLog(item, hash));
  return checked(assemble(chainUid, raw, logs, receivedAt), raw, logsFault);
}

/** From so many logs on, a block is decoded in turns. */
const manyLogs = 2000;
const turnLogs = 50;

/** The same, in turns with others where it has many logs. */
export async function decodeInTurns(
  chainUid: string,
  raw: unknown,
  rawLogs: unknown,
  receivedAt: number,
  logsFault: LogsFault,
): Promise<Block> {
  const items = list(rawLogs, 'logs');
  if (items.length < manyLogs) return decodeBlock(chainUid, raw, rawLogs, receivedAt, logsFault);
  const { hash } = decodeHeader(raw);
  const logs: Log[] = [];
  for (const [index, item] of items.entries()) {
    logs.push(decodeLog(item, hash));
    if (index % turnLogs === 0) await yieldToEventLoop();
  }
  const block = assemble(chainUid, raw, logs, receivedAt);
  // Hashing costs most by far.
  const bloom = Buffer.alloc(256);
  for (const [index, log] of countedLogs(block).entries()) {
    addToBloom(bloom, log);
    if (index % turnLogs === 0) await yieldToEventLoop();
  }
  return checked(block, raw, (given, sum) => logsFault(given, sum, bloom));
}

function checked(block: Block, raw: unknown, logsFault: LogsFault): Block {
  const fault = logsFault(block, record(raw, 'block').logsBloom);
  if (fault) throw new InvalidResponse(fault);
  return block;
}

function assemble(chainUid: string, raw: unknown, logs: readonly Log[], receivedAt: number): Block {
  const header = decodeHeader(raw);
  const block = record(raw, 'block');
  const missing = logs.findIndex(({ index }, position) => index !== position);
  if (missing >= 0) throw new InvalidResponse(`log ${missing} of the block is missing`);
  const byTransaction = groupByTransaction(logs);
  const transactions = list(block.transactions, 'transactions').map(
    (item) => new EvmTransaction(record(item, 'transaction'), byTransaction, block),
  );
  for (const { transactionIndex, transactionHash } of logs)
    if ((transactions[transactionIndex]?.hash ?? transactionHash) !== transactionHash)
      throw new InvalidResponse('a log belongs to another transaction');
  return {
    ...header,
    chainUid,
    transactions,
    logs,
    get upgraded() {
      return upgradedAddresses(logs);
    },
    used: BigInt(text(block, 'gasUsed')),
    limit: BigInt(text(block, 'gasLimit')),
    size: block.size === undefined ? 0 : quantity(block, 'size'),
    receivedAt,
  };
}

/** A pending transaction as the only one of a block on top of the newest one. */
export function pendingBlock(
  chainUid: string,
  { number, hash }: Header,
  raw: Raw,
  logs: readonly Log[],
  outcome: Receipt,
  at: number,
): Block {
  const transaction = new EvmTransaction({ ...raw, transactionIndex: '0x0' }, new Map([[0, logs]]), {});
  return {
    chainUid,
    number: number + 1,
    hash: `pending ${transaction.hash}`,
    parentHash: hash,
    timestamp: at,
    transactions: [transaction],
    receiptOf: (asked) => (asked === transaction.hash ? outcome : undefined),
    logs,
    upgraded: [],
    used: 0n,
    limit: 0n,
    size: 0,
    receivedAt: at,
  };
}

function groupByTransaction(logs: readonly Log[]): ReadonlyMap<number, readonly Log[]> {
  const groups = new Map<number, Log[]>();
  for (const log of logs) {
    const group = groups.get(log.transactionIndex);
    if (group) group.push(log);
    else groups.set(log.transactionIndex, [log]);
  }
  return groups;
}

function decodeLog(raw: unknown, blockHash: string): Log {
  const log = record(raw, 'log');
  if (log.blockHash !== blockHash) throw new InvalidResponse('a log belongs to another block');
  return new EvmLog({
    address: text(log, 'address').toLowerCase(),
    topics: texts(log.topics, 'topics'),
    data: text(log, 'data'),
    index: quantity(log, 'logIndex'),
    transactionHash: text(log, 'transactionHash'),
    transactionIndex: quantity(log, 'transactionIndex'),
  });
}

/** Most transactions of a block match no subscriber, so numbers are parsed on first use. */
class EvmTransaction implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly from: string;
  readonly to: string | null;
  readonly input: string;
  readonly #raw: Raw;
  readonly #logs: ReadonlyMap<number, readonly Log[]>;
  readonly #baseFee: unknown;
  #created: string | undefined;

  constructor(raw: Raw, logs: ReadonlyMap<number, readonly Log[]>, { baseFeePerGas }: Raw) {
    this.#raw = raw;
    this.#logs = logs;
    this.#baseFee = baseFeePerGas;
    this.hash = text(raw, 'hash');
    this.index = quantity(raw, 'transactionIndex');
    this.from = text(raw, 'from').toLowerCase();
    this.to = typeof raw.to === 'string' ? raw.to.toLowerCase() : null;
    this.input = text(raw, 'input');
  }

  /** The selector. */
  get callKey(): string {
    return this.input.slice(0, 10);
  }

  get value(): bigint {
    return BigInt(text(this.#raw, 'value'));
  }

  get gas(): bigint {
    return BigInt(text(this.#raw, 'gas'));
  }

  get maxFee(): bigint {
    const { maxFeePerGas, gasPrice } = this.#raw;
    const price = maxFeePerGas ?? gasPrice;
    return typeof price === 'string' ? BigInt(price) : 0n;
  }

  get nonce(): number {
    return quantity(this.#raw, 'nonce');
  }

  get priorityFee(): bigint {
    const { maxPriorityFeePerGas, gasPrice } = this.#raw;
    if (typeof maxPriorityFeePerGas === 'string') return BigInt(maxPriorityFeePerGas);
    // The price of an older transaction includes the base fee, which is burned.
    const price = typeof gasPrice === 'string' ? BigInt(gasPrice) : 0n;
    const baseFee = typeof this.#baseFee === 'string' ? BigInt(this.#baseFee) : 0n;
    return price > baseFee ? price - baseFee : 0n;
  }

  get transfers(): readonly Transfer[] {
    const { from, to, value } = this;
    if (value === 0n) return [];
    return [{ asset: 'native', from, to: to ?? this.created ?? null, amount: value }];
  }

  get created(): string | undefined {
    if (this.to !== null) return undefined;
    this.#created ??= createdAddress(this.from, this.nonce);
    return this.#created;
  }

  mentions(): readonly string[] {
    return this.to === null ? codeConstants(this.input).addresses : [];
  }

  payments(isSource: (address: string) => boolean): Iterable<Payment> {
    return evmPayments(this, isSource);
  }

  get logs(): readonly Log[] {
    return this.#logs.get(this.index) ?? [];
  }
}

export function decodeReceipt(raw: unknown): Receipt {
  const receipt = record(raw, 'receipt');
  const address = receipt.contractAddress;
  return {
    // Before Byzantium receipts had the root of the state instead, and did not say whether a transaction failed.
    isSuccess: receipt.status === '0x1' || (receipt.status == null && typeof receipt.root === 'string'),
    used: BigInt(text(receipt, 'gasUsed')),
    price: typeof receipt.effectiveGasPrice === 'string' ? BigInt(receipt.effectiveGasPrice) : 0n,
    contractAddress: typeof address === 'string' ? address.toLowerCase() : null,
  };
}

function record(value: unknown, what: string): Raw {
  if (!isRecord(value)) throw new WrongForm(`a ${what} is not a record`);
  return value;
}

function texts(value: unknown, what: string): readonly string[] {
  const items = list(value, what);
  if (!items.every((item) => typeof item === 'string')) throw new WrongForm(`${what} are not texts`);
  return items;
}

function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongForm(`${what} is not a list`);
  return value;
}

function text(from: Raw, member: string): string {
  const value = from[member];
  if (typeof value !== 'string') throw new WrongForm(`${member} is not a text`);
  return value;
}

function quantity(from: Raw, member: string): number {
  const value = Number(text(from, member));
  if (!Number.isSafeInteger(value)) throw new WrongForm(`${member} is not a number`);
  return value;
}
