import { createHash } from 'node:crypto';
import type { Block, Header, Parties, Payment, Receipt, Transaction, Transfer } from '../../model/block.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import { pairFlows } from '../pairFlows.ts';
import { type BitcoinNetwork, mainNetwork } from './networks.ts';
import { toAddress } from './script.ts';

export type BitcoinBlock = Block & { readonly transactions: readonly BitcoinTransaction[] };

/** The weight that a block may have (BIP-141). */
const maxWeight = 4_000_000n;

export function decodeHeader(raw: unknown): Header {
  const block = recordOf(raw);
  const { previousblockhash } = block;
  return {
    number: numberOf(block.height, 'height'),
    hash: textOf(block.hash, 'hash'),
    // Only the first block has none.
    parentHash: previousblockhash === undefined ? '0'.repeat(64) : textOf(previousblockhash, 'parent'),
    timestamp: numberOf(block.time, 'time') * 1000,
  };
}

/** A whole block; the root of its Merkle tree proves that no transaction is missing. */
export function decodeBlock(
  chainUid: string,
  raw: unknown,
  receivedAt: number,
  network = mainNetwork,
): BitcoinBlock {
  const header = decodeHeader(raw);
  const block = recordOf(raw);
  const transactions = listOf(block.tx, 'tx').map(
    (item, index) => new BitcoinTransaction(recordOf(item), index, network),
  );
  if (merkleRoot(transactions.map(({ hash }) => hash)) !== block.merkleroot)
    throw new InvalidResponse('the transactions of the block are not complete');
  let byHash: ReadonlyMap<string, BitcoinTransaction> | undefined;
  let bySpent: ReadonlyMap<string, BitcoinTransaction> | undefined;
  return {
    ...header,
    chainUid,
    transactions,
    receiptOf(hash) {
      byHash ??= new Map(transactions.map((transaction) => [transaction.hash, transaction]));
      return byHash.get(hash)?.receipt;
    },
    spenderOf(input) {
      bySpent ??= new Map(transactions.flatMap((spender) => spender.inputs.map((input) => [input, spender])));
      return bySpent.get(input);
    },
    logs: [],
    upgraded: [],
    used: BigInt(numberOf(block.weight, 'weight')),
    limit: maxWeight,
    size: numberOf(block.size, 'size'),
    receivedAt,
  };
}

/** A transaction that waits for a block, given the outputs that it spends. */
export function decodeWaiting(raw: Raw, spent: readonly Raw[], network = mainNetwork): BitcoinTransaction {
  const vin = listOf(raw.vin, 'vin').map((input, index) => ({ ...recordOf(input), prevout: spent[index] }));
  const sum = (outputs: readonly Raw[]) => outputs.reduce((all, { value }) => all + toSatoshis(value), 0n);
  const fee = sum(spent) - sum(listOf(raw.vout, 'vout').map(recordOf));
  return new BitcoinTransaction({ ...raw, vin, fee: Number(fee) / 1e8 }, 0, network);
}

/** Most transactions of a block match no subscriber, so amounts are added up on first use. */
export class BitcoinTransaction implements Transaction {
  readonly hash: string;
  readonly index: number;
  readonly input = '';
  readonly callKey = '';
  /** Addresses count no transactions. */
  readonly nonce = 0;
  readonly logs = [];
  readonly parties: Parties;
  readonly #raw: Raw;
  /** Output spent by each input; only the input of new coins has none. */
  readonly #spent: readonly (Raw | undefined)[];
  readonly #outputs: readonly Raw[];
  readonly #network: BitcoinNetwork;
  #transfers: readonly Transfer[] | undefined;

