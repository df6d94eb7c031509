import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { encodeStrkey, strkeyVersion } from '../../src/chains/stellar/abi/strkey.ts';
import { readEnvelope } from '../../src/chains/stellar/decodeTransaction.ts';
import { createNetwork } from '../../src/chains/stellar/network.ts';
import { decodeXdr, encodeXdr } from '../../src/chains/stellar/xdr.ts';
import { readStellarLedger } from '../recorded/readStellarLedger.ts';
import type { Json } from '../startTestApi.ts';
import { applyOperation, checkTransaction, OperationFailed } from './applyOperation.ts';
import { createLedgerState } from './createLedgerState.ts';

export type Stellar = Awaited<ReturnType<typeof startStellar>>;
export type StellarKey = { readonly secret: Uint8Array; readonly address: string; readonly seed: string };

export const stellarPassphrase = 'Standalone Network ; February 2017';
const baseFee = 100;
const resourceFee = 50_000;
const unsetFee = { max: '100', min: '100', mode: '100' };
const feeStats = {
  ...unsetFee,
  ...Object.fromEntries([10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99].map((each) => [`p${each}`, '100'])),
  transactionCount: '0',
  ledgerCount: 50,
};

/** A key pair that depends on the number alone. */
export function stellarKey(number: number): StellarKey {
  const secret = new Uint8Array(32).fill(number);
  return {
    secret,
    address: encodeStrkey(strkeyVersion.account, ed25519.getPublicKey(secret)),
    seed: encodeStrkey(strkeyVersion.seed, secret),
  };
}

/**
 * Stellar RPC over a small ledger of its own, for machines without a node. Ledgers, transactions, results and entries are real
 * XDR and chained by their real hashes; signatures, sequence numbers, fees, time bounds, reserves and trustlines are checked as
 * the network does. It deviates in this: one validator that closes a ledger when asked to (or with each transaction) and has its own clock, no
 * order book, pools or claimable balances, contracts that are functions of JavaScript (`applyOperation.ts`), a fixed resource
 * fee, no rent, no multiple signers, and transaction sets whose hash is not made from them.
 */
