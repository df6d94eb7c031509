import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { readEnvelope } from '../../src/chains/stellar/decodeTransaction.ts';
import { createNetwork } from '../../src/chains/stellar/network.ts';
import { decodeXdr, encodeXdr } from '../../src/chains/stellar/xdr.ts';
import type { Json } from '../startTestApi.ts';
import { applyOperation, checkTransaction } from './applyOperation.ts';
import { createLedgerState } from './createLedgerState.ts';
import { encodeLedger } from './encodeLedger.ts';
import { executeTransaction } from './executeTransaction.ts';
import { OperationFailed, resourceFee } from './operationOutcome.ts';
import { signOperations } from './signOperations.ts';
import { toKey } from './stellarKey.ts';

export type StellarRpc = Awaited<ReturnType<typeof startStellarRpc>>;
export type StandInOptions = { isUnified?: boolean; oldest?: number; port?: number; closesAtOnce?: boolean };

export const stellarPassphrase = 'Standalone Network ; February 2017';
const unsetFee = { max: '100', min: '100', mode: '100' };
const feeStats = {
  ...unsetFee,
  ...Object.fromEntries([10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99].map((each) => [`p${each}`, '100'])),
  transactionCount: '0',
  ledgerCount: 50,
};

/**
 * Stellar RPC over a small ledger of its own, for machines without a node. Ledgers, transactions, results and entries are real
 * XDR and chained by their real hashes; signatures, sequence numbers, fees, time bounds, reserves and trustlines are checked as
 * the network does. It deviates in this: one validator that closes a ledger when asked to (or with each transaction) and has its own clock, no
 * order book, pools or claimable balances, contracts that are functions of JavaScript (`applyOperation.ts`), a fixed resource
 * fee, no rent, no multiple signers, and transaction sets whose hash is not made from them.
 */
