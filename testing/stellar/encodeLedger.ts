import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { decodeXdr, encodeXdr } from '../../src/chains/stellar/xdr.ts';
import { readStellarLedger } from '../recorded/readStellarLedger.ts';
import type { Json } from '../startTestApi.ts';

type Closed = {
  number: number;
  closeTime: number;
  previousHash: string;
  processed: readonly { envelope: Json; processing: Json }[];
  isUnified: boolean;
};

let template: Json | undefined;

/** A ledger as nodes publish it; what has no meaning here is that of a real one. */
export function encodeLedger({ number, closeTime, previousHash, processed, isUnified }: Closed) {
  template ??= decodeXdr('LedgerCloseMeta', readStellarLedger().toString('base64'), 4_000_000) as Json;
  const header = {
    ...template.v1.ledger_header.header,
    ledger_version: isUnified ? 23 : 22,
    ledger_seq: number,
    previous_ledger_hash: previousHash,
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
  return {
    hash,
    headerXdr: encodeXdr('LedgerHeaderHistoryEntry', entry),
    metadataXdr: encodeXdr('LedgerCloseMeta', meta),
  };
}
