import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Network } from '../../src/chains/stellar/network.ts';
import { decodeXdr, encodeXdr } from '../../src/chains/stellar/xdr.ts';
import type { Json } from '../startTestApi.ts';
import type { StellarKey } from './stellarKey.ts';

export type Unsigned = {
  source: string;
  /** The sequence number of the transaction. */
  seq: string;
  bodies: readonly Json[];
  /** What a simulation said of a call of a contract. */
  simulated?: Json | undefined;
};

const fee = 1_000_000;

/** A transaction of operations as XDR, with the signatures of those who are given, and its hash. */
export function signOperations(network: Network, unsigned: Unsigned, signers: readonly StellarKey[]) {
  const hash = network.hashOf({
    tx: (decodeXdr('TransactionEnvelope', encode(unsigned, [])) as Json).tx.tx,
  });
  const signatures = signers.map(({ secret }) => ({
    hint: bytesToHex(ed25519.getPublicKey(secret).slice(-4)),
    signature: bytesToHex(ed25519.sign(hash, secret)),
  }));
  return { transaction: encode(unsigned, signatures), hash: bytesToHex(hash) };
}

function encode({ source, seq, bodies, simulated }: Unsigned, signatures: readonly unknown[]): string {
  const made = simulated ? bodies.map(({ invoke_host_function: call }) => withAuth(call, simulated)) : bodies;
  return encodeXdr('TransactionEnvelope', {
    tx: {
      tx: {
        source_account: source,
        fee: fee + Number(simulated?.minResourceFee ?? 0),
        seq_num: seq,
        cond: 'none',
        memo: 'none',
        operations: made.map((body) => ({ source_account: null, body })),
        ext: simulated ? { v1: decodeXdr('SorobanTransactionData', simulated.transactionData) } : 'v0',
      },
      signatures,
    },
  });
}

function withAuth(call: Json, { results }: Json): Json {
  const auth = results[0].auth.map((entry: string) => decodeXdr('SorobanAuthorizationEntry', entry));
  return { invoke_host_function: { ...call, auth } };
}