export async function startStellarRpc({
  isUnified = false,
  oldest = 2,
  port = 0,
  closesAtOnce = true,
}: StandInOptions = {}) {
  const network = createNetwork(stellarPassphrase);
  const state = createLedgerState(network);
  // As on all networks, the first account has the id of the network as its key.
  const root = toKey(hexToBytes(network.id));
  const ledgers: { hash: string; closeTime: number; headerXdr: string; metadataXdr: string }[] = [];
  const done = new Map<string, Json>();
  let pending: { hash: string; envelope: Json; xdr: string }[] = [];
  let firstLedger = oldest;
  /** `deaf`: takes what is sent, and forgets it. */
  const faults = { dead: false, lying: false, deaf: false };
  const calls: string[] = [];
  let lost = 0;
  let clock = Math.floor(Date.now() / 1000);

  const latest = () => oldest + ledgers.length - 1;
  /** When the next ledger closes: five seconds after the last, however fast or slow the machine is. */
  const now = () => clock + 5;

  function close(): number {
    const number = latest() + 1;
    const closeTime = now();
    clock = closeTime;
    state.begin(number);
    const taken = pending;
    pending = [];
    const processed = taken.flatMap(({ hash, envelope, xdr }) => {
      const outcome = executeTransaction({ state, network, isUnified }, hash, envelope, closeTime);
      if (!outcome) return [];
      done.set(hash, {
        ...outcome.stored,
        ledger: number,
        createdAt: String(closeTime),
        envelopeXdr: xdr,
        applicationOrder: 1,
      });
      return [{ envelope, processing: outcome.processing }];
    });
    const previousHash = ledgers.at(-1)?.hash ?? '0'.repeat(64);
    ledgers.push({ closeTime, ...encodeLedger({ number, closeTime, previousHash, processed, isUnified }) });
    return number;
  }

  function send({ transaction }: Json): Json {
    const envelope = decodeXdr('TransactionEnvelope', transaction) as Json;
    const { tagged } = readEnvelope(envelope);
    const hash = bytesToHex(network.hashOf(tagged));
    const reply = { hash, latestLedger: latest(), latestLedgerCloseTime: String(ledgers.at(-1)?.closeTime) };
    if (pending.some((each) => each.hash === hash)) return { ...reply, status: 'DUPLICATE' };
    const source = String(readEnvelope(envelope).inner.source_account);
    // One transaction of an account waits at a time.
    if (pending.some((each) => readEnvelope(each.envelope).inner.source_account === source))
      return { ...reply, status: 'TRY_AGAIN_LATER' };
    const fault = checkTransaction(state, network, envelope, now());
    if (fault !== undefined)
      return {
        ...reply,
        status: 'ERROR',
        errorResultXdr: encodeXdr('TransactionResult', { fee_charged: '100', result: fault, ext: 'v0' }),
      };
    if (faults.deaf) {
      lost++;
      return { ...reply, status: 'PENDING' };
    }
    pending.push({ hash, envelope, xdr: transaction });
    if (closesAtOnce) close();
    return { ...reply, status: 'PENDING' };
  }

  function simulate({ transaction }: Json): Json {
    const { inner } = readEnvelope(decodeXdr('TransactionEnvelope', transaction));
    const [{ body }] = (inner as Json).operations;
    const undo = state.snapshot();
    try {
      const { value, keys, auth } = applyOperation(state, network, String(inner.source_account), body, true);
      return {
        latestLedger: latest(),
        minResourceFee: String(resourceFee),
        transactionData: encodeXdr('SorobanTransactionData', {
          ext: 'v0',
          resources: {
            footprint: { read_only: [], read_write: keys },
            instructions: 1_000_000,
            disk_read_bytes: 1000,
            write_bytes: 1000,
          },
          resource_fee: String(resourceFee),
        }),
        results: [
          {
            xdr: encodeXdr('ScVal', value),
            auth: auth.map((entry: Json) => encodeXdr('SorobanAuthorizationEntry', entry)),
          },
        ],
      };
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      return { latestLedger: latest(), error: `HostError: ${error.message}\nEvent log (newest first): none` };
    } finally {
      undo();
    }
  }

  const rangeFault = () =>
    `start ledger must be between the oldest ledger: ${firstLedger} and the latest ledger: ${latest()} for this rpc instance.`;
  const answers: Record<string, (params: Json) => unknown> = {
    getNetwork: () => ({
      passphrase: faults.lying ? 'Test SDF Network ; September 2015' : stellarPassphrase,
      protocolVersion: 22,
      friendbotUrl: `${url()}/friendbot`,
    }),
    getHealth: () => ({
      status: 'healthy',
      latestLedger: latest(),
      oldestLedger: firstLedger,
      ledgerRetentionWindow: 120_960,
    }),
    getLatestLedger: () => ({ id: ledgers.at(-1)?.hash, protocolVersion: 22, sequence: latest() }),
    getLedgers({ startLedger, pagination }) {
      if (startLedger < firstLedger || startLedger > latest()) throw new RpcError(-32_600, rangeFault());
      const from = startLedger - oldest;
      return {
        ledgers: ledgers.slice(from, from + (pagination?.limit ?? 5)).map((ledger, place) => ({
          hash: ledger.hash,
          sequence: startLedger + place,
          ledgerCloseTime: String(ledger.closeTime),
          headerXdr: ledger.headerXdr,
          metadataXdr: ledger.metadataXdr,
        })),
        latestLedger: latest(),
        oldestLedger: firstLedger,
      };
    },
    getTransaction: ({ hash }) => ({
      status: 'NOT_FOUND',
      ...done.get(hash),
      latestLedger: latest(),
      latestLedgerCloseTime: String(ledgers.at(-1)?.closeTime),
      oldestLedger: firstLedger,
    }),
    getLedgerEntries: ({ keys }) => ({
      entries: keys.flatMap((key: string) => {
        const data = state.find(key);
        return data ? [{ key, xdr: encodeXdr('LedgerEntryData', data), lastModifiedLedgerSeq: 1 }] : [];
      }),
      latestLedger: latest(),
    }),
    getFeeStats: () => ({ inclusionFee: feeStats, sorobanInclusionFee: feeStats, latestLedger: latest() }),
    simulateTransaction: simulate,
    sendTransaction: send,
  };

  function answer({ id, method, params }: Json): Json {
    calls.push(method);
    try {
      const known = answers[method];
      if (!known) throw new RpcError(-32_601, `method "${method}" not found`);
      return { jsonrpc: '2.0', id, result: known(params ?? {}) };
    } catch (error) {
      const code = error instanceof RpcError ? error.code : -32_602;
      return { jsonrpc: '2.0', id, error: { code, message: (error as Error).message } };
    }
  }

  /** Makes an account with the coins that the network began with. */
  function befriend(address: string): Json {
    const body = { create_account: { destination: address, starting_balance: '100000000000' } };
    const seq = String(BigInt(state.account(root.address)!.seq_num) + 1n);
    const unsigned = { source: root.address, seq, bodies: [body] };
    const reply = send(signOperations(network, unsigned, [root]));
    if (!closesAtOnce) close();
    return reply;
  }

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (faults.dead) return void response.destroy();
      const { pathname, searchParams } = new URL(request.url ?? '', url());
      if (pathname === '/friendbot') {
        const { status, hash } = befriend(searchParams.get('addr') ?? '');
        return void response.writeHead(status === 'PENDING' ? 200 : 400).end(JSON.stringify({ hash }));
      }
      const body = JSON.parse(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  state.fund(root.address, 10n ** 18n);
  close();

  return {
    url: url(),
    network,
    state,
    faults,
    /** Methods that were called, in their order. */
    calls,
    close,
    latest,
    /** Transactions that wait for a ledger, and those that a deaf node has forgotten so far. */
    waiting: () => pending.length,
    lost: () => lost,
    /** Ledgers before this one are forgotten. */
    forgetBefore(number: number) {
      firstLedger = number;
    },
    /** As if so many seconds had passed. */
    skipTime(seconds: number) {
      clock += seconds;
    },
    /** Gives an account coins out of nothing, in no transaction. */
    fund: (address: string, stroops: bigint) => state.fund(address, stroops),
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
