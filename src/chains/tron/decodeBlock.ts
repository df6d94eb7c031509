import { EvmLog } from '../../codecs/evm/evmLog.ts';
import type {
  Block,
  Change,
  Header,
  Log,
  Payment,
  Receipt,
  Transaction,
  Transfer,
} from '../../model/block.ts';
import { evmPayments } from '../evm/evmPayments.ts';
import { upgradedAddresses } from '../evm/upgradedAddresses.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import { amountOf } from './amountOf.ts';
import { findChanges } from './findChanges.ts';
import { fromNode } from './tronAddress.ts';

/** The energy that all contract calls of a block may use together is not part of a block; this is the network's own limit. */
const energyLimit = 100_000_000n;

export function decodeHeader(raw: unknown): Header {
  const { blockID, block_header: header } = recordOf(raw);
  const { number, parentHash, timestamp } = recordOf(recordOf(header).raw_data);
  return {
    // The first block has none of these.
    number: numberOf(number ?? 0, 'number'),
    hash: textOf(blockID, 'blockID'),
    parentHash: textOf(parentHash ?? '0'.repeat(64), 'parentHash'),
    timestamp: numberOf(timestamp ?? 0, 'timestamp'),
  };
}

/** A whole block, and what its transactions came to, which nodes tell separately: both must be of the same block. */
export function decodeBlock(chainUid: string, raw: unknown, rawInfos: unknown, receivedAt: number): Block {
  const header = decodeHeader(raw);
  // The number of a block is part of its id.
  if (Number.parseInt(header.hash.slice(0, 16), 16) !== header.number)
    throw new InvalidResponse(`the id of block ${header.number} names another block`);
  const given = listOf(recordOf(raw).transactions ?? [], 'transactions').map(recordOf);
  const infos = listOf(rawInfos, 'transaction infos').map(recordOf);
  if (infos.length !== given.length)
    throw new InvalidResponse(`${infos.length} of ${given.length} transactions have an outcome`);
  const logs: Log[] = [];
  const transactions = given.map((item, index) => {
    const info = infos[index]!;
    if (info.id !== item.txID || info.blockTimeStamp !== header.timestamp)
      throw new InvalidResponse('the outcomes are those of another block');
    const txLogs = decodeLogs(info, textOf(item.txID, 'txID'), index, logs.length);
    for (const log of txLogs) logs.push(log);
    return new TronTransaction(item, info, index, txLogs);
  });
  let byHash: ReadonlyMap<string, TronTransaction> | undefined;
  return {
    ...header,
    chainUid,
    transactions,
    receiptOf(hash) {
      byHash ??= new Map(transactions.map((transaction) => [transaction.hash, transaction]));
      return byHash.get(hash)?.receipt;
    },
    logs,
    get upgraded() {
      return upgradedAddresses(logs);
    },
    get used() {
      return transactions.reduce((sum, { receipt }) => sum + receipt.used, 0n);
    },
    limit: energyLimit,
    get size() {
      return transactions.reduce((sum, { size }) => sum + size, 0);
    },
    receivedAt,
  };
}

function decodeLogs(info: Raw, transactionHash: string, transactionIndex: number, first: number): Log[] {
  return listOf(info.log ?? [], 'log').map((item, position) => {
    const { address, topics, data } = recordOf(item);
    return new EvmLog({
      address: fromNode(address),
      topics: listOf(topics ?? [], 'topics').map((topic) => `0x${textOf(topic, 'topic')}`),
      data: `0x${textOf(data ?? '', 'data')}`,
      index: first + position,
      transactionHash,
      transactionIndex,
    });
  });
}