export async function startStellar({ isUnified = false, oldest = 2, port = 0, closesAtOnce = true } = {}) {
  const network = createNetwork(stellarPassphrase);
  const state = createLedgerState(network);
  const template = decodeXdr('LedgerCloseMeta', readStellarLedger().toString('base64')) as Json;
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
      const outcome = execute(hash, envelope, closeTime);
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
    const header = {
      ...template.v1.ledger_header.header,
      ledger_version: isUnified ? 23 : 22,
      ledger_seq: number,
      previous_ledger_hash: ledgers.at(-1)?.hash ?? '0'.repeat(64),
    };
    header.scp_value = { ...header.scp_value, close_time: String(closeTime) };
    const hash = bytesToHex(sha256(Buffer.from(encodeXdr('LedgerHeader', header), 'base64')));
    const entry = { hash, header, ext: 'v0' };
    const common = {
      ext: 'v0',
      ledger_header: entry,
      tx_set: {
        v1: {
          previous_ledger_hash: header.previous_ledger_hash,
          phases: [
            {
              v0: [
                {
                  txset_comp_txs_maybe_discounted_fee: {
                    base_fee: '100',
                    // In another order than they run in.
                    txs: processed.map(({ envelope }) => envelope).reverse(),
                  },
                },
              ],
            },
          ],
        },
      },
      tx_processing: processed.map(({ processing }) => processing),
      upgrades_processing: [],
      scp_info: [],
      total_byte_size_of_live_soroban_state: '0',
      evicted_keys: [],
    };
    const meta = isUnified ? { v2: common } : { v1: { ...common, unused: [] } };
    ledgers.push({
      hash,
      closeTime,
      headerXdr: encodeXdr('LedgerHeaderHistoryEntry', entry),
      metadataXdr: encodeXdr('LedgerCloseMeta', meta),
    });
    return number;
  }

  /** Undefined for one that is not valid any more, and so is in no ledger. */
  function execute(hash: string, envelope: Json, closeTime: number) {
    const { inner } = readEnvelope(envelope);
    const fault = checkTransaction(state, network, envelope, closeTime);
    if (fault !== undefined) return undefined;
    const source = String(inner.source_account);
    const { v1: soroban } = (inner as Json).ext;
    const operations = (inner as Json).operations as Json[];
    const charged = baseFee * operations.length + (soroban ? resourceFee : 0);
    const account = () => state.account(source)!;
    const fee = state.record(() =>
      state.putAccount({ ...account(), balance: String(BigInt(account().balance) - BigInt(charged)) }),
    );
    const before = state.record(() => state.putAccount({ ...account(), seq_num: (inner as Json).seq_num }));
    const undo = state.snapshot();
    const steps: Json[] = [];
    const results: Json[] = [];
    let failed = false;
    for (const { source_account: own, body } of operations) {
      try {
        const applied = applyOperation(state, network, own ?? source, body);
        steps.push(applied);
        results.push({ op_inner: applied.result });
      } catch (error) {
        if (!(error instanceof OperationFailed)) throw error;
        results.push({ op_inner: error.result });
        failed = true;
        break;
      }
    }
    if (failed) undo();
    const kept = failed ? [] : steps;
    const result = {
      fee_charged: String(charged),
      result: { [failed ? 'tx_failed' : 'tx_success']: results },
      ext: 'v0',
    };
    const events = kept.flatMap(({ events: own }) => own);
    const isCall = soroban !== undefined;
    const meta = isUnified
      ? {
          v4: {
            ext: 'v0',
            tx_changes_before: before,
            operations: kept.map(({ changes, events: own }) => ({ ext: 'v0', changes, events: own })),
            tx_changes_after: [],
            soroban_meta: null,
            events: [
              {
                stage: 'before_all_txs',
                event: state.event(network.nativeContract, ['fee', { address: source }], String(charged)),
              },
            ],
            diagnostic_events: [],
          },
        }
      : {
          v3: {
            ext: 'v0',
            tx_changes_before: before,
            operations: kept.map(({ changes }) => ({ changes })),
            tx_changes_after: [],
            soroban_meta:
              isCall && !failed ? { ext: 'v0', events, return_value: 'void', diagnostic_events: [] } : null,
          },
        };
    return {
      processing: {
        ...(isUnified && { ext: 'v0', post_tx_apply_fee_processing: [] }),
        result: { transaction_hash: hash, result },
        fee_processing: fee,
        tx_apply_processing: meta,
      },
      stored: {
        status: failed ? 'FAILED' : 'SUCCESS',
        resultXdr: encodeXdr('TransactionResult', result),
        resultMetaXdr: encodeXdr('TransactionMeta', meta),
      },
    };
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

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (faults.dead) return void response.destroy();
      const body = JSON.parse(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  close();

  /** Signs operations by accounts, the first of which is the source, and puts them into a ledger of their own; their hash. */
  function submit(bodies: readonly Json[], ...signers: readonly StellarKey[]): string {
    const [source] = signers;
    if (!source) throw new Error('Who signs?');
    const { seq_num } = state.account(source.address)!;
    const isCall = bodies.some((body) => body.invoke_host_function);
    const simulated = isCall
      ? simulate({ transaction: encodeEnvelope(source.address, '1', bodies, 'v0', []) })
      : undefined;
    if (simulated?.error) throw new Error(simulated.error);
    const made = simulated
      ? bodies.map(({ invoke_host_function: call }) => ({
          invoke_host_function: {
            ...call,
            auth: simulated.results[0].auth.map((entry: string) =>
              decodeXdr('SorobanAuthorizationEntry', entry),
            ),
          },
        }))
      : bodies;
    const ext = simulated ? { v1: decodeXdr('SorobanTransactionData', simulated.transactionData) } : 'v0';
    const sign = (hash: Uint8Array) =>
      signers.map(({ secret }) => ({
        hint: bytesToHex(ed25519.getPublicKey(secret).slice(-4)),
        signature: bytesToHex(ed25519.sign(hash, secret)),
      }));
    const seq = String(BigInt(seq_num) + 1n);
    const unsigned = decodeXdr(
      'TransactionEnvelope',
      encodeEnvelope(source.address, seq, made, ext, []),
    ) as Json;
    const hash = network.hashOf({ tx: unsigned.tx.tx });
    const { status, errorResultXdr } = send({
      transaction: encodeEnvelope(source.address, seq, made, ext, sign(hash)),
    });
    if (status !== 'PENDING')
      throw new Error(
        `${status} ${errorResultXdr ? JSON.stringify(decodeXdr('TransactionResult', errorResultXdr)) : ''}`,
      );
    if (!closesAtOnce) close();
    return bytesToHex(hash);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    network,
    state,
    faults,
    /** Methods that were called, in their order. */
    calls,
    close,
    latest,
    submit,
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

function encodeEnvelope(
  source: string,
  seq: string,
  bodies: readonly Json[],
  ext: unknown,
  signatures: unknown[],
) {
  return encodeXdr('TransactionEnvelope', {
    tx: {
      tx: {
        source_account: source,
        fee: 1_000_000,
        seq_num: seq,
        cond: 'none',
        memo: 'none',
        operations: bodies.map((body) => ({ source_account: null, body })),
        ext,
      },
      signatures,
    },
  });
}

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