  constructor(raw: Raw, index: number, network: BitcoinNetwork) {
    this.#network = network;
    this.hash = textOf(raw.txid, 'txid');
    this.index = index;
    this.#raw = raw;
    this.#spent = listOf(raw.vin, 'vin').map(spentBy);
    this.#outputs = listOf(raw.vout, 'vout').map(recordOf);
    this.parties = {
      senders: addressesOf(
        this.#spent.filter((output) => output !== undefined),
        network,
      ),
      recipients: addressesOf(this.#outputs, network),
    };
  }

  /** Change of each address by it; null stands for outputs without an address. */
  get balanceChanges(): ReadonlyMap<string | null, bigint> {
    const changes = new Map<string | null, bigint>();
    const add = ({ value, scriptPubKey }: Raw, sign: bigint) => {
      const address = addressOf(scriptPubKey, this.#network);
      changes.set(address, (changes.get(address) ?? 0n) + sign * toSatoshis(value));
    };
    for (const output of this.#spent) if (output) add(output, -1n);
    for (const output of this.#outputs) add(output, 1n);
    return changes;
  }

  get inputs(): readonly string[] {
    return listOf(this.#raw.vin, 'vin').flatMap((input) => {
      const { txid, vout } = recordOf(input);
      return typeof txid === 'string' ? [`${txid}:${String(vout)}`] : [];
    });
  }

  get transfers(): readonly Transfer[] {
    this.#transfers ??= pairFlows(this.balanceChanges);
    return this.#transfers;
  }

  /** The largest giver; new coins come from no one. */
  get from(): string {
    return this.transfers[0]?.from ?? this.parties.senders.values().next().value ?? 'coinbase';
  }

  /** The largest taker; null where all goes back to those who gave it. */
  get to(): string | null {
    return this.transfers[0]?.to ?? null;
  }

  get value(): bigint {
    return this.transfers.reduce((sum, { amount }) => sum + amount, 0n);
  }

  get fee(): bigint {
    return this.#raw.fee === undefined ? 0n : toSatoshis(this.#raw.fee);
  }

  /** Satoshis for a virtual byte. */
  get priorityFee(): bigint {
    return this.receipt.price;
  }

  get receipt(): Receipt {
    const used = BigInt(numberOf(this.#raw.vsize, 'vsize'));
    return { isSuccess: true, used, price: used === 0n ? 0n : this.fee / used, contractAddress: null };
  }

  /** A hop is a payment of one address to one other, with change at most: many at once are those of an exchange. */
  *payments(isSource: (address: string) => boolean): Generator<Payment> {
    const { senders, recipients } = this.parties;
    const rest = [...recipients].filter((address) => !senders.has(address));
    const isDirect = senders.size === 1 && rest.length === 1;
    for (const from of senders)
      if (isDirect || isSource(from)) for (const to of rest) yield { from, to, isDirect };
  }
}

function spentBy(input: unknown): Raw | undefined {
  const { coinbase, prevout } = recordOf(input);
  if (prevout !== undefined) return recordOf(prevout);
  if (coinbase === undefined) throw new InvalidResponse('an input lacks the output that it spends');
  return undefined;
}

function addressesOf(outputs: readonly Raw[], network: BitcoinNetwork): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const { scriptPubKey } of outputs) {
    const address = addressOf(scriptPubKey, network);
    if (address !== null) addresses.add(address);
  }
  return addresses;
}

/** The node's own text where it is one of the main network; others are derived, since their networks write them otherwise. */
function addressOf(script: unknown, network: BitcoinNetwork): string | null {
  const { hex, address } = recordOf(script);
  if (network === mainNetwork && typeof address === 'string' && /^(bc1|1|3)/.test(address)) return address;
  return address === undefined ? null : toAddress(textOf(hex, 'script'), network);
}

/** Amounts are JSON numbers of whole coins; all that exist are exact in smallest units. */
export function toSatoshis(value: unknown): bigint {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new InvalidResponse('an amount is not a number');
  return BigInt(Math.round(value * 1e8));
}

function merkleRoot(hashes: readonly string[]): string {
  let level: Buffer[] = hashes.map((hash) => Buffer.from(hash, 'hex').reverse());
  while (level.length > 1)
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) => {
      const left = level[2 * index]!;
      return sha256(sha256(Buffer.concat([left, level[2 * index + 1] ?? left])));
    });
  return level[0] ? Buffer.from(level[0]).reverse().toString('hex') : '';
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
