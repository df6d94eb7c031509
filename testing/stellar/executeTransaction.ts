import { readEnvelope } from '../../src/chains/stellar/decodeTransaction.ts';
import type { Network } from '../../src/chains/stellar/network.ts';
import { encodeXdr } from '../../src/chains/stellar/xdr.ts';
import type { Json } from '../startTestApi.ts';
import { applyOperation, checkTransaction } from './applyOperation.ts';
import type { LedgerState } from './createLedgerState.ts';
import { OperationFailed, resourceFee } from './operationOutcome.ts';

type Ledger = { state: LedgerState; network: Network; isUnified: boolean };

const baseFee = 100;

/** What a transaction does to the ledger; undefined for one that is not valid any more, and so is in no ledger. */
export function executeTransaction(
  { state, network, isUnified }: Ledger,
  hash: string,
  envelope: Json,
  closeTime: number,
) {
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