/** Most transactions of a block match no subscriber, so amounts are read on first use. */
class TronTransaction implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly logs: readonly Log[];
  readonly from: string;
  /** The recipient; the sender for contracts that concern the sender's account alone. */
  readonly to: string | null;
  readonly input: string;
  /** Accounts count no transactions. */
  readonly nonce = 0;
  /** Blocks are filled in the order of arrival. */
  readonly priorityFee = 0n;
  readonly #type: string;
  readonly #value: Raw;
  readonly #raw: Raw;
  readonly #info: Raw;

  constructor(raw: Raw, info: Raw, index: number, logs: readonly Log[]) {
    // A transaction has exactly one contract, as the protocol calls what it does.
    const contract = recordOf(listOf(recordOf(raw.raw_data).contract, 'contract')[0]);
    const value = recordOf(recordOf(contract.parameter).value);
    this.hash = textOf(raw.txID, 'txID');
    this.index = index;
    this.logs = logs;
    this.#raw = raw;
    this.#info = info;
    this.#type = textOf(contract.type, 'type');
    this.#value = value;
    this.from = fromNode(value.owner_address);
    const target = value.to_address ?? value.contract_address ?? value.receiver_address;
    this.to = this.#isCreation ? null : target === undefined ? this.from : fromNode(target);
    this.input = this.#type === 'TriggerSmartContract' ? `0x${textOf(value.data ?? '', 'data')}` : '0x';
  }

  get #isCreation(): boolean {
    return this.#type === 'CreateSmartContract';
  }

  /** The selector of a contract call; for all else the name of what it does. */
  get callKey(): string {
    return plainTypes.includes(this.#type) ? this.input.slice(0, 10) : this.#type;
  }

  get value(): bigint {
    if (this.#type === 'TransferContract') return amountOf(this.#value.amount);
    const carried = this.#isCreation ? recordOf(this.#value.new_contract).call_value : this.#value.call_value;
    return amountOf(carried);
  }

  /** Coins and TRC-10 tokens, those of contracts as well where the node keeps inner transactions. */
  get transfers(): readonly Transfer[] {
    if (!this.receipt.isSuccess) return [];
    const { from, value } = this;
    const to = this.to ?? this.receipt.contractAddress;
    const { asset_name: name, amount, call_token_value: count, token_id: token } = this.#value;
    const direct: Transfer[] = [{ asset: 'native', from, to, amount: value }];
    if (this.#type === 'TransferAssetContract')
      direct.push({ asset: readAssetName(name), from, to, amount: amountOf(amount) });
    if (token !== undefined) direct.push({ asset: tokenOf(token), from, to, amount: amountOf(count) });
    return [...direct, ...innerTransfers(this.#info)].filter(({ amount: moved }) => moved > 0n);
  }

  get others(): readonly string[] {
    if (this.#info.internal_transactions === undefined) return [];
    return innerTransfers(this.#info).flatMap(({ from, to }) => [from, to].filter((end) => end !== null));
  }

  get changes(): readonly Change[] {
    if (this.#type !== 'AccountPermissionUpdateContract' || !this.receipt.isSuccess) return [];
    return findChanges(this.from, this.#value);
  }

  get size(): number {
    return textOf(this.#raw.raw_data_hex ?? '', 'raw_data_hex').length / 2 + 67;
  }

  get receipt(): Receipt {
    return decodeReceipt(this.#info, this.#raw);
  }

  *payments(isSource: (address: string) => boolean): Generator<Payment> {
    yield* evmPayments(this, isSource);
    for (const { from, to } of innerTransfers(this.#info))
      if (from !== null && to !== null) yield { from, to, isDirect: false };
  }
}

const plainTypes = ['TransferContract', 'TriggerSmartContract', 'CreateSmartContract'];

/** Receipt of a transaction: energy used, and its average price with the bandwidth fee included. */
export function decodeReceipt(info: Raw, raw: Raw = {}): Receipt {
  const receipt = recordOf(info.receipt ?? {});
  const outcome = recordOf(listOf(raw.ret ?? [{}], 'ret')[0]).contractRet ?? receipt.result ?? 'SUCCESS';
  const used = amountOf(receipt.energy_usage_total);
  return {
    isSuccess: info.result !== 'FAILED' && outcome === 'SUCCESS',
    used,
    price: used === 0n ? 0n : amountOf(info.fee) / used,
    contractAddress: info.contract_address === undefined ? null : fromNode(info.contract_address),
  };
}

function innerTransfers(info: Raw): Transfer[] {
  return listOf(info.internal_transactions ?? [], 'internal_transactions').flatMap((item) => {
    const { caller_address, transferTo_address, callValueInfo, rejected } = recordOf(item);
    if (rejected === true) return [];
    return listOf(callValueInfo ?? [], 'callValueInfo').flatMap((moved): Transfer[] => {
      const { callValue, tokenId } = recordOf(moved);
      const amount = amountOf(callValue);
      const asset = tokenId === undefined || tokenId === '' ? 'native' : tokenOf(tokenId);
      return amount === 0n
        ? []
        : [{ asset, from: fromNode(caller_address), to: fromNode(transferTo_address), amount }];
    });
  });
}

/** The id of a TRC-10 token, as a number or a text. */
function tokenOf(id: unknown): string {
  return typeof id === 'number' ? String(id) : textOf(id, 'token id');
}

/** The id of a TRC-10 token, as text or as the bytes of that text. */
function readAssetName(name: unknown): string {
  const text = textOf(name, 'asset_name');
  return /^(3\d){7,}$/.test(text) ? Buffer.from(text, 'hex').toString() : text;
}
