import { Hex } from 'ox';
import { type Envelope, fromEnvelope } from '../../../src/chains/evm/buildTransaction.ts';
import type { Signer } from '../../../src/wallets/openSigner.ts';
import { signTransaction } from '../../../src/wallets/signTransaction.ts';

/** The bytes and the hash of a signed transaction of an EVM chain. */
export async function signEnvelope(signer: Signer, envelope: Envelope) {
  const { raw, hash } = await signTransaction(signer, fromEnvelope(envelope));
  Hex.assert(raw);
  Hex.assert(hash);
  return { raw, hash };
}
