import { bytesToHex } from '@noble/hashes/utils.js';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { isRecord } from '../../lib/isRecord.ts';
import type { Block, Header } from '../../model/block.ts';
import { listOf, numberOf, type Raw, recordOf, textOf } from '../net/members.ts';
import { InvalidResponse } from '../net/replies.ts';
import { decodeLongXdr } from './decodeLongXdr.ts';
import { readEnvelope, type SignedEnvelope, StellarTransaction } from './decodeTransaction.ts';
import { type EntryStep, holdingsIn } from './entries.ts';
import type { Network } from './network.ts';
import { decodeXdr } from './xdr.ts';

/** A ledger as `getLedgers` sends it: its metadata has all that there is to know of it. */
export async function decodeBlock(
  chainUid: string,
  raw: unknown,
  receivedAt: number,
  network: Network,
): Promise<Block> {
  const { metadataXdr, hash } = recordOf(raw);
  const text = textOf(metadataXdr, 'metadataXdr');
  const meta = await decodeLongXdr('LedgerCloseMeta', text);
  const { v0, v1, v2 } = recordOf(meta);
  const ledger = recordOf(v2 ?? v1 ?? v0);
  const header = headerOf(recordOf(ledger.ledger_header));
  if (header.hash !== hash) throw new InvalidResponse('it sent another ledger than it says');
  const transactions = await readTransactions(ledger, network);
  const { max_tx_set_size: most } = recordOf(recordOf(ledger.ledger_header).header);
  return toBlock(chainUid, header, transactions, receivedAt, network, {
    limit: BigInt(numberOf(most, 'max_tx_set_size')),
    size: Math.floor((text.length * 3) / 4),
  });
}

/** Without the transactions, of a ledger's header as `getLedgers` sends it. */
export function decodeHeader(raw: unknown): Header {
  return headerOf(
    recordOf(decodeXdr('LedgerHeaderHistoryEntry', textOf(recordOf(raw).headerXdr, 'headerXdr'))),
  );
}

function headerOf({ hash, header }: Raw): Header {
  const { ledger_seq: number, previous_ledger_hash: parent, scp_value: value } = recordOf(header);
  return {
    number: numberOf(number, 'ledger_seq'),
    hash: textOf(hash, 'hash'),
    parentHash: textOf(parent, 'previous_ledger_hash'),
    timestamp: Number(textOf(recordOf(value).close_time, 'close_time')) * 1000,
  };
}

/** Results stand in the order of their execution, envelopes in that of their hashes. Hashing them takes turns with others. */
async function readTransactions(ledger: Raw, network: Network): Promise<StellarTransaction[]> {
  const envelopes = new Map<string, SignedEnvelope>();
  const items: Raw[] = [];
  collectEnvelopes(ledger.tx_set, (envelope) => items.push(envelope));
  for (const envelope of items) {
    const signed = readEnvelope(envelope);
    envelopes.set(bytesToHex(network.hashOf(signed.tagged)), signed);
    await yieldToEventLoop();
  }
  return listOf(ledger.tx_processing, 'tx_processing').map((item, index) => {
    const processing = recordOf(item);
    const hash = textOf(recordOf(processing.result).transaction_hash, 'transaction_hash');
    const envelope = envelopes.get(hash);
    if (!envelope)
      throw new InvalidResponse(`transaction ${hash} was signed for another network, or by no one`);
    return new StellarTransaction(processing, envelope, index, network);
  });
}

/** Phases, components, stages and clusters nest in several ways, by the version of the protocol. */
function collectEnvelopes(value: unknown, add: (envelope: Raw) => void): void {
  if (Array.isArray(value)) for (const item of value) collectEnvelopes(item, add);
  else if (isRecord(value)) {
    const { tx, tx_v0: old, tx_fee_bump: bump } = value;
    if ([tx, old, bump].some((item) => isRecord(item) && item.signatures !== undefined)) add(value);
    else for (const member of Object.values(value)) collectEnvelopes(member, add);
  }
}

function toBlock(
  chainUid: string,
  header: Header,
  transactions: readonly StellarTransaction[],
  receivedAt: number,
  network: Network,
  capacity: Pick<Block, 'limit' | 'size'>,
): Block {
  let byHash: ReadonlyMap<string, StellarTransaction> | undefined;
  let balances: ReturnType<typeof readBalances> | undefined;
  return {
    chainUid,
    ...header,
    receivedAt,
    transactions,
    receiptOf(hash) {
      byHash ??= new Map(transactions.map((transaction) => [transaction.hash, transaction]));
      return byHash.get(hash)?.receipt;
    },
    holdingOf(asset, holder, moment) {
      balances ??= readBalances(transactions, network);
      return balances.get(`${asset} ${holder}`)?.[moment];
    },
    logs: [],
    get upgraded() {
      return transactions.flatMap(({ changes }) =>
        changes.flatMap(({ what, subject }) => (what === 'code' ? [subject] : [])),
      );
    },
    get used() {
      return BigInt(transactions.reduce((sum, { operationCount }) => sum + operationCount, 0));
    },
    ...capacity,
  };
}

function readBalances(transactions: readonly StellarTransaction[], network: Network) {
  const balances = new Map<string, { parent: bigint; block: bigint }>();
  const add = ({ before, after }: EntryStep) => {
    const [was, is] = [holdingsIn(before, network), holdingsIn(after, network)];
    for (const { asset, holder } of [...was, ...is]) {
      const key = `${asset} ${holder}`;
      const amountIn = (list: typeof was) =>
        list.find((holding) => holding.asset === asset && holding.holder === holder)?.amount ?? 0n;
      balances.set(key, { parent: balances.get(key)?.parent ?? amountIn(was), block: amountIn(is) });
    }
  };
  for (const stage of ['fee', 'apply', 'refund'] as const)
    for (const transaction of transactions) transaction.steps(stage).forEach(add);
  return balances;
}
