import { EvmLog } from '../../codecs/evm/evmLog.ts';
import type { Block, Header, Log, Payment, Receipt, Transaction, Transfer } from '../../model/block.ts';
import { evmPayments } from '../evm/evmPayments.ts';
import { upgradedAddresses } from '../evm/upgradedAddresses.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';

export function decodeHeader(raw: unknown): Header {
  const block = recordOf(raw);
  return {
    number: numberOf(block.number, 'number'),
    hash: textOf(block.id, 'id'),
    parentHash: textOf(block.parentID, 'parentID'),
    timestamp: numberOf(block.timestamp, 'timestamp') * 1000,
  };
}

/** A whole block, as `expanded` gives it: with what every clause of its transactions did. */
export function decodeBlock(chainUid: string, raw: unknown, receivedAt: number): Block {
  const header = decodeHeader(raw);
  const block = recordOf(raw);
  // The number of a block is part of its id.
  if (Number(header.hash.slice(0, 10)) !== header.number)
    throw new InvalidResponse(`the id of block ${header.number} names another block`);
  const logs: Log[] = [];
  const clauses: VechainClause[] = [];
  for (const item of listOf(block.transactions, 'transactions')) addClauses(recordOf(item), clauses, logs);
  let receipts: ReadonlyMap<string, Receipt> | undefined;
  return {
    ...header,
    chainUid,
    transactions: clauses,
    receiptOf(hash) {
      receipts ??= new Map(
        listOf(block.transactions, 'transactions').map((item) => [
          textOf(recordOf(item).id, 'id'),
          decodeReceipt(item),
        ]),
      );
      return receipts.get(hash);
    },
    logs,
    get upgraded() {
      return upgradedAddresses(logs);
    },
    used: BigInt(numberOf(block.gasUsed, 'gasUsed')),
    limit: BigInt(numberOf(block.gasLimit, 'gasLimit')),
    size: numberOf(block.size, 'size'),
    receivedAt,
  };
}

/** A transaction is a list of calls that succeed or fail together; most have one. */
function addClauses(raw: Raw, clauses: VechainClause[], logs: Log[]): void {
  const hash = textOf(raw.id, 'id');
  const given = listOf(raw.clauses, 'clauses');
  const outputs = listOf(raw.outputs, 'outputs');
  if (outputs.length !== (raw.reverted === true ? 0 : given.length))
    throw new InvalidResponse(`transaction ${hash} lacks what its clauses did`);
  // One without clauses does nothing, but its sender has sent it.
  for (const [position, clause] of (given.length === 0 ? [nothing] : given).entries()) {
    const index = clauses.length;
    const output = outputs[position] === undefined ? nothing : recordOf(outputs[position]);
    const clauseLogs = listOf(output.events ?? [], 'events').map((item, position) => {
      const { address, topics, data } = recordOf(item);
      return new EvmLog({
        address: textOf(address, 'address'),
        topics: listOf(topics, 'topics').map((topic) => textOf(topic, 'topic')),
        data: textOf(data, 'data'),
        index: logs.length + position,
        transactionHash: hash,
        transactionIndex: index,
      });
    });
    for (const log of clauseLogs) logs.push(log);
    const part = given.length > 1 ? `clause${position}` : undefined;
    clauses.push(new VechainClause(raw, recordOf(clause), output, { hash, index, part, logs: clauseLogs }));
  }
}

const nothing: Raw = {};

type Position = Pick<Transaction, 'hash' | 'index' | 'part' | 'logs'>;

/** One call of a transaction. Most match no subscriber, so numbers are parsed on first use. */
class VechainClause implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly part: string | undefined;
  readonly logs: readonly Log[];
  readonly from: string;
  readonly to: string | null;
  readonly input: string;
  /** Nonces are random numbers here. */
  readonly nonce = 0;
  readonly #transaction: Raw;
  readonly #clause: Raw;
  readonly #output: Raw;

  constructor(transaction: Raw, clause: Raw, output: Raw, { hash, index, part, logs }: Position) {
    this.hash = hash;
    this.index = index;
    this.part = part;
    this.logs = logs;
    this.from = textOf(transaction.origin, 'origin');
    this.to = typeof clause.to === 'string' ? clause.to : null;
    this.input = clause.data === undefined ? '0x' : textOf(clause.data, 'data');
    this.#transaction = transaction;
    this.#clause = clause;
    this.#output = output;
  }

  get callKey(): string {
    return this.input.slice(0, 10);
  }

  get value(): bigint {
    return this.#clause.value === undefined ? 0n : BigInt(textOf(this.#clause.value, 'value'));
  }

  /** The block producer's reward for a unit of gas. */
  get priorityFee(): bigint {
    const used = BigInt(numberOf(this.#transaction.gasUsed, 'gasUsed'));
    return used === 0n ? 0n : BigInt(textOf(this.#transaction.reward, 'reward')) / used;
  }

  get created(): string | undefined {
    const { contractAddress } = this.#output;
    return typeof contractAddress === 'string' ? contractAddress : undefined;
  }

  /** Those of contracts as well. */
  get transfers(): readonly Transfer[] {
    return listOf(this.#output.transfers ?? [], 'transfers').map((item) => {
      const { sender, recipient, amount } = recordOf(item);
      return {
        asset: 'native',
        from: textOf(sender, 'sender'),
        to: textOf(recipient, 'recipient'),
        amount: BigInt(textOf(amount, 'amount')),
      };
    });
  }

  get others(): readonly string[] {
    const { gasPayer } = this.#transaction;
    const transfers = this.#output.transfers;
    // Nearly always there is nothing but what the clause itself says.
    if (gasPayer === this.from && !(Array.isArray(transfers) && transfers.length > 0)) return [];
    const ends = this.transfers.flatMap(({ from, to }) => [from, to]);
    return [...ends.filter((end) => end !== null), textOf(gasPayer, 'gasPayer')];
  }

  *payments(isSource: (address: string) => boolean): Generator<Payment> {
    yield* evmPayments(this, isSource);
    for (const { from, to } of this.transfers)
      if (from !== null && to !== null && from !== this.from) yield { from, to, isDirect: false };
  }
}

export function decodeReceipt(raw: unknown): Receipt {
  const { gasUsed, paid, reverted, outputs } = recordOf(raw);
  const used = BigInt(numberOf(gasUsed, 'gasUsed'));
  const created = listOf(outputs, 'outputs').flatMap((output) => {
    const { contractAddress } = recordOf(output);
    return typeof contractAddress === 'string' ? [contractAddress] : [];
  });
  return {
    isSuccess: reverted !== true,
    used,
    price: used === 0n ? 0n : BigInt(textOf(paid, 'paid')) / used,
    contractAddress: created[0] ?? null,
  };
}
